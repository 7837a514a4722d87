/**
 * The mark: what positions are valued at. The median of bid, ask and last trade, held to a band around the index, so
 * that neither one order nor one trade moves it far. A missing bid, ask or trade is replaced by the index.
 */
import type { PriceAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, WHOLE_BPS } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Market } from './market.ts';

export function markPriceOf(market: Market, index: PriceAtoms): PriceAtoms {
  const { bestBid, bestAsk } = market.book;
  const bid = bestBid === NO_PRICE ? index : bestBid;
  const ask = bestAsk === NO_PRICE ? index : bestAsk;
  const last = market.lastPriceAtoms === NO_PRICE ? index : market.lastPriceAtoms;
  const { markBandBps } = market.specification;
  const lowest = mulDivUp(index, WHOLE_BPS - markBandBps, WHOLE_BPS);
  const highest = mulDivDown(index, WHOLE_BPS + markBandBps, WHOLE_BPS);
  return Math.max(lowest, Math.min(highest, median(bid, ask, last))) as PriceAtoms;
}

function median(first: number, second: number, third: number): number {
  return Math.max(Math.min(first, second), Math.min(Math.max(first, second), third));
}
