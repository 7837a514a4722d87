/**
 * Deadlines by key, earliest first and equal times by key. The order is total, so what is due first depends on the content only, not on
 * the history.
 */
import type { EpochMs } from '#units/money.ts';
import { IndexedHeap } from './indexed-heap.ts';

export class Deadlines<Key extends number = number> {
  readonly #times = new Map<Key, EpochMs>();
  readonly #heap = new IndexedHeap<Key>((one, other) => this.#isBefore(one, other));

  get size(): number {
    return this.#heap.size;
  }

  /** The key with the earliest deadline, or `undefined` if there is none. */
  get first(): Key | undefined {
    return this.#heap.first;
  }

  /** The earliest deadline, or `undefined`. */
  get firstTime(): EpochMs | undefined {
    const { first } = this.#heap;
    return first === undefined ? undefined : this.#times.get(first);
  }

  /** The deadline of a key, or `undefined`. */
  timeOf(key: Key): EpochMs | undefined {
    return this.#times.get(key);
  }

  /** The first key if its deadline has passed. */
  dueAt(now: EpochMs): Key | undefined {
    return (this.firstTime ?? Number.POSITIVE_INFINITY) <= now ? this.#heap.first : undefined;
  }

  /** All keys, ascending. */
  keys(): readonly Key[] {
    return [...this.#times.keys()].sort((one, other) => one - other);
  }

  /** For checkers. */
  get isInOrder(): boolean {
    return this.#times.size === this.#heap.size && this.#heap.isInOrder;
  }

  /** Adds a key, or changes its deadline. */
  set(key: Key, time: EpochMs): void {
    this.#times.set(key, time);
    this.#heap.put(key);
  }

  delete(key: Key): void {
    this.#heap.delete(key);
    this.#times.delete(key);
  }

  #isBefore(one: Key, other: Key): boolean {
    const earlier = this.#times.get(one)! - this.#times.get(other)!;
    return earlier === 0 ? one < other : earlier < 0;
  }
}
