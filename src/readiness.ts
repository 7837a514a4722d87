/**
 * Whether the venue takes orders: from when its markets are listed and priced until its writer has stopped for good, but while
 * what is read is too far behind. Without an index it still takes cancels and closes: that is degraded, not away. Clients
 * hear what is the case; what caused it, the operator's log and status tell.
 */
import type { VenueStatus } from '#http/ports.ts';
import type { SteadyClock } from '#time/clock.ts';
import { type Timers, withTimeout } from '#time/timers.ts';
import { VenueHalted } from '#writer/submit.ts';
import type { Writer } from '#writer/writer.ts';
import type { MarketsReported } from './market-report.ts';

export interface ReadinessParts {
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  readonly writer: Pick<Writer, 'status'>;
  readonly projection: { readonly isBehind: boolean };
  readonly markets: () => Promise<MarketsReported>;
  /** What is away that cancels and closes do not need, in words fit for clients. */
  readonly away: () => readonly string[];
  /** Hears of a defect of the reads, once until they answer again. */
  readonly onDefect: (defect: unknown) => void;
}

/** However often the venue is probed, its markets are looked at so often. */
const MARKETS_EVERY_MS = 1_000;
/** Reads that take longer are no reads. */
const PATIENCE_MS = 2_000;

const STARTING = 'venue_starting: markets are being listed and priced';
const BEHIND = 'projection_behind: reads are too far behind, and commands wait for them';
const NO_INDEX =
  'index_not_current: no open market has a current index price: cancels and what reduces a position are taken, and nothing else';

type MarketsSeen = 'well' | 'without index' | 'unread';

export class Readiness {
  readonly #parts: ReadinessParts;
  #isStarting = true;
  #looked: Promise<MarketsSeen> | undefined;
  #lookedAtMs = 0;
  #isDefectTold = false;

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
    return this.#status(halt === undefined ? [] : [`venue_halted: ${halt.reason}`]);
  }

  /** For the operator, with what caused it. */
  report(): Promise<VenueStatus> {
    const { halt } = this.#parts.writer.status();
    return this.#status(halt === undefined ? [] : [`venue_halted: ${halt.reason}: ${halt.detail}`]);
  }

  async #status(halted: readonly string[]): Promise<VenueStatus> {
    const reasons = [...halted];
    if (this.#isStarting) reasons.push(STARTING);
    const degraded = [...this.#parts.away()];
    if (this.#parts.projection.isBehind) reasons.push(BEHIND);
    // Before there are prices nothing is missing, and after a halt none will come.
    else if (reasons.length === 0) {
      const markets = await this.#marketsSeen();
      if (markets === 'unread') reasons.push(BEHIND);
      else if (markets === 'without index') degraded.push(NO_INDEX);
    }
    return { isReady: reasons.length === 0, reasons, degraded };
  }

  #marketsSeen(): Promise<MarketsSeen> {
    const now = this.#parts.steadyClock.elapsedMs();
    if (this.#looked === undefined || now - this.#lookedAtMs > MARKETS_EVERY_MS) {
      this.#looked = this.#lookAtMarkets();
      this.#lookedAtMs = now;
    }
    return this.#looked;
  }

  async #lookAtMarkets(): Promise<MarketsSeen> {
    const markets = await withTimeout(this.#parts.timers, this.#markets(), PATIENCE_MS);
    if (markets === undefined) return 'unread';
    const open = markets.filter(({ status }) => status === 'open');
    return open.length > 0 && open.every(({ indexStatus }) => indexStatus !== 'current') ? 'without index' : 'well';
  }

  /** `undefined` for reads that have a defect, which is told however late it shows. */
  async #markets(): Promise<MarketsReported | undefined> {
    try {
      const markets = await this.#parts.markets();
      this.#isDefectTold = false;
      return markets;
    } catch (defect) {
      // A halt is told already.
      if (defect instanceof VenueHalted) return undefined;
      if (!this.#isDefectTold) this.#parts.onDefect(defect);
      this.#isDefectTold = true;
      return undefined;
    }
  }
}
