/**
 * The resting orders of one side of a book, the best first, in the order in which they would fill, and what each of them
 * has a say with in a market's prices.
 */
import { ZERO_BASE } from '#units/money.ts';
import type { DepthOrder } from '#venue/funding/premium.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Book } from './book.ts';
import { NO_PRICE } from './book.ts';
import type { OrderTable } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/**
 * Whoever walks it decides how far; the book must not change meanwhile. Reduce-only orders are for nothing here: they hold
 * no money, and may be for far more than they will ever close. Still they are told, so that whoever walks counts its steps.
 */
export function* depthOf(book: Book, orders: OrderTable, side: Side): Generator<DepthOrder> {
  const against: Side = side === 'buy' ? 'sell' : 'buy';
  for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
    for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = book.behind(slot)) {
      yield { priceAtoms: price, quantityAtoms: orders.isReduceOnly(slot) ? ZERO_BASE : orders.remainingOf(slot) };
    }
  }
}
