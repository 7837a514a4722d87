/**
 * The newest bars of a series, read once for all of its deployments. A deployment that is further behind reads older bars from the
 * source itself.
 */
import type { BarSeries, BarSource, ClosedBar } from './ports.ts';

/** A deployment can be this far behind without reads of its own. */
const MAX_RECENT_BARS = 100;
/** Bars of one read. Between pages, a deployment that is far behind gives way to those of other owners. */
const PAGE_BARS = 100;

export class RecentBars {
  readonly series: BarSeries;
  readonly #source: BarSource;
  #bars: ClosedBar[] = [];
  #fromEpochMs: number;
  #untilEpochMs: number;
  #reading: Promise<boolean> | undefined;

  /** @param sinceEpochMs a multiple of the timeframe, from which on bars are collected */
  constructor(source: BarSource, series: BarSeries, sinceEpochMs: number) {
    this.#source = source;
    this.series = series;
    this.#fromEpochMs = sinceEpochMs;
    this.#untilEpochMs = sinceEpochMs;
  }

  /** When the next bar closes, as far as known. */
  get nextCloseEpochMs(): number {
    return this.#untilEpochMs + this.series.timeframeMs;
  }

  /** Reads the bars that have closed. Resolves with whether there are new ones. One read at a time: later calls share it. */
  refresh(): Promise<boolean> {
    this.#reading ??= this.#readNew().finally(() => {
      this.#reading = undefined;
    });
    return this.#reading;
  }

  /** Whether the bars from a time on are known without a read of their own. */
  hasSince(sinceEpochMs: number): boolean {
    return sinceEpochMs >= this.#fromEpochMs;
  }

  /** The next closed bars from a time on; empty if none has closed yet. */
  async since(sinceEpochMs: number): Promise<readonly ClosedBar[]> {
    if (this.hasSince(sinceEpochMs)) return this.#bars.filter(({ openTimeEpochMs }) => openTimeEpochMs >= sinceEpochMs);
    const { bars } = await this.#source.barsSince(this.series, sinceEpochMs, PAGE_BARS);
    return bars;
  }

  async #readNew(): Promise<boolean> {
    let hasNew = false;
    for (;;) {
      const { bars, closedUntilEpochMs } = await this.#source.barsSince(this.series, this.#untilEpochMs, PAGE_BARS);
      const isLast = bars.length < PAGE_BARS;
      // After a full page there may be more bars before that time.
      const readUntilEpochMs = isLast ? closedUntilEpochMs : bars.at(-1)!.openTimeEpochMs + this.series.timeframeMs;
      this.#untilEpochMs = Math.max(this.#untilEpochMs, readUntilEpochMs);
      for (const bar of bars) this.#bars.push(bar);
      const excess = this.#bars.length - MAX_RECENT_BARS;
      if (excess > 0) this.#fromEpochMs = this.#bars.splice(0, excess).at(-1)!.openTimeEpochMs + this.series.timeframeMs;
      hasNew ||= bars.length > 0;
      if (isLast) return hasNew;
    }
  }
}
