/**
 * Every open order of the venue. An order is a slot: 16 words of one array, so that whoever meets it finds all of it in
 * one place of memory. Slots of ended orders are used again.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';

declare const slotBrand: unique symbol;
/** Where an open order lives; 0 is no order. */
export type Slot = number & { readonly [slotBrand]: true };
export const NO_SLOT = 0 as Slot;

export class RestingOrder {
  order = 0 as OrderOrdinal;
  account = 0 as AccountOrdinal;
  market = 0 as MarketOrdinal;
  side: Side = 'buy';
  priceAtoms = 0 as PriceAtoms;
  remainingAtoms = 0 as BaseAtoms;
  reduceOnly = false;
  leverageX = 0;
  /** The mark when the order was placed. */
  markPriceAtoms = 0 as PriceAtoms;
  /** The share of its notional that it reserves where no leverage was asked for. */
  initialMarginBps = 0 as Bps;
}

/** The words of a slot. The order's number takes the first two: it may outgrow 32 bits. */
const SLOT_BITS = 4;
const ACCOUNT = 2;
const PRICE = 3;
const REMAINING = 4;
const FLAGS = 5;
/** Neighbours in the queue of a price. Free slots are chained by `AFTER`. */
const AFTER = 6;
const BEFORE = 7;
/** The next order whose number has the same low bits. */
const NEXT_ALIKE = 8;
const MARKET = 9;
const LEVERAGE = 10;
const MARK = 11;
const INITIAL_BPS = 12;
/** The last two words are a wide number: what the order holds of its account's cash. */
const RESERVED_WIDE = 7;

const IS_SELL = 1;
const IS_REDUCE_ONLY = 2;

/** Where a table starts. */
const FEW_ORDERS = 1 << 10;
/**
 * What it grows to first: 72 MB that cost nothing until they are used, so that no turn waits while many orders are copied. The
 * time that takes is mostly that of memory which nobody has touched before: 70 ms for a quarter of a million.
 */
const MANY_ORDERS = 1 << 20;

export class OrderTable {
  #words: Int32Array;
  /** The same memory, where orders' numbers are. */
  #numbers: Float64Array;
  /** Neighbours of the same account and market. */
  ownAfter: Int32Array;
  ownBefore: Int32Array;
  /**
   * The low bits of an order's number → the newest open order that has them. Numbers are handed out one by one, so the
   * chains are short and what was placed together is looked up together.
   */
  #newest: Int32Array;
  #capacity: number;
  #firstFree = 0;
  #used = 1;
  #count = 0;

  /** `capacity`, a power of two, is where it starts. */
  constructor(capacity = FEW_ORDERS) {
    this.#words = new Int32Array(capacity << SLOT_BITS);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.ownAfter = new Int32Array(capacity);
    this.ownBefore = new Int32Array(capacity);
    this.#newest = new Int32Array(capacity);
    this.#capacity = capacity;
  }

  /** How many orders are open. */
  get count(): number {
    return this.#count;
  }

  /** `reserved` is what it holds of its account's cash. */
  add(it: RestingOrder, reserved: QuoteAtoms): Slot {
    if (this.#count === this.#newest.length) this.#widenLookUp();
    const slot = this.#takeSlot();
    const at = slot << SLOT_BITS;
    const words = this.#words;
    const alike = it.order & (this.#newest.length - 1);
    this.#numbers[at >> 1] = it.order;
    this.#numbers[(at >> 1) | RESERVED_WIDE] = reserved;
    words[at | ACCOUNT] = it.account;
    words[at | PRICE] = it.priceAtoms;
    words[at | REMAINING] = it.remainingAtoms;
    words[at | FLAGS] = (it.side === 'sell' ? IS_SELL : 0) | (it.reduceOnly ? IS_REDUCE_ONLY : 0);
    words[at | NEXT_ALIKE] = this.#newest[alike]!;
    words[at | MARKET] = it.market;
    words[at | LEVERAGE] = it.leverageX;
    words[at | MARK] = it.markPriceAtoms;
    words[at | INITIAL_BPS] = it.initialMarginBps;
    this.#newest[alike] = slot;
    this.#count += 1;
    return slot as Slot;
  }

  remove(slot: Slot): void {
    const at = slot << SLOT_BITS;
    const words = this.#words;
    const alike = this.#numbers[at >> 1]! & (this.#newest.length - 1);
    const newest = this.#newest[alike]!;
    if (newest === slot) this.#newest[alike] = words[at | NEXT_ALIKE]!;
    else this.#unchain(newest, slot);
    words[at | AFTER] = this.#firstFree;
    this.#firstFree = slot;
    this.#count -= 1;
  }

  /** The slot of an open order, or `NO_SLOT`. */
  slotOf(order: OrderOrdinal): Slot {
    let slot = this.#newest[order & (this.#newest.length - 1)]!;
    while (slot !== 0 && this.#numbers[slot << (SLOT_BITS - 1)] !== order) {
      slot = this.#words[(slot << SLOT_BITS) | NEXT_ALIKE]!;
    }
    return slot as Slot;
  }

  /** All open orders from the oldest to the newest: ordinals are handed out in order of arrival. */
  slotsByAge(): Slot[] {
    const open: Slot[] = [];
    for (const newest of this.#newest) {
      for (let slot = newest; slot !== 0; slot = this.#words[(slot << SLOT_BITS) | NEXT_ALIKE]!) open.push(slot as Slot);
    }
    return open.sort((left, right) => this.orderOf(left) - this.orderOf(right));
  }

  orderOf(slot: Slot): OrderOrdinal {
    return this.#numbers[slot << (SLOT_BITS - 1)]! as OrderOrdinal;
  }

  accountOf(slot: Slot): AccountOrdinal {
    return this.#words[(slot << SLOT_BITS) | ACCOUNT]! as AccountOrdinal;
  }

  marketOf(slot: Slot): MarketOrdinal {
    return this.#words[(slot << SLOT_BITS) | MARKET]! as MarketOrdinal;
  }

  priceOf(slot: Slot): PriceAtoms {
    return this.#words[(slot << SLOT_BITS) | PRICE]! as PriceAtoms;
  }

  remainingOf(slot: Slot): BaseAtoms {
    return this.#words[(slot << SLOT_BITS) | REMAINING]! as BaseAtoms;
  }

  setRemaining(slot: Slot, remaining: BaseAtoms): void {
    this.#words[(slot << SLOT_BITS) | REMAINING] = remaining;
  }

  /** What it holds of its account's cash: the reservation for what remains of it. */
  reservedOf(slot: Slot): QuoteAtoms {
    return this.#numbers[(slot << (SLOT_BITS - 1)) | RESERVED_WIDE]! as QuoteAtoms;
  }

  setReserved(slot: Slot, reserved: QuoteAtoms): void {
    this.#numbers[(slot << (SLOT_BITS - 1)) | RESERVED_WIDE] = reserved;
  }

  leverageOf(slot: Slot): number {
    return this.#words[(slot << SLOT_BITS) | LEVERAGE]!;
  }

  /** The share of its notional that it reserves where no leverage was asked for. */
  initialMarginBpsOf(slot: Slot): Bps {
    return this.#words[(slot << SLOT_BITS) | INITIAL_BPS]! as Bps;
  }

  /** The mark when the order was placed. */
  markOf(slot: Slot): PriceAtoms {
    return this.#words[(slot << SLOT_BITS) | MARK]! as PriceAtoms;
  }

  sideOf(slot: Slot): Side {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_SELL) === 0 ? 'buy' : 'sell';
  }

  isReduceOnly(slot: Slot): boolean {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_REDUCE_ONLY) !== 0;
  }

  /** The order behind this one in the queue of its price, or `NO_SLOT`. */
  behind(slot: Slot): Slot {
    return this.#words[(slot << SLOT_BITS) | AFTER]! as Slot;
  }

  /** The order before this one in the queue of its price, or `NO_SLOT`. */
  ahead(slot: Slot): Slot {
    return this.#words[(slot << SLOT_BITS) | BEFORE]! as Slot;
  }

  /** Queues an order behind the last one, which may be `NO_SLOT`. */
  queueBehind(last: Slot, slot: Slot): void {
    const words = this.#words;
    words[(slot << SLOT_BITS) | BEFORE] = last;
    words[(slot << SLOT_BITS) | AFTER] = NO_SLOT;
    if (last !== NO_SLOT) words[(last << SLOT_BITS) | AFTER] = slot;
  }

  /** Joins what is before an order in its queue with what is behind it. */
  unqueue(slot: Slot): void {
    const words = this.#words;
    const after = words[(slot << SLOT_BITS) | AFTER]!;
    const before = words[(slot << SLOT_BITS) | BEFORE]!;
    if (before !== NO_SLOT) words[(before << SLOT_BITS) | AFTER] = after;
    if (after !== NO_SLOT) words[(after << SLOT_BITS) | BEFORE] = before;
  }

  #takeSlot(): number {
    const free = this.#firstFree;
    if (free !== 0) {
      this.#firstFree = this.#words[(free << SLOT_BITS) | AFTER]!;
      return free;
    }
    if (this.#used === this.#capacity) this.#grow();
    this.#used += 1;
    return this.#used - 1;
  }

  /** Takes a slot out of the chain of its low bits, where it is not the newest. */
  #unchain(newest: number, slot: number): void {
    const words = this.#words;
    let newer = newest;
    while (words[(newer << SLOT_BITS) | NEXT_ALIKE] !== slot) newer = words[(newer << SLOT_BITS) | NEXT_ALIKE]!;
    words[(newer << SLOT_BITS) | NEXT_ALIKE] = words[(slot << SLOT_BITS) | NEXT_ALIKE]!;
  }

  #grow(): void {
    this.#capacity = this.#capacity === FEW_ORDERS ? MANY_ORDERS : this.#capacity * 2;
    this.#words = widened(this.#words, this.#capacity << SLOT_BITS);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.ownAfter = widened(this.ownAfter, this.#capacity);
    this.ownBefore = widened(this.ownBefore, this.#capacity);
  }

  /** One more bit of orders' numbers is looked at from now on. */
  #widenLookUp(): void {
    const bit = this.#newest.length;
    this.#newest = widened(this.#newest, bit * 2);
    for (let alike = 0; alike < bit; alike += 1) this.#part(alike, bit);
  }

  /** Parts a chain by a bit. Those that stay together keep their order. */
  #part(alike: number, bit: number): void {
    const words = this.#words;
    const newest = this.#newest;
    let slot = newest[alike]!;
    let lastBelow = NO_SLOT as number;
    let lastAbove = NO_SLOT as number;
    newest[alike] = NO_SLOT;
    while (slot !== NO_SLOT) {
      const at = slot << SLOT_BITS;
      if ((this.#numbers[at >> 1]! & bit) === 0) {
        if (lastBelow === NO_SLOT) newest[alike] = slot;
        else words[(lastBelow << SLOT_BITS) | NEXT_ALIKE] = slot;
        lastBelow = slot;
      } else {
        if (lastAbove === NO_SLOT) newest[alike | bit] = slot;
        else words[(lastAbove << SLOT_BITS) | NEXT_ALIKE] = slot;
        lastAbove = slot;
      }
      slot = words[at | NEXT_ALIKE]!;
      words[at | NEXT_ALIKE] = NO_SLOT;
    }
  }
}

function widened(from: Int32Array, length: number): Int32Array {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}
