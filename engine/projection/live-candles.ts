/** The newest candles of each series and timeframe: the last half hour, at least the current and the previous candle. */
import { TIMEFRAME_MS, type Timeframe } from '#contract/markets.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { TIMEFRAME_SPANS_MS } from './market-fold.ts';
import type { CandleRow, CandleSeriesName } from './rows.ts';

/** A series with a new observation. */
export interface ObservedSeries {
  readonly market: MarketOrdinal;
  readonly series: CandleSeriesName;
}

const RETENTION_MS = 1_800_000;

/** The number of stored candles of each timeframe. */
export const LIVE_CANDLES: Readonly<Record<number, number>> = Object.fromEntries(
  TIMEFRAME_SPANS_MS.map((spanMs) => [spanMs, Math.max(2, RETENTION_MS / spanMs)]),
);

export class LiveCandles {
  /** By series and span, oldest first. */
  readonly #rows = new Map<string, CandleRow[]>();
  #observed: ObservedSeries[] = [];

  find(...key: unknown[]): CandleRow | undefined {
    const [market, series, spanMs, openTimeEpochMs] = key;
    const newest = this.#rows.get(`${market}/${series}/${spanMs}`)?.at(-1);
    return newest?.openTimeEpochMs === openTimeEpochMs ? newest : undefined;
  }

  put(row: CandleRow): void {
    const { market, series } = row;
    this.load(row);
    if (!this.#observed.some((it) => it.market === market && it.series === series)) this.#observed.push({ market, series });
  }

  /** Loads a candle from before the first record; oldest first. */
  load(row: CandleRow): void {
    const name = `${row.market}/${row.series}/${row.spanMs}`;
    const rows = this.#rows.get(name);
    if (rows === undefined) {
      this.#rows.set(name, [row]);
      return;
    }
    if (rows.at(-1)?.openTimeEpochMs === row.openTimeEpochMs) rows[rows.length - 1] = row;
    else rows.push(row);
    if (rows.length > LIVE_CANDLES[row.spanMs]!) rows.shift();
  }

  /** Ends a record. Returns the series with new observations. */
  settle(): readonly ObservedSeries[] {
    const observed = this.#observed;
    if (observed.length > 0) this.#observed = [];
    return observed;
  }

  /** The stored candles of a timeframe that open at or after a time, oldest first. */
  since({ market, series }: ObservedSeries, timeframe: Timeframe, sinceEpochMs: number): readonly CandleRow[] {
    const rows = this.#rows.get(`${market}/${series}/${TIMEFRAME_MS[timeframe]}`) ?? [];
    return rows.filter(({ openTimeEpochMs }) => openTimeEpochMs >= sinceEpochMs);
  }
}
