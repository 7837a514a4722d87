/**
 * A market's book as anyone would write it first: a list of orders, sorted anew for whoever comes. It shares nothing with
 * the venue's book but what it is asked, so that one can be held against the other.
 */
import type { Side } from '#venue/command.ts';
import type { BookOrder } from './book-commands.ts';
import type { BookEvent } from './book-events.ts';

export interface NaiveOrder {
  readonly order: number;
  readonly account: number;
  readonly side: Side;
  readonly price: number;
  left: number;
}

export class NaiveBook {
  #resting: NaiveOrder[] = [];
  /** How many resting orders one order may look at. */
  protected readonly maxVisitedMakers: number = 1_000;

  place({ kind, order, account, side, price, quantity }: BookOrder): BookEvent[] {
    const events: BookEvent[] = [];
    let left: number = quantity;
    let visitedMakers = 0;
    for (const met of this.queueOf(side === 'buy' ? 'sell' : 'buy')) {
      if (left === 0 || isBeyond(price, side, met.price) || visitedMakers === this.maxVisitedMakers) break;
      visitedMakers += 1;
      if (this.isSelfTrade(account, met)) {
        events.push(...this.cancel(met.order));
        continue;
      }
      const filled = Math.min(left, met.left);
      events.push({ kind: 'traded', order, maker: met.order, price: met.price, quantity: filled });
      left -= filled;
      met.left -= filled;
      if (met.left === 0) this.#drop(met);
    }
    if (left === 0) return events;
    const isStopped = visitedMakers === this.maxVisitedMakers && this.#crosses(side, price);
    if (kind === 'sweep' || isStopped) return [...events, { kind: 'cancelled', order, maker: 0, price, quantity: left }];
    this.#resting.push({ order, account, side, price, left });
    return [...events, { kind: 'rested', order, maker: 0, price, quantity: left }];
  }

  cancel(order: number): BookEvent[] {
    const found = this.#resting.find((resting) => resting.order === order);
    if (found === undefined) return [];
    this.#drop(found);
    return [{ kind: 'cancelled', order, maker: 0, price: found.price, quantity: found.left }];
  }

  /** The orders of a side in the order in which they fill: the best price first, at a price the oldest first. */
  queueOf(side: Side): NaiveOrder[] {
    const own = this.#resting.filter((resting) => resting.side === side);
    return own.sort((left, right) => priceOrder(left, right) || this.timeOrder(left, right));
  }

  protected timeOrder(left: NaiveOrder, right: NaiveOrder): number {
    return left.order - right.order;
  }

  protected isSelfTrade(account: number, met: NaiveOrder): boolean {
    return met.account === account;
  }

  #crosses(side: Side, price: number): boolean {
    const [best] = this.queueOf(side === 'buy' ? 'sell' : 'buy');
    return best !== undefined && !isBeyond(price, side, best.price);
  }

  #drop(order: NaiveOrder): void {
    this.#resting = this.#resting.filter((resting) => resting !== order);
  }
}

function isBeyond(limit: number, side: Side, price: number): boolean {
  return side === 'buy' ? price > limit : price < limit;
}

function priceOrder(left: NaiveOrder, right: NaiveOrder): number {
  return left.side === 'buy' ? right.price - left.price : left.price - right.price;
}
