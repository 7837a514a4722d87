/** The depth of one side of a book: resting orders in the order in which they would fill, for the calculation of prices. */
import { ZERO_BASE } from '#units/money.ts';
import type { DepthOrder } from '#venue/funding/premium.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Book } from './book.ts';
import { NO_PRICE } from './book.ts';
import type { OrderTable } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/**
 * The caller decides how far to iterate; the book must not change meanwhile. Reduce-only orders have quantity 0 here: they
 * reserve no margin, and may exceed by far what they will ever close. They are yielded so that the caller can count its steps.
 */
export function* depthOf(book: Book, orders: OrderTable, side: Side): Generator<DepthOrder> {
  const against: Side = side === 'buy' ? 'sell' : 'buy';
  for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
    for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = book.behind(slot)) {
      yield { priceAtoms: price, quantityAtoms: orders.isReduceOnly(slot) ? ZERO_BASE : orders.remainingOf(slot) };
    }
  }
}
