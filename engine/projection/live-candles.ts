/**
 * The newest candles of each published series and timeframe: those of the last half hour, at least the current and the previous candle.
 */
import { type LiveCandleSeriesName, TIMEFRAME_MS, type Timeframe } from '#contract/markets.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { STORED_SPANS_MS, storedSpanOf } from './candle-spans.ts';
import { foldedCandles } from './folded-candles.ts';
import type { CandleRow } from './rows.ts';

/** A series with a new observation. */
export interface ObservedSeries {
  readonly market: MarketOrdinal;
  readonly series: LiveCandleSeriesName;
}

const RETENTION_MS = 1_800_000;
const SPANS_MS = Object.values(TIMEFRAME_MS);

/** The number of candles of each stored span: enough for every timeframe that is folded from them. */
export const LIVE_CANDLES: Readonly<Record<number, number>> = Object.fromEntries(
  STORED_SPANS_MS.map((stored) => {
    const retained = SPANS_MS.filter((spanMs) => storedSpanOf(spanMs) === stored).map((spanMs) => RETENTION_MS + 2 * spanMs);
    return [stored, Math.ceil(Math.max(...retained) / stored)];
  }),
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
    if (series === 'mark') return;
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

  /** The candles of a timeframe that open at or after a time, which must be the start of one; oldest first. */
  since({ market, series }: ObservedSeries, timeframe: Timeframe, sinceEpochMs: number): readonly CandleRow[] {
    const spanMs = TIMEFRAME_MS[timeframe];
    const rows = this.#rows.get(`${market}/${series}/${storedSpanOf(spanMs)}`) ?? [];
    const newest = rows.filter(({ openTimeEpochMs }) => openTimeEpochMs >= sinceEpochMs);
    return foldedCandles(newest, spanMs);
  }
}
