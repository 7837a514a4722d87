/**
 * Candles of any timeframe, aggregated from the longest stored span that divides it. A timeframe in which nothing was
 * observed has no candle: neither a price nor a volume is made up for it.
 */

import type { CandleSeries, Timeframe } from '#contract/markets.ts';
import type { CandleQuery } from '#http/reads.ts';
import type { PriceAtoms } from '#units/money.ts';
import { widePlus } from '#units/money.ts';
import type { MarketScales } from './listed-markets.ts';
import { renderMoney } from './listed-markets.ts';
import { STORED_SPANS_MS, spanStart } from './market-fold.ts';
import type { CandleRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

const MINUTE_MS = 60_000;
export const TIMEFRAME_MS: Readonly<Record<Timeframe, number>> = {
  '1m': MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
};

export const CANDLES_SINCE =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? AND openTimeEpochMs >= ? ORDER BY openTimeEpochMs';
export const CANDLES_BACK = 'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC';

/** Oldest first: from `sinceEpochMs` on where it is given, else the newest. */
export function candlesOf(store: ProjectionStore, query: CandleQuery): readonly CandleRow[] {
  const { market, series, timeframe, sinceEpochMs, limit } = query;
  const timeframeMs = TIMEFRAME_MS[timeframe];
  const spanMs = spanFor(timeframeMs);
  if (sinceEpochMs === undefined) {
    return aggregated(
      store.statement(CANDLES_BACK).iterate(market, series, spanMs),
      timeframeMs,
      limit,
      'newest_first',
    ).reverse();
  }
  const first = spanStart(sinceEpochMs + timeframeMs - 1, timeframeMs);
  return aggregated(store.statement(CANDLES_SINCE).iterate(market, series, spanMs, first), timeframeMs, limit, 'oldest_first');
}

/** The stored span that a timeframe is made of. */
export function spanFor(timeframeMs: number): number {
  return STORED_SPANS_MS.findLast((span) => timeframeMs % span === 0)!;
}

/** All candles of a timeframe that rows of its span come to. Oldest first, both. */
export function candlesFrom(rows: Iterable<CandleRow>, timeframeMs: number): readonly CandleRow[] {
  return aggregated(rows, timeframeMs, Number.POSITIVE_INFINITY, 'oldest_first');
}

/** Reads rows until `limit` candles are whole, and no further. */
function aggregated(
  rows: Iterable<unknown>,
  timeframeMs: number,
  limit: number,
  direction: 'oldest_first' | 'newest_first',
): CandleRow[] {
  const candles: CandleRow[] = [];
  for (const row of rows as Iterable<CandleRow>) {
    const openTimeEpochMs = spanStart(row.openTimeEpochMs, timeframeMs);
    const last = candles.at(-1);
    if (last?.openTimeEpochMs === openTimeEpochMs) {
      candles[candles.length - 1] = direction === 'oldest_first' ? joined(last, row, last) : joined(row, last, last);
    } else if (candles.length < limit) {
      candles.push({ ...row, openTimeEpochMs });
    } else {
      break;
    }
  }
  return candles;
}

/** Two spans as one, in the frame of a third: it opens with the earlier and closes with the later. */
function joined(earlier: CandleRow, later: CandleRow, frame: CandleRow): CandleRow {
  return {
    ...frame,
    openAtoms: earlier.openAtoms,
    highAtoms: Math.max(earlier.highAtoms, later.highAtoms) as PriceAtoms,
    lowAtoms: Math.min(earlier.lowAtoms, later.lowAtoms) as PriceAtoms,
    closeAtoms: later.closeAtoms,
    volumeAtoms: widePlus(earlier.volumeAtoms, later.volumeAtoms),
    notionalAtoms: widePlus(earlier.notionalAtoms, later.notionalAtoms),
  };
}

export function candleResource(candle: CandleRow, market: MarketScales): CandleSeries['candles'][number] {
  return {
    openTimeEpochMs: candle.openTimeEpochMs,
    open: market.price(candle.openAtoms),
    high: market.price(candle.highAtoms),
    low: market.price(candle.lowAtoms),
    close: market.price(candle.closeAtoms),
    volume: market.quantity(BigInt(candle.volumeAtoms)),
    quoteVolume: renderMoney(BigInt(candle.notionalAtoms)),
  };
}
