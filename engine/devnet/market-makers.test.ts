import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import { specificationFault } from '#venue/market/specification.ts';
import { ladderOf, type Quote } from './ladder.ts';
import { DEVNET_MARKETS } from './markets.ts';
import { Pace } from './pace.ts';
import { randomOf } from './randomness.ts';
import { planRequote, type QuotingVenue, type RestingQuote, requote } from './requote.ts';
import { sideFor } from './taker.ts';

const markets = DEVNET_MARKETS.map(({ specification }) => specification);

describe('the devnet markets', () => {
  test('have valid specifications', () => {
    for (const specification of markets) expect(specificationFault(specification)).toBeUndefined();
  });
});

/** Any index within the bounds of a market, and any skew. */
const quoted = fc.constantFrom(...DEVNET_MARKETS).chain((market) =>
  fc.record({
    market: fc.constant(market.specification),
    index: fc.double({ min: market.basePrice / 10, max: market.basePrice * 3, noNaN: true }),
    lean: fc.double({ min: -3, max: 3, noNaN: true }),
  }),
);

describe('the ladder', () => {
  test('covers more than 5 % on both sides, never crosses, and stays within the bounds', () => {
    fc.assert(
      fc.property(quoted, ({ market, index, lean }) => {
        const quotes = ladderOf(market, index, lean);
        const bids = quotes.filter(({ side }) => side === 'buy').map(({ priceAtoms }) => priceAtoms);
        const asks = quotes.filter(({ side }) => side === 'sell').map(({ priceAtoms }) => priceAtoms);
        const mark = index * 10 ** market.priceScale;
        expect(bids).toHaveLength(12);
        expect(asks).toHaveLength(12);
        expect(Math.max(...bids)).toBeLessThan(Math.min(...asks));
        expect(Math.min(...bids)).toBeLessThan(mark * 0.92);
        expect(Math.max(...asks)).toBeGreaterThan(mark * 1.08);
        expect(Math.max(...asks)).toBeLessThan(mark * 1.09);
        for (const { priceAtoms, quantityAtoms } of quotes) {
          expect(Number.isSafeInteger(priceAtoms) && Number.isSafeInteger(quantityAtoms)).toBe(true);
          expect(priceAtoms).toBeGreaterThanOrEqual(market.minPriceAtoms);
          expect(quantityAtoms).toBeGreaterThanOrEqual(market.minQuantityAtoms);
          expect(quantityAtoms).toBeLessThanOrEqual(market.maxQuantityAtoms);
        }
      }),
    );
  });

  test('skews against the position and quotes less on the side that would add to it', () => {
    const market = markets[0]!;
    const flat = ladderOf(market, 65_000, 0);
    const long = ladderOf(market, 65_000, 1);
    for (const [index, quote] of long.entries()) {
      const same = flat[index]!;
      expect(quote.priceAtoms).toBeLessThan(same.priceAtoms);
      if (quote.side === 'buy') expect(quote.quantityAtoms).toBeLessThan(same.quantityAtoms * 0.3);
      else expect(quote.quantityAtoms).toBeGreaterThanOrEqual(same.quantityAtoms);
    }
  });
});

/**
 * A book with the maker's orders only, which records whether a side was empty or orders crossed. Refuses the commands for which
 * `isRefused` returns true.
 */
class RestingBook implements QuotingVenue {
  orders: RestingQuote[] = [];
  emptied = false;
  crossed = false;
  commands = 0;
  isRefused = () => false;
  #next = 1;

  async requote(quotes: readonly Quote[]): Promise<void> {
    const hadBoth = this.#isFilled();
    await requote([...this.orders], quotes, {
      place: (quote) => this.place(quote),
      cancel: async (order) => {
        const isCancelled = await this.cancel(order);
        if (hadBoth && !this.#isFilled()) this.emptied = true;
        return isCancelled;
      },
    });
  }

  async place(quote: Quote): Promise<boolean> {
    this.commands += 1;
    if (this.isRefused()) return false;
    this.crossed ||= this.orders.some(({ side, priceAtoms }) =>
      quote.side === 'buy' ? side === 'sell' && priceAtoms <= quote.priceAtoms : side === 'buy' && priceAtoms >= quote.priceAtoms,
    );
    this.orders.push({ ...quote, orderId: String(this.#next++), remainingAtoms: quote.quantityAtoms });
    return true;
  }

  async cancel(order: RestingQuote): Promise<boolean> {
    this.commands += 1;
    if (this.isRefused()) return false;
    this.orders = this.orders.filter(({ orderId }) => orderId !== order.orderId);
    return true;
  }

  #isFilled(): boolean {
    return this.orders.some(({ side }) => side === 'buy') && this.orders.some(({ side }) => side === 'sell');
  }
}

describe('requoting', () => {
  const market = markets[0]!;
  const step = fc.record({
    move: fc.double({ min: -0.2, max: 0.2, noNaN: true }),
    lean: fc.double({ min: -1, max: 1, noNaN: true }),
  });
  const moved = (index: number, move: number) => Math.max(5_000, Math.min(400_000, index * (1 + move)));

  test('follows any path of the index without emptying a side or crossing its own orders', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (steps) => {
        const book = new RestingBook();
        let index = 65_000;
        for (const { move, lean } of steps) {
          index = moved(index, move);
          const quotes = ladderOf(market, index, lean);
          await book.requote(quotes);
          expect(book.emptied).toBe(false);
          expect(book.crossed).toBe(false);
          expect(new Set(book.orders.map(({ slot }) => slot)).size).toBe(24);
          expect(book.orders).toHaveLength(24);
          for (const order of book.orders) {
            const quote = quotes.find(({ slot }) => slot === order.slot)!;
            expect(Math.abs(order.priceAtoms - quote.priceAtoms)).toBeLessThanOrEqual(quote.toleranceAtoms);
          }
        }
      }),
    );
  });

  test('keeps all levels, and crosses no own order, if the venue refuses any of the commands', async () => {
    const refusals = fc.infiniteStream(fc.boolean());
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), refusals, async (steps, stream) => {
        const book = new RestingBook();
        let index = 65_000;
        await book.requote(ladderOf(market, index, 0));
        book.isRefused = () => stream.next().value;
        for (const { move, lean } of steps) {
          index = moved(index, move);
          await book.requote(ladderOf(market, index, lean));
          expect(book.crossed).toBe(false);
          expect(new Set(book.orders.map(({ slot }) => slot)).size).toBe(24);
        }
        book.isRefused = () => false;
        await book.requote(ladderOf(market, index, 0));
        expect(book.crossed).toBe(false);
        expect(book.orders).toHaveLength(24);
      }),
    );
  });

  test('leaves orders within tolerance, and refills filled ones', async () => {
    const book = new RestingBook();
    const quotes = ladderOf(market, 65_000, 0);
    await book.requote(quotes);
    expect(book.commands).toBe(24);
    await book.requote(quotes);
    expect(book.commands).toBe(24);
    book.orders = book.orders.map((order) => (order.slot === 'b0' ? { ...order, remainingAtoms: 10 } : order));
    await book.requote(quotes);
    expect(book.commands).toBe(26);
  });

  test('cancels orders outside the ladder and duplicates of a slot', () => {
    const quotes = ladderOf(market, 65_000, 0);
    const stray: RestingQuote = { orderId: '99', slot: '', side: 'buy', priceAtoms: 1_000, remainingAtoms: 1 };
    const first = quotes[0]!;
    const twice = (orderId: string): RestingQuote => ({ ...first, orderId, remainingAtoms: first.quantityAtoms });
    const cancelled = planRequote([stray, twice('1'), twice('2')], quotes)
      .flat()
      .flatMap(({ staleOrders }) => staleOrders.map(({ orderId }) => orderId));
    expect(cancelled.sort()).toEqual(['2', '99']);
  });
});

describe('a taker', () => {
  test('trades both sides when flat, and only one at its limit', () => {
    const random = randomOf(1, 'taker');
    const sides = Array.from({ length: 1_000 }, () => sideFor(0, random));
    expect(sides.filter((side) => side === 'buy').length).toBeGreaterThan(400);
    expect(sides.filter((side) => side === 'sell').length).toBeGreaterThan(400);
    for (let count = 0; count < 100; count++) {
      expect(sideFor(1.2, random)).toBe('sell');
      expect(sideFor(-1, random)).toBe('buy');
    }
  });

  test('stays within its position limit over a long run', () => {
    const random = randomOf(5, 'walk');
    let position = 0;
    let largest = 0;
    for (let count = 0; count < 200_000; count++) {
      const size = 40 * 200 ** random();
      position += sideFor(position / 150_000, random) === 'buy' ? size : -size;
      largest = Math.max(largest, Math.abs(position));
    }
    expect(largest).toBeLessThan(150_000 + 8_000);
  });
});

describe('the pace', () => {
  test('allows a second of commands at once and then the steady rate', async () => {
    const time = new ManualTime();
    const pace = new Pace(100, time);
    const never = new AbortController().signal;
    await Promise.all(Array.from({ length: 100 }, () => pace.take(never)));
    let taken = 0;
    const more = Promise.all(Array.from({ length: 30 }, () => pace.take(never).then(() => taken++)));
    await time.advance(299);
    expect(taken).toBe(29);
    await time.advance(1);
    await more;
    // Setting the wall clock does not change the rate.
    time.setClockBy(3_600_000);
    await time.advance(0);
    const late = pace.take(never);
    expect(time.timerCount).toBe(1);
    await time.advance(10);
    await late;
  });

  test('stops waiting when it is aborted', async () => {
    const pace = new Pace(1, new ManualTime());
    const stopping = new AbortController();
    await pace.take(stopping.signal);
    const waiting = pace.take(stopping.signal);
    stopping.abort();
    await expect(waiting).rejects.toThrow(/abort/i);
  });
});
