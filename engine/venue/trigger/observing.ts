/**
 * Takes the prices that trigger orders: mark and index of an accepted observation, and trades. Nothing triggers by a price that the index
 * guard holds back, nor while the index is not current, because liquidations then stop too.
 */
import type { Market } from '#venue/market/market.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Turn } from '#venue/turn.ts';

/** Takes all prices of the market after an accepted observation: orders whose price is reached become due. */
export function observePrices({ now }: Turn, market: Market): void {
  const { triggers, lastPriceAtoms } = market;
  if (triggers.count === 0 || !market.permits('liquidate', now)) return;
  triggers.observe('mark', market.markPriceAtoms);
  triggers.observe('index', market.indexPriceAtoms);
  if (lastPriceAtoms !== NO_PRICE) triggers.observe('last', lastPriceAtoms);
}

/** Takes the last price after a trade. The orders that it makes due trigger with the market's next price. */
export function observeTrade({ now }: Turn, market: Market): void {
  const { triggers } = market;
  if (triggers.watches('last') && market.permits('liquidate', now)) triggers.observe('last', market.lastPriceAtoms);
}
