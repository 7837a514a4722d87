/**
 * Whether the venue takes orders: from when its markets are listed and priced until its writer has stopped for good, but while
 * what is read is too far behind. Without an index it still takes cancels and closes: that is degraded, not away. Clients
 * hear what is the case; what caused it, the operator's log and status tell.
 */

import type { ProjectionCondition } from '#host/projection-follower.ts';
import type { VenueStatus } from '#http/server/ports.ts';
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
  /** What the venue holds less what came in, in USD.E, as it was counted lately. */
  readonly imbalance: () => Promise<string>;
  /** What is away that cancels and closes do not need, in words fit for clients. */
  readonly away: () => readonly string[];
  /** Takes an internal error of the reads, once until they answer again. */
  readonly onInternalError: (error: unknown) => void;
}

/** However often the venue is probed, its markets are looked at so often. */
const MARKETS_EVERY_MS = 1_000;
/** Reads that take longer are no reads. */
const PATIENCE_MS = 2_000;

const STARTING = 'venue_starting: markets are being listed and priced';
const BEHIND = 'projection_behind: reads are too far behind, and commands wait for them';
const REBUILDING =
  'projection_rebuilding: reads are refused until they are made again from the journal; orders and sockets go on';
const UNWRITTEN = 'projection_unwritten: the disk does not take what reads are answered from; reads go on from memory';
const IMBALANCE = 'conservation_imbalance: what accounts and the venue hold is not what came in';
const NO_INDEX =
  'index_not_current: no open market has a current index price: cancels and what reduces a position are taken, and nothing else';

type MarketsSeen = 'well' | 'without index' | 'unread';

export class Readiness {
  readonly #parts: ReadinessParts;
  #isStarting = true;
  #looked: Promise<MarketsSeen> | undefined;
  #lookedAtMs = 0;
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

  /** For clients. */
  status(): Promise<VenueStatus> {
    const { halt } = this.#parts.writer.status();
    return this.#status(halt === undefined ? [] : [`venue_halted: ${halt.reason}`], () => IMBALANCE);
  }

  /** For the operator, with what caused it. */
  report(): Promise<VenueStatus> {
    const { halt } = this.#parts.writer.status();
    const halted = halt === undefined ? [] : [`venue_halted: ${halt.reason}: ${halt.detail}`];
    return this.#status(halted, (imbalance) => `${IMBALANCE}: the difference is ${imbalance} USD.E`);
  }

  async #status(halted: readonly string[], imbalanceText: (imbalance: string) => string): Promise<VenueStatus> {
    const reasons = [...halted];
    if (this.#isStarting) reasons.push(STARTING);
    const degraded = [...this.#parts.away()];
    const { isBehind, condition } = this.#parts.projection;
    if (condition.isUnwritten) degraded.push(UNWRITTEN);
    if (condition.isRebuilding) degraded.push(REBUILDING);
    if (isBehind) reasons.push(BEHIND);
    // Before there are prices nothing is missing, and after a halt none will come.
    else if (reasons.length === 0 && !condition.isRebuilding) {
      const markets = await this.#marketsSeen();
      if (markets === 'without index') degraded.push(NO_INDEX);
      if (markets === 'unread') reasons.push(BEHIND);
      else {
        const imbalance = await this.#lastImbalance();
        if (imbalance !== '0') degraded.push(imbalanceText(imbalance));
      }
    }
    return { isReady: reasons.length === 0, reasons, degraded };
  }

  /** As it was counted last: a count that is late, or refused, says nothing. */
  async #lastImbalance(): Promise<string> {
    const { timers, imbalance } = this.#parts;
    this.#imbalance = (await withTimeout(timers, this.#read(imbalance), PATIENCE_MS)) ?? this.#imbalance;
    return this.#imbalance;
  }

  #marketsSeen(): Promise<MarketsSeen> {
    const nowMs = this.#parts.steadyClock.elapsedMs();
    if (this.#looked === undefined || nowMs - this.#lookedAtMs > MARKETS_EVERY_MS) {
      this.#looked = this.#lookAtMarkets();
      this.#lookedAtMs = nowMs;
    }
    return this.#looked;
  }

  async #lookAtMarkets(): Promise<MarketsSeen> {
    const markets = await withTimeout(this.#parts.timers, this.#read(this.#parts.markets), PATIENCE_MS);
    if (markets === undefined) return 'unread';
    const open = markets.filter(({ status }) => status === 'open');
    return open.length > 0 && open.every(({ indexStatus }) => indexStatus !== 'current') ? 'without index' : 'well';
  }

  /** `undefined` for reads that are refused, or meet an internal error, which is reported however late it shows. */
  async #read<Result>(read: () => Promise<Result>): Promise<Result | undefined> {
    try {
      const result = await read();
      this.#isErrorReported = false;
      return result;
    } catch (error) {
      // Both are told already.
      if (error instanceof VenueHalted || error instanceof WriterBusy) return undefined;
      if (!this.#isErrorReported) this.#parts.onInternalError(error);
      this.#isErrorReported = true;
      return undefined;
    }
  }
}
