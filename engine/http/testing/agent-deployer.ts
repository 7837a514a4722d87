/** An owner in a test with an agent account and a reviewed draft, which it deploys and trades on paper. */
import type { AgentDeploymentOrdinal } from '#units/ids.ts';
import { type BaseAtoms, epochMs } from '#units/money.ts';
import type { PlacePaperOrder } from '#venue/command.ts';
import type { PaperOrderPlaced } from '#venue/event.ts';
import { openAgentAccount } from './deployment-requests.ts';
import type { Bot, DrivenVenue, VenueResponse } from './driven-venue.ts';

type Venue = Pick<DrivenVenue, 'bot' | 'signIn' | 'call' | 'operate'>;
type Body = VenueResponse['body'];

export const DEPLOYED_SCRIPT = `//@version=6
strategy("Breakout")
length = input.int(20, "Length", minval = 2, maxval = 100)
both = input.bool(true, "Both sides")
if close > ta.sma(close, length) and both
    strategy.entry("Long", strategy.long)
`;
export const BAR_MS = 60_000;

export class AgentDeployer {
  readonly venue: Venue;
  readonly owner: Bot;
  readonly session: Bot;
  readonly agentAccountId: string;
  draftId = '';
  #keys = 0;

  private constructor(venue: Venue, owner: Bot, session: Bot, agentAccountId: string) {
    this.venue = venue;
    this.owner = owner;
    this.session = session;
    this.agentAccountId = agentAccountId;
  }

  /** A new owner. Two orders of another account are in the book. */
  static async start(venue: Venue): Promise<AgentDeployer> {
    const owner = await venue.bot();
    const session = await venue.signIn(owner);
    const deployer = new AgentDeployer(venue, owner, session, await openAgentAccount(venue, owner));
    deployer.draftId = await deployer.reviewed();
    const maker = await venue.bot();
    for (const [side, price] of [
      ['sell', '65010'],
      ['buy', '64990'],
    ] as const) {
      const order = { marketId: 'BTC-USD-PERP', side, orderType: 'limit', price, quantity: '0.5', clientOrderId: side };
      await venue.call('placeOrder', { bot: maker, idempotencyKey: side, body: { accountId: maker.accountId, ...order } });
    }
    return deployer;
  }

  key(): string {
    this.#keys += 1;
    return `key-${this.#keys}`;
  }

  /** Who sends a request, and its path; by default the owner in its session. */
  own(deploymentId?: string, bot = this.session) {
    return { bot, params: { accountId: bot.accountId, ...(deploymentId === undefined ? {} : { deploymentId }) } };
  }

  get terms() {
    const { agentAccountId, draftId } = this;
    const run = { marketId: 'BTC-USD-PERP', timeframe: '1m', historyBars: 300, orderSizeAtoms: '10' };
    return { agentAccountId, draftId, ...run };
  }

  async draft(text = DEPLOYED_SCRIPT, bot = this.session): Promise<Body> {
    const request = { ...this.own(undefined, bot), idempotencyKey: this.key(), body: { name: 'one', text } };
    return (await this.venue.call('draftAgentScript', request)).body;
  }

  /** Drafts a script and confirms its review. Returns the id of the draft. */
  async reviewed(text = DEPLOYED_SCRIPT, bot = this.session): Promise<string> {
    const { draftId, reviewDigest } = await this.draft(text, bot);
    const params = { accountId: bot.accountId, draftId };
    await this.venue.call('confirmAgentReview', { bot, params, body: { reviewDigest } });
    return draftId;
  }

  deploy(changes: object = {}, bot = this.session): Promise<VenueResponse> {
    const request = { ...this.own(undefined, bot), idempotencyKey: this.key(), body: { ...this.terms, ...changes } };
    return this.venue.call('createAgentDeployment', request);
  }

  async deployed(changes: object = {}): Promise<string> {
    const { status, body } = await this.deploy(changes);
    if (status !== 200) throw new Error(JSON.stringify(body));
    return body.deployment.deploymentId;
  }

  async read(deploymentId: string): Promise<Body> {
    return (await this.venue.call('getAgentDeployment', this.own(deploymentId))).body.deployment;
  }

  stop(deploymentId: string): Promise<VenueResponse> {
    return this.venue.call('stopAgentDeployment', this.own(deploymentId));
  }

  async log(deploymentId: string, query = {}): Promise<Body> {
    return (await this.venue.call('listAgentActions', { ...this.own(deploymentId), query })).body;
  }

  /** As the runner does. */
  async change(
    deploymentId: string,
    state: 'running' | 'stopped' | 'failed',
    expectedStateVersion: number,
    reason = '',
  ): Promise<void> {
    const change = { deployment: ordinalOf(deploymentId), state, reason, expectedStateVersion };
    await this.venue.operate({ type: 'ChangeAgentDeployment', ...change }, 'AgentDeploymentChanged');
  }

  /** As the runner does. */
  trade(
    deploymentId: string,
    bar: number,
    side: 'buy' | 'sell',
    quantity: number,
    changes: Partial<PlacePaperOrder> = {},
  ): Promise<PaperOrderPlaced> {
    const place = { deployment: ordinalOf(deploymentId), barEpochMs: epochMs(bar * BAR_MS), index: 0 };
    const order = { kind: 'entry', signal: 'Long', side, quantityAtoms: quantity as BaseAtoms, reduceOnly: false } as const;
    return this.venue.operate({ type: 'PlacePaperOrder', ...place, ...order, ...changes }, 'PaperOrderPlaced');
  }
}

function ordinalOf(deploymentId: string): AgentDeploymentOrdinal {
  return Number(deploymentId) as AgentDeploymentOrdinal;
}
