/**
 * One deployment: its state, its action log as it grows, and its paper equity over time. The log is read once, then followed by
 * `account.agents`; while the realtime service does not respond, it is read again after growing pauses.
 */
import { ActionLog } from '../flows/action-log.ts';
import { type EquityPoint, equityOf, pointsOf, priceAtomsOf } from '../flows/equity-curve.ts';
import { pauseMs } from '../flows/polling.ts';
import type { AgentOperations } from '../venue/agent-operations.ts';
import type { ActionsUpdate, Market, PriceUpdate } from '../venue/agent-resources.ts';
import { type OpenSocket, RealtimeFeed, type Socket, type Update } from '../venue/realtime-feed.ts';
import type { RealtimeOperations } from '../venue/realtime-operations.ts';
import { isPassing } from '../venue/venue-error.ts';
import { failureText } from './failure-text.ts';
import { type PageServices, Panel } from './panel.ts';

const AGENTS = 'account.agents';
const PRICE = 'market.price';

export interface DeploymentParts {
  readonly operations: AgentOperations;
  readonly realtime: RealtimeOperations;
  readonly openSocket: OpenSocket;
}

export class DeploymentPanel extends Panel {
  readonly #operations: AgentOperations;
  readonly #realtime: RealtimeOperations;
  readonly #openSocket: OpenSocket;
  readonly #deploymentId: string;
  readonly #closing = new AbortController();
  /** `undefined` until it was read. */
  log: ActionLog | undefined;
  market: Market | undefined;
  /** Whether new actions arrive as they are recorded. */
  isLive = false;
  /** Why the log is not followed any more. */
  lost: string | undefined;
  isConfirmingStop = false;

  constructor(page: PageServices, { operations, realtime, openSocket }: DeploymentParts, deploymentId: string) {
    super(page);
    this.#operations = operations;
    this.#realtime = realtime;
    this.#openSocket = openSocket;
    this.#deploymentId = deploymentId;
  }

  /** At the actions that the page has, oldest first, and now. */
  get curve(): readonly EquityPoint[] {
    const { log, market, equityAtoms } = this;
    if (log === undefined || market === undefined) return [];
    const points = pointsOf(log.actions, market);
    return equityAtoms === undefined ? points : [...points, { epochMs: log.asOfEpochMs, equityAtoms, event: 'Now' }];
  }

  /** At the newest mark. */
  get equityAtoms(): bigint | undefined {
    const { log, market } = this;
    return log === undefined || market === undefined ? undefined : equityOf(log.ledger, log.markPriceAtoms, market);
  }

  /** Reads it, and follows its log until {@link close}. */
  load(): Promise<void> {
    return this.read('Reading the deployment…', async () => {
      const [page, markets] = await Promise.all([
        this.#operations.actions(this.#deploymentId, 'newest_first', null),
        this.#operations.markets(),
      ]);
      this.market = markets.find(({ marketId }) => marketId === page.deployment.marketId);
      const log = new ActionLog(page);
      this.log = log;
      void this.#follow(log, this.#closing.signal);
    });
  }

  /** Ends the following. */
  close(): void {
    this.#closing.abort();
  }

  showOlder(): Promise<void> {
    return this.run('Reading older actions…', async () => {
      const { log } = this;
      if (log?.older == null) return;
      log.addOlder(await this.#operations.actions(this.#deploymentId, 'newest_first', log.older));
    });
  }

  confirmStop(): void {
    this.isConfirmingStop = true;
    this.page.moveFocus('confirm-stop');
    this.page.changed();
  }

  keepRunning(): void {
    this.isConfirmingStop = false;
    this.page.moveFocus('stop');
    this.page.changed();
  }

  stop(): Promise<void> {
    return this.run('Stopping the deployment…', async () => {
      const deployment = await this.#operations.stop(this.#deploymentId);
      this.isConfirmingStop = false;
      if (this.log !== undefined) this.log.deployment = deployment;
      this.page.announce('The deployment is stopped.');
      this.page.moveFocus('deployment-state');
    });
  }

  async #follow(log: ActionLog, signal: AbortSignal): Promise<void> {
    try {
      for (let failures = 0; ; failures += 1) {
        try {
          const isStarted = await this.#followOnce(log, signal);
          if (isStarted) failures = 0;
        } catch (error) {
          signal.throwIfAborted();
          if (!isPassing(error)) throw error;
        }
        await this.page.wait(pauseMs(failures), signal);
      }
    } catch (error) {
      if (signal.aborted) return;
      this.lost = `${failureText(error)} New actions do not appear here by themselves.`;
      this.page.changed();
    }
  }

  /** Reads what is missing, then follows by one socket until it ends. Resolves to whether it was live. */
  async #followOnce(log: ActionLog, signal: AbortSignal): Promise<boolean> {
    const fromSequence = await this.#catchUp(log);
    const socket = await this.#connect();
    if (socket === undefined) return false;
    const { ownerAccountId: accountId, marketId } = log.deployment;
    const ended = new AbortController();
    let ticket: string | undefined;
    let isStarted = false;
    const feed = new RealtimeFeed(socket, {
      mintTicket: async () => {
        ticket = await this.#realtime.mintTicket();
        return ticket;
      },
      subscriptions: [
        { channel: AGENTS, accountId, fromSequence },
        { channel: PRICE, marketId },
      ],
      onLive: () => {
        isStarted = true;
        this.#setLive(true);
      },
      onUpdate: (update) => this.#apply(log, update),
    });
    const close = () => feed.close();
    signal.addEventListener('abort', close, { once: true });
    if (signal.aborted) close();
    feed.watch(this.page.wait, ended.signal).catch(() => {});
    await feed.ended;
    ended.abort();
    signal.removeEventListener('abort', close);
    if (ticket !== undefined) this.#realtime.revokeTicket(ticket).catch(() => {});
    this.#setLive(false);
    return isStarted;
  }

  /** `undefined` if the venue publishes no address, or the browser refuses it, such as one without TLS. */
  async #connect(): Promise<Socket | undefined> {
    const address = await this.#realtime.address();
    try {
      return address === undefined ? undefined : this.#openSocket(address);
    } catch {
      return undefined;
    }
  }

  /** Returns the sequence of the journal that the log has reached. */
  async #catchUp(log: ActionLog): Promise<number> {
    for (;;) {
      const page = await this.#operations.actions(this.#deploymentId, 'oldest_first', log.newestId);
      log.addNewer(page);
      this.page.changed();
      if (page.nextAfterActionId === null) return page.freshness.journalSequence;
    }
  }

  #apply(log: ActionLog, { channel, epochMs, data }: Update): void {
    if (channel === AGENTS) {
      const added = log.publish((data as ActionsUpdate).actions);
      if (added > 0) this.page.announce(added === 1 ? 'The log has a new action.' : `The log has ${added} new actions.`);
    } else if (this.market !== undefined) {
      log.priceAt(priceAtomsOf((data as PriceUpdate).markPrice, this.market), epochMs);
    }
    this.page.changed();
  }

  #setLive(isLive: boolean): void {
    this.isLive = isLive;
    this.page.changed();
  }
}
