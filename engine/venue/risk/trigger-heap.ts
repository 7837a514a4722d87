/**
 * The positions of one side of a market by the price that triggers their liquidation, the nearest first: of longs the
 * highest, of shorts the lowest, of equals the oldest episode. The order follows from the content, not from its history.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';

/** What the heap reads of its items, and the one field that it keeps. */
export interface TriggerItem {
  readonly liquidationPriceAtoms: PriceAtoms;
  readonly ordinal: PositionOrdinal;
  /** Where the item stands; -1 while it does not. An item is in one heap at most. */
  triggerIndex: number;
}

/** A binary heap. Whoever changes the price or the ordinal of an item says so at once, by `update`. */
export class TriggerHeap<Item extends TriggerItem = TriggerItem> {
  readonly #items: Item[] = [];
  /** The items' prices beside them, with the sign that puts the nearest first: most comparisons read nothing else. */
  #keys = new Int32Array(64);
  readonly #sign: 1 | -1;

  constructor(side: 'long' | 'short') {
    this.#sign = side === 'long' ? -1 : 1;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The item whose price is the nearest, or `undefined`. */
  get top(): Item | undefined {
    return this.#items[0];
  }

  /** For checkers: whether an item is in it, where it says. */
  has(item: Item): boolean {
    return this.#items[item.triggerIndex] === item;
  }

  /** For checkers: whether every item knows its place, stands there at the price that it has, and behind those that are nearer. */
  get isInOrder(): boolean {
    return this.#items.every((item, index) => {
      const key = item.liquidationPriceAtoms * this.#sign;
      const isItself = item.triggerIndex === index && this.#keys[index] === key;
      return isItself && (index === 0 || !this.#isBefore(item, key, (index - 1) >> 1));
    });
  }

  /** Puts an item in. It must be in no heap. */
  add(item: Item): void {
    const index = this.#items.length;
    if (index === this.#keys.length) this.#grow();
    this.#items.push(item);
    this.#raise(item, item.liquidationPriceAtoms * this.#sign, index);
  }

  /** Puts an item whose price or ordinal has changed where it belongs now. */
  update(item: Item): void {
    this.#place(item, item.liquidationPriceAtoms * this.#sign, item.triggerIndex);
  }

  /** Takes an item out, wherever it stands. */
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

  /** Moves those above down until the item fits. */
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

  /** Moves those below up until the item fits. */
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
