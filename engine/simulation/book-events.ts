/**
 * The events of bare books, as numbers in a ring buffer that overwrites the oldest. The events of one command fit into it, so a
 * caller that needs all events reads after every command.
 */

/** `order` is the taker of a trade, or the order that rests or ends. `maker` is the resting order of a trade, and otherwise 0. */
export interface BookEvent {
  readonly kind: 'traded' | 'rested' | 'cancelled';
  readonly order: number;
  readonly maker: number;
  readonly price: number;
  readonly quantity: number;
}

/** Stored in place of the maker for events that are not trades. */
const RESTED = 0;
const CANCELLED = -1;

const NUMBERS_EACH = 4;
const RING_NUMBERS = 2 ** 13;

export class BookEvents {
  readonly #numbers = new Float64Array(RING_NUMBERS);
  #next = 0;
  #read = 0;

  traded(order: number, maker: number, price: number, quantity: number): void {
    this.#put(order, maker, price, quantity);
  }

  rested(order: number, price: number, quantity: number): void {
    this.#put(order, RESTED, price, quantity);
  }

  cancelled(order: number, price: number, quantity: number): void {
    this.#put(order, CANCELLED, price, quantity);
  }

  /** Returns the events since the last call. */
  readNew(): BookEvent[] {
    const events: BookEvent[] = [];
    for (; this.#read !== this.#next; this.#read = after(this.#read)) {
      const [order, mark, price, quantity] = this.#numbers.subarray(this.#read, this.#read + NUMBERS_EACH) as unknown as number[];
      const kind = mark === RESTED ? 'rested' : mark === CANCELLED ? 'cancelled' : 'traded';
      events.push({ kind, order: order!, maker: kind === 'traded' ? mark! : 0, price: price!, quantity: quantity! });
    }
    return events;
  }

  #put(order: number, maker: number, price: number, quantity: number): void {
    const numbers = this.#numbers;
    const at = this.#next;
    numbers[at] = order;
    numbers[at | 1] = maker;
    numbers[at | 2] = price;
    numbers[at | 3] = quantity;
    this.#next = after(at);
  }
}

function after(at: number): number {
  return (at + NUMBERS_EACH) & (RING_NUMBERS - 1);
}
