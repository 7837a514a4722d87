/**
 * Deadlines by key: a binary heap, earliest first and equal times by key, with the place of each key. The order is total, so what is
 * due first depends on the content only, not on the history.
 */
import type { EpochMs } from '#units/money.ts';

export class Deadlines<Key extends number = number> {
  readonly #keys: Key[] = [];
  readonly #times = new Map<Key, EpochMs>();
  readonly #places = new Map<Key, number>();

  get size(): number {
    return this.#keys.length;
  }

  /** The key with the earliest deadline, or `undefined` if there is none. */
  get first(): Key | undefined {
    return this.#keys[0];
  }

  /** The earliest deadline, or `undefined`. */
  get firstTime(): EpochMs | undefined {
    return this.#keys.length === 0 ? undefined : this.#times.get(this.#keys[0]!);
  }

  /** The deadline of a key, or `undefined`. */
  timeOf(key: Key): EpochMs | undefined {
    return this.#times.get(key);
  }

  /** The first key if its deadline has passed. */
  dueAt(now: EpochMs): Key | undefined {
    return (this.firstTime ?? Number.POSITIVE_INFINITY) <= now ? this.#keys[0] : undefined;
  }

  /** All keys, in no order. */
  keys(): readonly Key[] {
    return this.#keys;
  }

  /** For checkers: whether all places match and the heap order holds. */
  get isInOrder(): boolean {
    return this.#keys.every((key, place) => {
      const isPlaced = this.#places.get(key) === place && this.#times.has(key);
      return isPlaced && (place === 0 || !this.#isBefore(key, this.#keys[(place - 1) >> 1]!));
    });
  }

  /** Adds a key, or changes its deadline. */
  set(key: Key, time: EpochMs): void {
    this.delete(key);
    this.#times.set(key, time);
    this.#raise(key, this.#keys.push(key) - 1);
  }

  delete(key: Key): void {
    const place = this.#places.get(key);
    if (place === undefined) return;
    this.#times.delete(key);
    this.#places.delete(key);
    const last = this.#keys.pop()!;
    if (last === key) return;
    this.#raise(last, place);
    this.#lower(last, this.#places.get(last)!);
  }

  #raise(key: Key, from: number): void {
    let place = from;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = this.#keys[above]!;
      if (!this.#isBefore(key, parent)) break;
      this.#put(parent, place);
      place = above;
    }
    this.#put(key, place);
  }

  #lower(key: Key, from: number): void {
    let place = from;
    for (let below = place * 2 + 1; below < this.#keys.length; below = place * 2 + 1) {
      const right = this.#keys[below + 1];
      const child = right !== undefined && this.#isBefore(right, this.#keys[below]!) ? below + 1 : below;
      if (!this.#isBefore(this.#keys[child]!, key)) break;
      this.#put(this.#keys[child]!, place);
      place = child;
    }
    this.#put(key, place);
  }

  #put(key: Key, place: number): void {
    this.#keys[place] = key;
    this.#places.set(key, place);
  }

  #isBefore(one: Key, other: Key): boolean {
    const earlier = this.#times.get(one)! - this.#times.get(other)!;
    return earlier === 0 ? one < other : earlier < 0;
  }
}
