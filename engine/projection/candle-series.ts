/**
 * Reads candles. A page reads as many rows as it returns, or up to seven times as many for a timeframe that is folded from stored spans. A span
 * without observations has no candle. Candles before the venue's start come from the synthetic past.
 */

import { type CandleSeries, TIMEFRAME_MS } from '#contract/markets.ts';
import type { CandleQuery, PageEntries } from '#reads/reads.ts';
import { nextSpanStart, storedSpanOf } from './candle-spans.ts';
import { foldedCandles } from './folded-candles.ts';
import type { MarketScales } from './market-scales.ts';
import { renderMoney } from './market-scales.ts';
import type { CandleRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

export const CANDLES_SINCE =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? AND openTimeEpochMs >= ? ORDER BY openTimeEpochMs LIMIT ?';
export const CANDLES_BACK =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC LIMIT ?';

/** A synthetic minute takes one to two microseconds to compute, so a step takes about a millisecond. */
const PAST_MINUTES_PER_STEP = 750;
const MAX_ENTRIES_PER_STEP = 50;

type CandleResource = CandleSeries['candles'][number];

/** Oldest first: from `sinceEpochMs` on if given, otherwise the newest. Synthetic candles are computed when they are rendered. */
export function candlesOf(store: ProjectionStore, query: CandleQuery, market: MarketScales): PageEntries<CandleResource> {
  const { series, timeframe } = query;
  const spanMs = TIMEFRAME_MS[timeframe];
  const rows = storedRows(store, query, spanMs);
  const openTimes = pastOpenTimes(query, spanMs, rows, market);
  const pastOf = (openTime: number) => syntheticResource(market.past!.row(series, spanMs, openTime)!, market);
  const entries = [...openTimes, ...rows].slice(0, query.limit);
  return {
    length: entries.length,
    slice: (from, to) =>
      entries.slice(from, to).map((entry) => (typeof entry === 'number' ? pastOf(entry) : candleResource(entry, market))),
    ...(openTimes.length > 0 && { entriesPerStep: entriesPerStep(spanMs) }),
  };
}

function storedRows(store: ProjectionStore, query: CandleQuery, spanMs: number): readonly CandleRow[] {
  const { market, series, sinceEpochMs, limit } = query;
  const stored = storedSpanOf(spanMs);
  const parts = spanMs / stored;
  if (sinceEpochMs === undefined) {
    // The oldest candle of the rows may lack its first parts, so there are rows for one more.
    const rows = store
      .statement(CANDLES_BACK)
      .all(market, series, stored, limit * parts + parts - 1)
      .reverse();
    return foldedCandles(rows as unknown as CandleRow[], spanMs).slice(-limit);
  }
  const first = nextSpanStart(sinceEpochMs, spanMs);
  const rows = store.statement(CANDLES_SINCE).all(market, series, stored, first, limit * parts);
  return foldedCandles(rows as unknown as CandleRow[], spanMs).slice(0, limit);
}

/** Open times of the synthetic candles before `rows`. The candle in which the venue started may be in `rows`. */
function pastOpenTimes(
  { sinceEpochMs, limit }: CandleQuery,
  spanMs: number,
  rows: readonly CandleRow[],
  { past }: MarketScales,
): readonly number[] {
  if (past === undefined) return [];
  const { first, last } = past.openTimes(spanMs);
  const end = Math.min(last, (rows[0]?.openTimeEpochMs ?? Number.POSITIVE_INFINITY) - spanMs);
  const begin =
    sinceEpochMs === undefined
      ? Math.max(first, end - (limit - rows.length - 1) * spanMs)
      : Math.max(first, nextSpanStart(sinceEpochMs, spanMs));
  const count = Math.max(0, Math.min(limit, (end - begin) / spanMs + 1));
  return Array.from({ length: count }, (_, index) => begin + index * spanMs);
}

function entriesPerStep(spanMs: number): number {
  return Math.max(1, Math.min(MAX_ENTRIES_PER_STEP, Math.floor((PAST_MINUTES_PER_STEP * TIMEFRAME_MS['1m']) / spanMs)));
}

/** Includes the synthetic part of the candle, if it starts before the venue's start. */
export function candleResource(row: CandleRow, market: MarketScales): CandleResource {
  const completed = market.past?.completed(row);
  return completed === undefined ? resourceOf(row, market, false) : syntheticResource(completed, market);
}

function syntheticResource(row: CandleRow, market: MarketScales): CandleResource {
  return resourceOf(row, market, true);
}

function resourceOf(candle: CandleRow, market: MarketScales, synthetic: boolean): CandleResource {
  return {
    openTimeEpochMs: candle.openTimeEpochMs,
    open: market.price(candle.openAtoms),
    high: market.price(candle.highAtoms),
    low: market.price(candle.lowAtoms),
    close: market.price(candle.closeAtoms),
    volume: market.quantity(BigInt(candle.volumeAtoms)),
    quoteVolume: renderMoney(BigInt(candle.notionalAtoms)),
    synthetic,
  };
}
