/**
 * Runs the same seeded commands through the venue's books and naive ones. Compares the events of both after every command, and
 * all resting orders periodically. Throws at the first difference.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { NO_SLOT } from '#venue/order/order-table.ts';
import { BareBooks } from './bare-books.ts';
import type { BookOrder } from './book-commands.ts';
import { BookCommands } from './book-commands.ts';
import type { BookEvent } from './book-events.ts';
import { NaiveBook, type NaiveOrder } from './naive-book.ts';
import { type Random, seededRandom } from './seeded-random.ts';

const MARKETS = 3;
const ACCOUNTS = 8;
const MIDDLE = 10_000 as PriceAtoms;
const HIGHEST = 9_000_000 as PriceAtoms;
const SIDES: readonly Side[] = ['buy', 'sell'];
/** At the start of every `CROWD_EVERY` commands, `CROWD` consecutive small orders rest in the book. */
const CROWD_EVERY = 50_000;
const CROWD = 2_500;
/** The run cancels orders while more than this many rest, to keep the naive book fast. */
const MAX_RESTING = 300;
const COMPARE_EVERY = 1_000;

export class BooksDiffer extends Error {
  override readonly name = 'BooksDiffer';
}

/** The counts of a run's events, which show what the run covered. */
export interface BookRunCounts {
  traded: number;
  rested: number;
  cancelled: number;
  /** The maximum number of events of one command. */
  maxEvents: number;
}

/** Throws {@link BooksDiffer}. `makeNaive` is for planting a fault. */
export function compareBooks(seed: number, operations: number, makeNaive = () => new NaiveBook()): BookRunCounts {
  return new BookRun(seed, makeNaive).run(operations);
}

class BookRun {
  readonly #seed: number;
  readonly #random: Random;
  readonly #venue = new BareBooks(MARKETS, ACCOUNTS);
  readonly #naive: readonly NaiveBook[];
  readonly #commands = new BookCommands();
  readonly #counts: BookRunCounts = { traded: 0, rested: 0, cancelled: 0, maxEvents: 0 };
  /** The market of every order that was placed; orders are numbered by their place. */
  readonly #marketOf: MarketOrdinal[] = [0 as MarketOrdinal];

  constructor(seed: number, makeNaive: () => NaiveBook) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
    this.#naive = Array.from({ length: MARKETS + 1 }, makeNaive);
  }

  run(operations: number): BookRunCounts {
    for (let operation = 1; operation <= operations; operation += 1) {
      const inCrowd = operation % CROWD_EVERY;
      if (inCrowd === CROWD) this.#place(operation, this.#sweepOfAll());
      else if (inCrowd < CROWD) this.#place(operation, this.#passiveOrder());
      else if (this.#random() < 0.35) this.#cancel(operation, this.#anyPlaced());
      else if (this.#venue.state.orders.count > MAX_RESTING) this.#cancel(operation, this.#anyResting());
      else this.#place(operation, this.#anyOrder());
      if (operation % COMPARE_EVERY === 0) this.#compareWhole(operation);
    }
    this.#compareWhole(operations);
    return this.#counts;
  }

  #place(operation: number, order: BookOrder): void {
    this.#marketOf.push(order.market);
    this.#commands.addOrder(order);
    this.#compare(operation, order, this.#naive[order.market]!.place(order));
  }

  #cancel(operation: number, order: number): void {
    const market = this.#marketOf[order]!;
    this.#commands.addCancel(order as OrderOrdinal, market);
    this.#compare(operation, { kind: 'cancel', order }, this.#naive[market]!.cancel(order));
  }

  /** Usually a recent order, which may have ended. */
  #anyPlaced(): number {
    const placed = this.#marketOf.length - 1;
    return placed - this.#below(this.#random() < 0.9 ? Math.min(placed, 200) : placed);
  }

  #anyResting(): number {
    const slots = this.#venue.state.orders.slotsByAge();
    return this.#venue.state.orders.orderOf(slots[this.#below(slots.length)]!);
  }

  #compare(operation: number, command: object, expected: readonly BookEvent[]): void {
    this.#venue.run(this.#commands, this.#commands.count - 1, this.#commands.count);
    this.#commands.dropLast();
    const emitted = this.#venue.events.readNew();
    if (!isSame(emitted, expected)) this.#fail(operation, `after ${JSON.stringify(command)}`, emitted, expected);
    for (const { kind } of emitted) this.#counts[kind] += 1;
    this.#counts.maxEvents = Math.max(this.#counts.maxEvents, emitted.length);
  }

  #compareWhole(operation: number): void {
    for (let market = 1; market <= MARKETS; market += 1) {
      for (const side of SIDES) {
        const found = this.#restingIn(market as MarketOrdinal, side);
        const expected = this.#naive[market]!.queueOf(side);
        if (!isSame(found, expected)) this.#fail(operation, `the ${side} orders of market ${market}`, found, expected);
      }
    }
  }

  /** Every order of a side, in the order in which matching visits them. */
  #restingIn(market: MarketOrdinal, side: Side): NaiveOrder[] {
    const { orders } = this.#venue.state;
    const { book } = this.#venue.state.market(market)!;
    const against = side === 'buy' ? 'sell' : 'buy';
    const found: NaiveOrder[] = [];
    for (let price = book.bestAgainst(against); price !== NO_PRICE; price = book.nextAgainst(against, price)) {
      for (let slot = book.firstAt(price); slot !== NO_SLOT; slot = orders.behind(slot)) {
        const { order, account, left } = {
          order: orders.orderOf(slot),
          account: orders.accountOf(slot),
          left: orders.remainingOf(slot),
        };
        found.push({ order, account, side: orders.sideOf(slot), price, left });
      }
    }
    return found;
  }

  #fail(operation: number, where: string, found: readonly object[], expected: readonly object[]): never {
    const repeat = `OPENPERP_BOOK_SEED=${this.#seed} OPENPERP_BOOK_OPERATIONS=${operation} npx vitest run engine/simulation/naive-book.test.ts`;
    const at = found.findIndex((one, index) => !isSame([one], expected.slice(index, index + 1)));
    const place = at < 0 ? found.length : at;
    throw new BooksDiffer(
      `command ${operation} of seed ${this.#seed}, ${where}: entry ${place} is ${JSON.stringify(found[place])} in the venue's ` +
        `book and ${JSON.stringify(expected[place])} in the naive one. To repeat it: ${repeat}`,
    );
  }

  #anyOrder(): BookOrder {
    const side = this.#side();
    if (this.#random() < 0.1) return { ...this.#order(side), kind: 'sweep', price: side === 'buy' ? HIGHEST : (1 as PriceAtoms) };
    const spread = this.#random() < 0.05 ? 5_000 : 30;
    const distance = this.#below(spread) - Math.floor(spread * 0.4);
    const price = (side === 'buy' ? MIDDLE - distance : MIDDLE + distance) as PriceAtoms;
    return { ...this.#order(side), price };
  }

  #passiveOrder(): BookOrder {
    const side = this.#side();
    const distance = 15 + this.#below(10);
    const price = (side === 'buy' ? MIDDLE - distance : MIDDLE + distance) as PriceAtoms;
    return { ...this.#order(side), market: 1 as MarketOrdinal, price, quantity: (1 + this.#below(3)) as BaseAtoms };
  }

  /** A limit order for more than the whole side. It stops at the limit of visited makers. */
  #sweepOfAll(): BookOrder {
    return { ...this.#order('buy'), market: 1 as MarketOrdinal, price: HIGHEST, quantity: 1_000_000 as BaseAtoms };
  }

  #order(side: Side): BookOrder {
    return {
      kind: 'limit',
      order: this.#marketOf.length as OrderOrdinal,
      market: (1 + this.#below(MARKETS)) as MarketOrdinal,
      account: (1 + this.#below(ACCOUNTS)) as AccountOrdinal,
      side,
      price: MIDDLE,
      quantity: (1 + this.#below(40)) as BaseAtoms,
      mark: MIDDLE,
    };
  }

  #side(): Side {
    return this.#random() < 0.5 ? 'buy' : 'sell';
  }

  #below(bound: number): number {
    return Math.floor(this.#random() * bound);
  }
}

/** Entry by entry and field by field. */
function isSame(left: readonly object[], right: readonly object[]): boolean {
  if (left.length !== right.length) return false;
  return left.every((one, index) => {
    const other = right[index]! as Record<string, unknown>;
    return Object.entries(one).every(([field, value]) => other[field] === value);
  });
}
