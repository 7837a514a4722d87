/**
 * Whether the venue takes orders: from the listing and pricing of its markets until its writer halts, except while reads are too
 * far behind. Without an index price it still takes cancels and closes: degraded, but ready. Clients see the reason; the
 * operator's log and status also show the cause. A venue that its operator halted is not ready; one with a paused intake is degraded.
 */

import type { ProjectionCondition } from '#host/projection-follower.ts';
import type { VenueStatus } from '#http/server/ports.ts';
import type { SwitchesReport } from '#reads/reads.ts';
import type { SteadyClock } from '#time/clock.ts';
import { type Timers, withTimeout } from '#time/timers.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import type { Writer } from '#writer/writer.ts';
import type { MarketsReported } from './market-report.ts';

export interface ReadinessParts {
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  readonly writer: Pick<Writer, 'status'>;
  readonly projection: {
    readonly isBehind: boolean;
    readonly condition: Pick<ProjectionCondition, 'isRebuilding' | 'isUnwritten'>;
  };
  readonly markets: () => Promise<MarketsReported>;
  readonly switches: () => SwitchesReport;
  /** Balances minus net deposits in USD.E, as of the last count. */
  readonly imbalance: () => Promise<string>;
  /** Unavailable parts that cancels and closes do not need, in words for clients. */
  readonly unavailable: () => readonly string[];
  /** Takes an internal error of the reads, once until a read succeeds. */
  readonly onInternalError: (error: unknown) => void;
}

/** Caches the state of the markets for so long, however often the venue is probed. */
const MARKETS_INTERVAL_MS = 1_000;
/** A read that takes longer counts as failed. */
const TIMEOUT_MS = 2_000;

const STARTING = 'venue_starting: markets are being listed and priced';
const BEHIND = 'projection_behind: reads are too far behind, and commands wait for them';
const REBUILDING = 'projection_rebuilding: reads are refused until they are rebuilt from the journal; orders and sockets work';
const UNWRITTEN = 'projection_unwritten: the projection cannot be written to disk; reads are served from memory';
const IMBALANCE = 'conservation_imbalance: the balances do not equal net deposits';
const HALTED_BY_OPERATOR = 'venue_halted: the operator halted the venue: only cancels are accepted, and reads work';
const INTAKE_PAUSED =
  'intake_paused: the operator paused the intake: only cancels and orders that reduce a position are accepted, and no money moves';
const TRADING_OFF = 'capability_unavailable: trading is off: orders are refused; cancels are accepted, and reads work';
const NO_INDEX =
  'index_not_current: no open market has a current index price: only cancels and orders that reduce a position are accepted';

type MarketsView = 'well' | 'without index' | 'unread';

export class Readiness {
  readonly #parts: ReadinessParts;
  #isStarting = true;
  #pendingView: Promise<MarketsView> | undefined;
  #marketsReadAtMs = 0;
  #isErrorReported = false;
  #imbalance = '0';

  constructor(parts: ReadinessParts) {
    this.#parts = parts;
  }

  /** Markets are listed and priced. */
  started(): void {
    this.#isStarting = false;
  }

  get isHalted(): boolean {
    return this.#parts.writer.status().halt !== undefined;
  }

  /** The status for clients. */
  status(): Promise<VenueStatus> {
    const { halt } = this.#parts.writer.status();
    return this.#status(halt === undefined ? [] : [`venue_halted: ${halt.reason}`], () => IMBALANCE);
  }

  /** The status for the operator, with causes. */
  report(): Promise<VenueStatus> {
    const { halt } = this.#parts.writer.status();
    const halted = halt === undefined ? [] : [`venue_halted: ${halt.reason}: ${halt.detail}`];
    return this.#status(halted, (imbalance) => `${IMBALANCE}: the difference is ${imbalance} USD.E`);
  }

  async #status(halted: readonly string[], imbalanceText: (imbalance: string) => string): Promise<VenueStatus> {
    const reasons = [...halted];
    if (this.#isStarting) reasons.push(STARTING);
    const degraded = [...this.#parts.unavailable()];
    const { isBehind, condition } = this.#parts.projection;
    if (condition.isUnwritten) degraded.push(UNWRITTEN);
    if (condition.isRebuilding) degraded.push(REBUILDING);
    if (isBehind) reasons.push(BEHIND);
    // Markets and money are checked only after the start and before a halt.
    else if (reasons.length === 0 && !condition.isRebuilding) {
      const markets = await this.#marketsView();
      if (markets === 'without index') degraded.push(NO_INDEX);
      if (markets === 'unread') reasons.push(BEHIND);
      else {
        const imbalance = await this.#lastImbalance();
        if (imbalance !== '0') degraded.push(imbalanceText(imbalance));
      }
    }
    this.#addSwitches(reasons, degraded);
    return { isReady: reasons.length === 0, reasons, degraded };
  }

  /** Trading that is off is no failure: it is how an environment starts, and reads and sign-in are in service. */
  #addSwitches(reasons: string[], degraded: string[]): void {
    const { status, capabilities } = this.#parts.switches();
    if (status === 'halted') reasons.push(HALTED_BY_OPERATOR);
    if (status === 'intake_paused') degraded.push(INTAKE_PAUSED);
    if (capabilities.trading === false) degraded.push(TRADING_OFF);
  }

  /** Returns the last known value if the count is late or refused. */
  async #lastImbalance(): Promise<string> {
    const { timers, imbalance } = this.#parts;
    this.#imbalance = (await withTimeout(timers, this.#read(imbalance), TIMEOUT_MS)) ?? this.#imbalance;
    return this.#imbalance;
  }

  #marketsView(): Promise<MarketsView> {
    const nowMs = this.#parts.steadyClock.elapsedMs();
    if (this.#pendingView === undefined || nowMs - this.#marketsReadAtMs > MARKETS_INTERVAL_MS) {
      this.#pendingView = this.#readMarkets();
      this.#marketsReadAtMs = nowMs;
    }
    return this.#pendingView;
  }

  async #readMarkets(): Promise<MarketsView> {
    const markets = await withTimeout(this.#parts.timers, this.#read(this.#parts.markets), TIMEOUT_MS);
    if (markets === undefined) return 'unread';
    const open = markets.filter(({ status }) => status === 'open');
    return open.length > 0 && open.every(({ indexStatus }) => indexStatus !== 'current') ? 'without index' : 'well';
  }

  /**
   * Returns `undefined` if the read is refused or meets an internal error. An internal error is reported even if it arrives after
   * the timeout.
   */
  async #read<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await read();
      this.#isErrorReported = false;
      return result;
    } catch (error) {
      // Status already reports both.
      if (error instanceof VenueHalted || error instanceof WriterBusy) return undefined;
      if (!this.#isErrorReported) this.#parts.onInternalError(error);
      this.#isErrorReported = true;
      return undefined;
    }
  }
}
