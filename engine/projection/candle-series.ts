/**
 * Candles as they are read: every timeframe is stored as rows of its own, so a page reads as many rows as it returns.
 * A timeframe in which nothing was observed has no candle: neither a price nor a volume is made up for it.
 */

import type { CandleSeries } from '#contract/markets.ts';
import type { CandleQuery } from '#http/reads.ts';
import type { MarketScales } from './listed-markets.ts';
import { renderMoney } from './listed-markets.ts';
import { TIMEFRAME_MS } from './market-fold.ts';
import type { CandleRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

export const CANDLES_SINCE =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? AND openTimeEpochMs >= ? ORDER BY openTimeEpochMs LIMIT ?';
export const CANDLES_BACK =
  'SELECT * FROM candles WHERE market = ? AND series = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC LIMIT ?';

/** Oldest first: from `sinceEpochMs` on where it is given, else the newest. */
export function candlesOf(store: ProjectionStore, query: CandleQuery): readonly CandleRow[] {
  const { market, series, timeframe, sinceEpochMs, limit } = query;
  const spanMs = TIMEFRAME_MS[timeframe];
  const rows =
    sinceEpochMs === undefined
      ? store.statement(CANDLES_BACK).all(market, series, spanMs, limit).reverse()
      : store.statement(CANDLES_SINCE).all(market, series, spanMs, sinceEpochMs, limit);
  return rows as unknown as CandleRow[];
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
