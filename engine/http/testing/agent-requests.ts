/**
 * Valid requests of the operations of agents. The account must have an owner with an active party; its consent, an agent account and a
 * funding are made first.
 */
import { randomBytes } from 'node:crypto';
import type { OperationId } from '#contract/operations.ts';
import { type AccountOrdinal, parseAccountId } from '#units/ids.ts';
import { epochMs, quoteAtoms } from '#units/money.ts';
import type { Bot, DrivenVenue } from './driven-venue.ts';
import type { MadeRequest } from './settlement-requests.ts';

type Venue = Pick<DrivenVenue, 'call' | 'operate' | 'signIn'>;

let keys = 0;

const keyed = (request: MadeRequest): MadeRequest => {
  keys += 1;
  return { ...request, idempotencyKey: `agent-${keys}` };
};

/** By operation. */
export const AGENT_REQUESTS: { readonly [Id in OperationId]?: (venue: Venue, by: Bot) => Promise<MadeRequest> } = {
  openAgentAccount: async (_, { accountId }) => keyed({ params: { accountId }, body: { label: `agent ${keys}` } }),
  createAgentFunding: async (venue, by) => keyed({ params: await agentOf(venue, by), body: { amount: `0.00${1_000 + keys}` } }),
  listAgentFundings: async (venue, by) => ({ params: await agentOf(venue, by) }),
  confirmAgentFunding: async (venue, by) => {
    const params = await agentOf(venue, by);
    return { params: { ...params, transferId: await fundingOf(venue, by, params) }, body: { action: 'status' } };
  },
};

interface AgentParams extends Readonly<Record<string, string>> {
  readonly accountId: string;
  readonly agentAccountId: string;
}

/** The first agent account of the owner. */
async function agentOf(venue: Venue, by: Bot): Promise<AgentParams> {
  const bot = await venue.signIn(by);
  const { accountId, account } = by;
  const { body } = await venue.call('listAgentAccounts', { bot, params: { accountId } });
  const [known] = body.agentAccounts;
  await consent(venue, account);
  if (known !== undefined) return { accountId, agentAccountId: known.agentAccountId };
  const opened = await venue.operate({ type: 'OpenAgentAccount', account, label: 'agent', digestSeed: 7 }, 'AgentAccountOpened');
  return { accountId, agentAccountId: `acct-${opened.agentAccount}` };
}

/** Refused if the owner has one, or if a venue with a ledger has recorded it. */
async function consent(venue: Venue, account: AccountOrdinal): Promise<void> {
  const submitted = { account, ledgerKey: randomBytes(16).toString('hex'), replacesConsentId: '' };
  await venue.operate({ type: 'SubmitPartyConsent', ...submitted }, 'PartyConsentChanged').catch(() => undefined);
  const present = { account, consent: 'present', consentId: `consent-${account}`, reason: '' } as const;
  await venue.operate({ type: 'RecordPartyConsent', ...present }, 'PartyConsentChanged').catch(() => undefined);
}

/** One that can still be approved; otherwise a new one. */
async function fundingOf(venue: Venue, by: Bot, params: AgentParams): Promise<string> {
  const bot = await venue.signIn(by);
  const { body } = await venue.call('listAgentFundings', { bot, params });
  const [known] = body.fundings;
  if (known !== undefined) return known.transferId;
  const transferId = randomBytes(16).toString('base64url');
  const agentAccount = parseAccountId(params.agentAccountId)!;
  const { asOfEpochMs } = body.freshness;
  const intent = { account: by.account, agentAccount, direction: 'owner_to_agent', amountAtoms: quoteAtoms(1) } as const;
  const expiresAtEpochMs = epochMs(asOfEpochMs + 3_600_000);
  await venue.operate({ type: 'CreateAgentFunding', ...intent, transferId, expiresAtEpochMs }, 'AgentFundingCreated');
  return transferId;
}
