/**
 * A binary heap of one side's positions by trigger price: longs highest first, shorts lowest first, equal prices by age of
 * the episode. The order is total, so the top depends on the content only, not on the history.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';

/** The fields of an item that the heap reads, and `triggerIndex`, which it writes. */
export interface TriggerItem {
  readonly liquidationPriceAtoms: PriceAtoms;
  readonly ordinal: PositionOrdinal;
  /** The index in the heap, or -1. An item is in at most one heap. */
  triggerIndex: number;
}

/** After a change of an item's price or ordinal, the caller must call `update` at once. */
export class TriggerHeap<Item extends TriggerItem = TriggerItem> {
  readonly #items: Item[] = [];
  /** The items' signed prices, lowest first, in a parallel array: most comparisons read nothing else. */
  #keys = new Int32Array(64);
  readonly #sign: 1 | -1;

  constructor(side: 'long' | 'short') {
    this.#sign = side === 'long' ? -1 : 1;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item, or `undefined` if the heap is empty. */
  get top(): Item | undefined {
    return this.#items[0];
  }

  /** Whether a price is at or beyond the first item's. Every order asks, so it reads no item. */
  isReachedAt(price: PriceAtoms): boolean {
    return this.#items.length > 0 && price * this.#sign >= this.#keys[0]!;
  }

  /** For checkers: whether the item is in this heap at its `triggerIndex`. */
  has(item: Item): boolean {
    return this.#items[item.triggerIndex] === item;
  }

  /** For checkers: whether all indexes and keys match their items and the heap order holds. */
  get isInOrder(): boolean {
    return this.#items.every((item, index) => {
      const key = item.liquidationPriceAtoms * this.#sign;
      const isConsistent = item.triggerIndex === index && this.#keys[index] === key;
      return isConsistent && (index === 0 || !this.#isBefore(item, key, (index - 1) >> 1));
    });
  }

  /** Adds an item, which must not be in a heap. */
  add(item: Item): void {
    const index = this.#items.length;
    if (index === this.#keys.length) this.#grow();
    this.#items.push(item);
    this.#raise(item, item.liquidationPriceAtoms * this.#sign, index);
  }

  /** Restores the heap order after a change of an item's price or ordinal. */
  update(item: Item): void {
    this.#place(item, item.liquidationPriceAtoms * this.#sign, item.triggerIndex);
  }

  /** Removes an item, which must be in this heap. */
  remove(item: Item): void {
    const index = item.triggerIndex;
    const last = this.#items.pop()!;
    item.triggerIndex = -1;
    if (last !== item) this.#place(last, this.#keys[this.#items.length]!, index);
  }

  #place(item: Item, key: number, index: number): void {
    const parent = (index - 1) >> 1;
    if (index > 0 && this.#isBefore(item, key, parent)) this.#raise(item, key, index);
    else this.#lower(item, key, index);
  }

  /** Moves parents down until the item's place is found. */
  #raise(item: Item, key: number, from: number): void {
    let index = from;
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!this.#isBefore(item, key, parent)) break;
      this.#set(index, this.#items[parent]!, this.#keys[parent]!);
      index = parent;
    }
    this.#set(index, item, key);
  }

  /** Moves children up until the item's place is found. */
  #lower(item: Item, key: number, from: number): void {
    const count = this.#items.length;
    let index = from;
    for (;;) {
      let child = index * 2 + 1;
      if (child >= count) break;
      if (child + 1 < count && this.#isBefore(this.#items[child + 1]!, this.#keys[child + 1]!, child)) child += 1;
      if (this.#isBefore(item, key, child)) break;
      this.#set(index, this.#items[child]!, this.#keys[child]!);
      index = child;
    }
    this.#set(index, item, key);
  }

  #isBefore(item: Item, key: number, index: number): boolean {
    const other = this.#keys[index]!;
    return key === other ? item.ordinal < this.#items[index]!.ordinal : key < other;
  }

  #set(index: number, item: Item, key: number): void {
    this.#items[index] = item;
    this.#keys[index] = key;
    item.triggerIndex = index;
  }

  #grow(): void {
    const keys = new Int32Array(this.#keys.length * 2);
    keys.set(this.#keys);
    this.#keys = keys;
  }
}
