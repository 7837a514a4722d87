/** The depth of one side of a book: what it offers, best price first, for the calculation of prices. */
import { ZERO_BASE } from '#units/money.ts';
import type { Depth } from '#venue/funding/premium.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Book } from './book.ts';
import { NO_PRICE } from './book.ts';
import type { OrderTable } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';

/** The levels of a side. The caller decides how far to iterate; the book must not change meanwhile. */
export function* levelsOf(book: Book, side: Side): Generator<Depth> {
  const against: Side = side === 'buy' ? 'sell' : 'buy';
  for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price))
    yield { priceAtoms: price, quantityAtoms: book.sizeAt(price) };
}

/** How many orders of a side the rules before version 4 visited. A side that needs more counted as too thin. */
const MAX_ORDERS = 1_000;

/** The first orders of a side, as before version 4: reduce-only ones count and have quantity 0. */
export function* firstOrdersOf(book: Book, orders: OrderTable, side: Side): Generator<Depth> {
  let left = MAX_ORDERS;
  for (const { priceAtoms } of levelsOf(book, side)) {
    for (let slot = book.firstAt(priceAtoms); slot !== NO_SLOT; slot = book.behind(slot)) {
      if (left === 0) return;
      left -= 1;
      yield { priceAtoms, quantityAtoms: orders.isReduceOnly(slot) ? ZERO_BASE : orders.remainingOf(slot) };
    }
  }
}
