/**
 * Open orders that entered the book later than their number says: they waited for a price before, or an amendment lost their place. Numbers
 * are given at acceptance, so for all other orders the number is the place in time.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';

interface LateArrival {
  readonly order: OrderOrdinal;
  /** The newest order of the venue when this one entered the book. */
  readonly after: OrderOrdinal;
  /** How many orders had entered a book late before. */
  readonly count: number;
}

export class LateArrivals {
  readonly #byOrder = new Map<OrderOrdinal, LateArrival>();
  #count = 0;

  /** Whether no order has entered a book late yet. */
  get isInitial(): boolean {
    return this.#count === 0;
  }

  /** Called before the order enters the book. */
  add(order: OrderOrdinal, after: OrderOrdinal): void {
    this.#count += 1;
    this.#byOrder.set(order, { order, after, count: this.#count });
  }

  remove(order: OrderOrdinal): void {
    if (this.#byOrder.size > 0) this.#byOrder.delete(order);
  }

  /** Negative if `one` entered the book before `other`. */
  compare(one: OrderOrdinal, other: OrderOrdinal): number {
    if (this.#byOrder.size === 0) return one - other;
    const [first, second] = [this.#byOrder.get(one), this.#byOrder.get(other)];
    return (first?.after ?? one) - (second?.after ?? other) || (first?.count ?? 0) - (second?.count ?? 0);
  }

  /** The layout in a snapshot. */
  layout(io: Cursor): void {
    this.#count = io.int(this.#count);
    for (const late of longList(io, [...this.#byOrder.values()], lateLayout)) this.#byOrder.set(late.order, late);
  }
}

function lateLayout(io: Cursor, it: LateArrival): LateArrival {
  return { order: io.int(it.order), after: io.int(it.after), count: io.int(it.count) };
}
