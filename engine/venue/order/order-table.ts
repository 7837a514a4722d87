/**
 * Every open order of the venue, one column per field: an order is a slot, and slots of ended orders are used again.
 * Ids are looked up by open addressing on their low bits: they are handed out in order, so neighbours never collide.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';

declare const slotBrand: unique symbol;
/** Where an open order lives; 0 is no order. */
export type Slot = number & { readonly [slotBrand]: true };
export const NO_SLOT = 0 as Slot;

export interface RestingOrder {
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly reduceOnly: boolean;
  readonly leverageX: number;
  /** The mark when the order was placed. */
  readonly markPriceAtoms: PriceAtoms;
}

const IS_SELL = 1;
const IS_REDUCE_ONLY = 2;

export class OrderTable {
  #ids: Float64Array;
  #accounts: Int32Array;
  #markets: Int32Array;
  #prices: Int32Array;
  #remaining: Int32Array;
  #leverages: Int32Array;
  #marks: Int32Array;
  #flags: Uint8Array;
  /** Neighbours of the same price, and of the same account and market. Free slots are chained by `after`. */
  after: Int32Array;
  before: Int32Array;
  ownAfter: Int32Array;
  ownBefore: Int32Array;
  #index: Int32Array;
  #firstFree = 0;
  #used = 1;
  #count = 0;

  constructor(capacity = 1024) {
    this.#ids = new Float64Array(capacity);
    this.#accounts = new Int32Array(capacity);
    this.#markets = new Int32Array(capacity);
    this.#prices = new Int32Array(capacity);
    this.#remaining = new Int32Array(capacity);
    this.#leverages = new Int32Array(capacity);
    this.#marks = new Int32Array(capacity);
    this.#flags = new Uint8Array(capacity);
    this.after = new Int32Array(capacity);
    this.before = new Int32Array(capacity);
    this.ownAfter = new Int32Array(capacity);
    this.ownBefore = new Int32Array(capacity);
    this.#index = new Int32Array(capacity * 2);
  }

  /** How many orders are open. */
  get count(): number {
    return this.#count;
  }

  add(
    order: OrderOrdinal,
    account: AccountOrdinal,
    market: MarketOrdinal,
    side: Side,
    price: PriceAtoms,
    remaining: BaseAtoms,
    reduceOnly: boolean,
    leverageX: number,
    mark: PriceAtoms,
  ): Slot {
    const slot = this.#takeSlot() as Slot;
    this.#ids[slot] = order;
    this.#accounts[slot] = account;
    this.#markets[slot] = market;
    this.#prices[slot] = price;
    this.#remaining[slot] = remaining;
    this.#leverages[slot] = leverageX;
    this.#marks[slot] = mark;
    this.#flags[slot] = (side === 'sell' ? IS_SELL : 0) | (reduceOnly ? IS_REDUCE_ONLY : 0);
    this.#insertIntoIndex(slot);
    this.#count += 1;
    return slot;
  }

  remove(slot: Slot): void {
    this.#removeFromIndex(slot);
    this.after[slot] = this.#firstFree;
    this.#firstFree = slot;
    this.#count -= 1;
  }

  /** The slot of an open order, or `NO_SLOT`. */
  slotOf(order: OrderOrdinal): Slot {
    const mask = this.#index.length - 1;
    for (let place = order & mask; ; place = (place + 1) & mask) {
      const slot = this.#index[place]!;
      if (slot === 0 || this.#ids[slot] === order) return slot as Slot;
    }
  }

  /** All open orders from the oldest to the newest: ordinals are handed out in order of arrival. */
  slotsByAge(): Slot[] {
    const open = Array.from(this.#index.filter((slot) => slot !== 0)) as Slot[];
    return open.sort((left, right) => this.#ids[left]! - this.#ids[right]!);
  }

  orderOf(slot: Slot): OrderOrdinal {
    return this.#ids[slot]! as OrderOrdinal;
  }

  accountOf(slot: Slot): AccountOrdinal {
    return this.#accounts[slot]! as AccountOrdinal;
  }

  marketOf(slot: Slot): MarketOrdinal {
    return this.#markets[slot]! as MarketOrdinal;
  }

  priceOf(slot: Slot): PriceAtoms {
    return this.#prices[slot]! as PriceAtoms;
  }

  remainingOf(slot: Slot): BaseAtoms {
    return this.#remaining[slot]! as BaseAtoms;
  }

  setRemaining(slot: Slot, remaining: BaseAtoms): void {
    this.#remaining[slot] = remaining;
  }

  leverageOf(slot: Slot): number {
    return this.#leverages[slot]!;
  }

  /** The mark when the order was placed. */
  markOf(slot: Slot): PriceAtoms {
    return this.#marks[slot]! as PriceAtoms;
  }

  sideOf(slot: Slot): Side {
    return (this.#flags[slot]! & IS_SELL) === 0 ? 'buy' : 'sell';
  }

  isReduceOnly(slot: Slot): boolean {
    return (this.#flags[slot]! & IS_REDUCE_ONLY) !== 0;
  }

  #takeSlot(): number {
    const free = this.#firstFree;
    if (free !== 0) {
      this.#firstFree = this.after[free]!;
      return free;
    }
    if (this.#used === this.#ids.length) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  #insertIntoIndex(slot: number): void {
    const mask = this.#index.length - 1;
    let place = this.#ids[slot]! & mask;
    while (this.#index[place] !== 0) place = (place + 1) & mask;
    this.#index[place] = slot;
  }

  /** Empties the slot's place and moves later entries of the same run back, so that no search ends early. */
  #removeFromIndex(slot: number): void {
    const mask = this.#index.length - 1;
    let hole = this.#ids[slot]! & mask;
    while (this.#index[hole] !== slot) hole = (hole + 1) & mask;
    for (let place = (hole + 1) & mask; this.#index[place] !== 0; place = (place + 1) & mask) {
      const home = this.#ids[this.#index[place]!]! & mask;
      if (((place - home) & mask) < ((place - hole) & mask)) continue;
      this.#index[hole] = this.#index[place]!;
      hole = place;
    }
    this.#index[hole] = 0;
  }

  #grow(): void {
    const capacity = this.#ids.length * 2;
    this.#ids = widened(this.#ids, new Float64Array(capacity));
    this.#accounts = widened(this.#accounts, new Int32Array(capacity));
    this.#markets = widened(this.#markets, new Int32Array(capacity));
    this.#prices = widened(this.#prices, new Int32Array(capacity));
    this.#remaining = widened(this.#remaining, new Int32Array(capacity));
    this.#leverages = widened(this.#leverages, new Int32Array(capacity));
    this.#marks = widened(this.#marks, new Int32Array(capacity));
    this.#flags = widened(this.#flags, new Uint8Array(capacity));
    this.after = widened(this.after, new Int32Array(capacity));
    this.before = widened(this.before, new Int32Array(capacity));
    this.ownAfter = widened(this.ownAfter, new Int32Array(capacity));
    this.ownBefore = widened(this.ownBefore, new Int32Array(capacity));
    const open = this.#index.filter((slot) => slot !== 0);
    this.#index = new Int32Array(capacity * 2);
    for (const slot of open) this.#insertIntoIndex(slot);
  }
}

function widened<Column extends Float64Array | Int32Array | Uint8Array>(from: Column, to: Column): Column {
  to.set(from);
  return to;
}
