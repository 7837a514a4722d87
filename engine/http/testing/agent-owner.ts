/** An owner in a test with an identity-ready agent account and cash: the way through the fundings of an agent account. */
import { eventually } from '#time/testing/eventually.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';
import { quoteAtoms } from '#units/money.ts';
import type { Bot, DrivenVenue, VenueResponse } from './driven-venue.ts';
import { TestOwner } from './test-owner.ts';

type Venue = Pick<DrivenVenue, 'bot' | 'owner' | 'signIn' | 'call' | 'operate'>;
type Body = VenueResponse['body'];

/** In USD.E. */
export const OWNER_CASH = 1_000;

export class AgentOwner {
  readonly venue: Venue;
  readonly owner: TestOwner;
  readonly agentAccountId: string;

  private constructor(venue: Venue, owner: TestOwner, agentAccountId: string) {
    this.venue = venue;
    this.owner = owner;
    this.agentAccountId = agentAccountId;
  }

  static async register(venue: Venue): Promise<AgentOwner> {
    return AgentOwner.of(venue, await TestOwner.register(venue));
  }

  /** The same on a venue without a ledger: the owner is set up by commands. */
  static async withoutLedger(venue: Venue): Promise<AgentOwner> {
    const bot = await venue.bot(OWNER_CASH);
    const consent = { account: bot.account, ledgerKey: 'consent-key', replacesConsentId: '' };
    await venue.operate({ type: 'SubmitPartyConsent', ...consent }, 'PartyConsentChanged');
    const present = { account: bot.account, consent: 'present', consentId: 'consent', reason: '' } as const;
    await venue.operate({ type: 'RecordPartyConsent', ...present }, 'PartyConsentChanged');
    const owner = await TestOwner.of(venue, bot);
    return new AgentOwner(venue, owner, await openAgentAccount(owner));
  }

  /** Sets the owner up, credits its account, and opens an agent account. */
  static async of(venue: Venue, owner: TestOwner): Promise<AgentOwner> {
    await owner.activate();
    await owner.consent();
    await eventually(async () => {
      const { consentState } = await owner.body('getAccount');
      if (consentState !== 'present') throw new Error(consentState);
    });
    const amountAtoms = quoteAtoms(OWNER_CASH * 1_000_000);
    await venue.operate({ type: 'CreditCash', account: owner.bot.account, amountAtoms, reference: 'test' }, 'CashPosted');
    return new AgentOwner(venue, owner, await openAgentAccount(owner));
  }

  /** On another life of the venue, with a new session. */
  async on(venue: Venue): Promise<AgentOwner> {
    return new AgentOwner(venue, await this.owner.on(venue), this.agentAccountId);
  }

  get agentAccount(): AccountOrdinal {
    return parseAccountId(this.agentAccountId)!;
  }

  get params() {
    return { accountId: this.owner.accountId, agentAccountId: this.agentAccountId };
  }

  create(amount: string, direction = 'owner_to_agent', bot: Bot = this.owner.bot): Promise<VenueResponse> {
    const request = { params: this.params, body: { amount, direction }, idempotencyKey: this.owner.key() };
    return this.venue.call('createAgentFunding', { bot, ...request });
  }

  async created(amount: string, direction?: string): Promise<string> {
    const { status, body } = await this.create(amount, direction);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.transferId;
  }

  confirm(transferId: string, body: object, bot: Bot = this.owner.bot): Promise<VenueResponse> {
    return this.venue.call('confirmAgentFunding', { bot, params: { ...this.params, transferId }, body });
  }

  async status(transferId: string): Promise<Body> {
    return (await this.confirm(transferId, { action: 'status' })).body;
  }

  initiate(transferId: string): Promise<VenueResponse> {
    return this.confirm(transferId, { action: 'initiate' });
  }

  /** Signs a new challenge. */
  async complete(transferId: string): Promise<VenueResponse> {
    const { status, body } = await this.initiate(transferId);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return this.confirm(transferId, { action: 'complete', ...this.owner.approval(body.challenge) });
  }

  /** The cash of the owner and of the agent account. */
  async cash(): Promise<readonly [owner: string, agent: string]> {
    const { cashBalance } = await this.owner.body('getAccount');
    const { agentAccounts } = await this.owner.body('listAgentAccounts');
    return [cashBalance, agentAccounts.find((it: Body) => it.agentAccountId === this.agentAccountId).cashBalance];
  }
}

async function openAgentAccount(owner: TestOwner): Promise<string> {
  const params = { accountId: owner.accountId };
  const { status, body } = await owner.call('openAgentAccount', {
    params,
    body: { label: 'agent' },
    idempotencyKey: owner.key(),
  });
  if (status !== 200) throw new Error(JSON.stringify(body));
  return body.agentAccountId;
}
