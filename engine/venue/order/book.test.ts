import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { ZERO_QUOTE } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { Book, NO_PRICE } from './book.ts';
import { NO_SLOT, OrderTable, RestingOrder } from './order-table.ts';

/** The simplest book: a list of orders, sorted on each read. */
class NaiveBook {
  orders: { id: number; side: Side; price: number }[] = [];

  side(side: Side): number[] {
    const sign = side === 'buy' ? -1 : 1;
    const own = this.orders.filter((order) => order.side === side);
    return own.sort((left, right) => sign * (left.price - right.price) || left.id - right.id).map((order) => order.id);
  }

  best(side: Side): number {
    const prices = this.orders.filter((order) => order.side === side).map((order) => order.price);
    if (prices.length === 0) return NO_PRICE;
    return side === 'buy' ? Math.max(...prices) : Math.min(...prices);
  }
}

function queue(book: Book, orders: OrderTable, side: Side): number[] {
  const against: Side = side === 'buy' ? 'sell' : 'buy';
  const ids: number[] = [];
  for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
    for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = book.behind(slot)) ids.push(orders.orderOf(slot));
  }
  return ids;
}

test('keeps price-time priority like a sorted list, across pages and while slots and pages are reused', () => {
  // Bids stay at or below 5,000 and asks above: `add` requires that orders do not cross.
  const pageEdge = fc
    .tuple(fc.integer({ min: 0, max: 3 }), fc.constantFrom(904, 903, 119, 118))
    .map(([page, edge]) => 1_024 * page + edge);
  const price = fc.oneof(fc.integer({ min: 0, max: 8 }), fc.integer({ min: 0, max: 4_900 }), pageEdge);
  const change = fc.tuple(fc.constantFrom<Side>('buy', 'sell'), price, fc.nat(), fc.integer({ min: 0, max: 2 }));
  fc.assert(
    fc.property(fc.array(change, { maxLength: 300 }), (changes) => {
      const orders = new OrderTable(2);
      const book = new Book(orders, 10_000 as PriceAtoms);
      const naive = new NaiveBook();
      let id = 0;
      for (const [side, distance, pick, kind] of changes) {
        if (kind > 0 || naive.orders.length === 0) {
          id += 1;
          const at = (side === 'buy' ? 5_000 - distance : 5_001 + distance) as PriceAtoms;
          const slot = orders.add(restingOrder(id, side, at), ZERO_QUOTE);
          book.add(slot);
          naive.orders.push({ id, side, price: at });
        } else {
          const [gone] = naive.orders.splice(pick % naive.orders.length, 1);
          const slot = orders.slotOf(gone!.id as OrderOrdinal);
          book.remove(slot);
          orders.remove(slot);
          expect(orders.slotOf(gone!.id as OrderOrdinal)).toBe(NO_SLOT);
        }
        expect([book.bestBid, book.bestAsk]).toEqual([naive.best('buy'), naive.best('sell')]);
      }
      expect(queue(book, orders, 'buy')).toEqual(naive.side('buy'));
      expect(queue(book, orders, 'sell')).toEqual(naive.side('sell'));
      expect(orders.count).toBe(naive.orders.length);
      expect(orders.slotsByAge().map((slot) => orders.orderOf(slot))).toEqual(naive.orders.map((order) => order.id));
    }),
  );
});

function bookOf(prices: readonly number[]): { orders: OrderTable; book: Book; add: (price: number) => number } {
  const orders = new OrderTable(4);
  const book = new Book(orders, 10_000 as PriceAtoms);
  let id = 6;
  const add = (price: number) => {
    id += 1;
    book.add(orders.add(restingOrder(id, 'buy', price as PriceAtoms), ZERO_QUOTE));
    return id;
  };
  prices.forEach(add);
  return { orders, book, add };
}

test('lists orders by age when their numbers are in different buckets', () => {
  const { orders } = bookOf([5, 4, 3]);
  expect(orders.slotsByAge().map((slot) => orders.orderOf(slot))).toEqual([7, 8, 9]);
});

test('keeps neighbouring pages intact when a page is freed and reused', () => {
  const { orders, book, add } = bookOf([1_024, 2_048]);
  book.remove(orders.slotOf(7 as OrderOrdinal));
  orders.remove(orders.slotOf(7 as OrderOrdinal));
  const last = add(2_047);
  expect(queue(book, orders, 'buy')).toEqual([8, last]);
  expect(orders.orderOf(book.firstAt(2_047 as PriceAtoms))).toBe(last);
  expect(add(1_024)).toBe(10);
  expect(queue(book, orders, 'buy')).toEqual([8, last, 10]);
});

function restingOrder(id: number, side: Side, priceAtoms: PriceAtoms): RestingOrder {
  const order = id as OrderOrdinal;
  const market = 1 as MarketOrdinal;
  return Object.assign(new RestingOrder(), { order, market, side, priceAtoms, remainingAtoms: 1 as BaseAtoms });
}
