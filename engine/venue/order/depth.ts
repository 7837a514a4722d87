/** The resting orders of one side of a book, the best first, in the order in which they would fill. */
import type { Side } from '#venue/command.ts';
import type { DepthOrder } from '#venue/funding/premium.ts';
import type { Book } from './book.ts';
import { NO_PRICE } from './book.ts';
import type { OrderTable } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/** Whoever walks it decides how far; the book must not change meanwhile. */
export function* depthOf(book: Book, orders: OrderTable, side: Side): Generator<DepthOrder> {
  const against: Side = side === 'buy' ? 'sell' : 'buy';
  for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
    for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = book.behind(slot)) {
      yield { priceAtoms: price, quantityAtoms: orders.remainingOf(slot) };
    }
  }
}
