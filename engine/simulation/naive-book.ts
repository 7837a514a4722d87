/**
 * A market's book as a plain list of orders, sorted again for every incoming order. It shares no code with the venue's book, so
 * that the two can be compared.
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
  /** Limit of the resting orders that one order visits. */
  protected readonly maxVisitedMakers: number = 1_000;

  place({ kind, order, account, side, price, quantity }: BookOrder): BookEvent[] {
    const events: BookEvent[] = [];
    let left: number = quantity;
    let visitedMakers = 0;
    for (const maker of this.queueOf(side === 'buy' ? 'sell' : 'buy')) {
      if (left === 0 || isBeyond(price, side, maker.price) || visitedMakers === this.maxVisitedMakers) break;
      visitedMakers += 1;
      if (this.isSelfTrade(account, maker)) {
        events.push(...this.cancel(maker.order));
        continue;
      }
      const filled = Math.min(left, maker.left);
      events.push({ kind: 'traded', order, maker: maker.order, price: maker.price, quantity: filled });
      left -= filled;
      maker.left -= filled;
      if (maker.left === 0) this.#drop(maker);
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

  protected isSelfTrade(account: number, maker: NaiveOrder): boolean {
    return maker.account === account;
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
