/**
 * All open orders of the venue. Each order has a slot of 16 words in one array, so that reading all of its fields touches
 * one place in memory. Slots of ended orders are reused.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import { LateArrivals } from './late-arrivals.ts';

declare const slotBrand: unique symbol;
/** The index of an open order in the table. 0 is no order. */
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
  leverageHundredths = 0;
  /** The mark price when the order was placed. */
  markPriceAtoms = 0 as PriceAtoms;
  /** The share of its notional that the order reserves if it sets no leverage. */
  initialMarginBps = 0 as Bps;
  /** What of it has filled, and whether it is post-only. An order of a state of earlier rules does not know either. */
  filledAtoms = 0 as BaseAtoms;
  postOnly = false;
  isAmendable = true;
  /** When it expires; 0 if it does not. */
  expiresAtEpochMs = 0 as EpochMs;
}

/** What a snapshot appends about an order. */
export type OrderLife = Pick<RestingOrder, 'filledAtoms' | 'postOnly' | 'isAmendable' | 'expiresAtEpochMs'>;

/** The words of a slot. The order's number takes the first two, because it may exceed 32 bits. */
const SLOT_BITS = 4;
const ACCOUNT = 2;
const PRICE = 3;
const REMAINING = 4;
const FLAGS = 5;
/** Neighbours in the queue at a price. Free slots are chained by `AFTER`. */
const AFTER = 6;
const BEFORE = 7;
/** The next older order in the same bucket: its number has the same low bits. */
const NEXT_IN_BUCKET = 8;
const MARKET = 9;
const LEVERAGE = 10;
const MARK = 11;
const INITIAL_BPS = 12;
const FILLED = 13;
/** The last two words are a 64-bit float: the order's reservation. */
const RESERVED_WIDE = 7;

const IS_SELL = 1;
const IS_REDUCE_ONLY = 2;
const IS_POST_ONLY = 4;
const MAY_EXPIRE = 8;
const IS_AMENDABLE = 16;

/** The initial capacity. */
const INITIAL_CAPACITY = 1 << 10;
/**
 * The capacity after the first growth: 72 MB, which cost nothing until they are used. It is large so that no turn waits while
 * many orders are copied: 70 ms for a quarter of a million, most of it the first access to fresh memory.
 */
const GROWN_CAPACITY = 1 << 20;

export class OrderTable {
  #words: Int32Array;
  /** The same memory as 64-bit floats, for the numbers and reservations of orders. */
  #numbers: Float64Array;
  /** Neighbours of the same account and market. */
  ownAfter: Int32Array;
  ownBefore: Int32Array;
  /**
   * Bucket (the low bits of an order's number) → its newest open order. Numbers are consecutive, so the chains are short, and
   * orders that were placed together are close in memory.
   */
  #newest: Int32Array;
  readonly late = new LateArrivals();
  #capacity: number;
  #firstFree = 0;
  #used = 1;
  #count = 0;

  /** `capacity` is the initial capacity, a power of two. */
  constructor(capacity = INITIAL_CAPACITY) {
    this.#words = new Int32Array(capacity << SLOT_BITS);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.ownAfter = new Int32Array(capacity);
    this.ownBefore = new Int32Array(capacity);
    this.#newest = new Int32Array(capacity);
    this.#capacity = capacity;
  }

  /** The number of open orders. */
  get count(): number {
    return this.#count;
  }

  /** `reserved` is the order's reservation. */
  add(it: RestingOrder, reserved: QuoteAtoms): Slot {
    if (this.#count === this.#newest.length) this.#doubleBuckets();
    const slot = this.#takeSlot();
    const at = slot << SLOT_BITS;
    const words = this.#words;
    const bucket = it.order & (this.#newest.length - 1);
    this.#numbers[at >> 1] = it.order;
    this.#numbers[(at >> 1) | RESERVED_WIDE] = reserved;
    words[at | ACCOUNT] = it.account;
    words[at | PRICE] = it.priceAtoms;
    words[at | REMAINING] = it.remainingAtoms;
    words[at | FLAGS] = flagsOf(it);
    words[at | NEXT_IN_BUCKET] = this.#newest[bucket]!;
    words[at | MARKET] = it.market;
    words[at | LEVERAGE] = it.leverageHundredths;
    words[at | MARK] = it.markPriceAtoms;
    words[at | INITIAL_BPS] = it.initialMarginBps;
    words[at | FILLED] = it.filledAtoms;
    this.#newest[bucket] = slot;
    this.#count += 1;
    return slot as Slot;
  }

  remove(slot: Slot): void {
    const at = slot << SLOT_BITS;
    this.late.remove(this.orderOf(slot));
    const words = this.#words;
    const bucket = this.#numbers[at >> 1]! & (this.#newest.length - 1);
    const newest = this.#newest[bucket]!;
    if (newest === slot) this.#newest[bucket] = words[at | NEXT_IN_BUCKET]!;
    else this.#unchain(newest, slot);
    words[at | AFTER] = this.#firstFree;
    this.#firstFree = slot;
    this.#count -= 1;
  }

  /** The slot of an open order, or `NO_SLOT`. */
  slotOf(order: OrderOrdinal): Slot {
    let slot = this.#newest[order & (this.#newest.length - 1)]!;
    while (slot !== 0 && this.#numbers[slot << (SLOT_BITS - 1)] !== order) {
      slot = this.#words[(slot << SLOT_BITS) | NEXT_IN_BUCKET]!;
    }
    return slot as Slot;
  }

  /** All open orders in the order in which they entered the book. */
  slotsByAge(): Slot[] {
    const open: Slot[] = [];
    for (const newest of this.#newest) {
      for (let slot = newest; slot !== 0; slot = this.#words[(slot << SLOT_BITS) | NEXT_IN_BUCKET]!) open.push(slot as Slot);
    }
    return open.sort((left, right) => this.compareArrival(left, right));
  }

  /** Negative if `one` entered the book before `other`. */
  compareArrival(one: Slot, other: Slot): number {
    return this.late.compare(this.orderOf(one), this.orderOf(other));
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

  /** The order's reservation for its remaining quantity. */
  reservedOf(slot: Slot): QuoteAtoms {
    return this.#numbers[(slot << (SLOT_BITS - 1)) | RESERVED_WIDE]! as QuoteAtoms;
  }

  setReserved(slot: Slot, reserved: QuoteAtoms): void {
    this.#numbers[(slot << (SLOT_BITS - 1)) | RESERVED_WIDE] = reserved;
  }

  leverageOf(slot: Slot): number {
    return this.#words[(slot << SLOT_BITS) | LEVERAGE]!;
  }

  /** The share of its notional that the order reserves if it sets no leverage. */
  initialMarginBpsOf(slot: Slot): Bps {
    return this.#words[(slot << SLOT_BITS) | INITIAL_BPS]! as Bps;
  }

  /** The mark price when the order was placed. */
  markOf(slot: Slot): PriceAtoms {
    return this.#words[(slot << SLOT_BITS) | MARK]! as PriceAtoms;
  }

  sideOf(slot: Slot): Side {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_SELL) === 0 ? 'buy' : 'sell';
  }

  isReduceOnly(slot: Slot): boolean {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_REDUCE_ONLY) !== 0;
  }

  isPostOnly(slot: Slot): boolean {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_POST_ONLY) !== 0;
  }

  /** Whether the order has an expiry. */
  mayExpire(slot: Slot): boolean {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & MAY_EXPIRE) !== 0;
  }

  /** Whether what the order has filled is known. */
  isAmendable(slot: Slot): boolean {
    return (this.#words[(slot << SLOT_BITS) | FLAGS]! & IS_AMENDABLE) !== 0;
  }

  /** Restores what a snapshot appends about an order. */
  setLife(slot: Slot, life: OrderLife): void {
    const words = this.#words;
    const at = slot << SLOT_BITS;
    words[at | FLAGS]! &= IS_SELL | IS_REDUCE_ONLY;
    words[at | FLAGS]! |= lifeFlagsOf(life);
    words[at | FILLED] = life.filledAtoms;
  }

  filledOf(slot: Slot): BaseAtoms {
    return this.#words[(slot << SLOT_BITS) | FILLED]! as BaseAtoms;
  }

  addFilled(slot: Slot, quantity: BaseAtoms): void {
    this.#words[(slot << SLOT_BITS) | FILLED]! += quantity;
  }

  /** The order behind this one in the queue at its price, or `NO_SLOT`. */
  behind(slot: Slot): Slot {
    return this.#words[(slot << SLOT_BITS) | AFTER]! as Slot;
  }

  /** The order ahead of this one in the queue at its price, or `NO_SLOT`. */
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

  /** Links the neighbours of an order that leaves its queue. Either may be `NO_SLOT`. */
  linkNeighbours(ahead: Slot, behind: Slot): void {
    const words = this.#words;
    if (ahead !== NO_SLOT) words[(ahead << SLOT_BITS) | AFTER] = behind;
    if (behind !== NO_SLOT) words[(behind << SLOT_BITS) | BEFORE] = ahead;
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

  /** Removes a slot that is not the newest from the chain of its bucket. */
  #unchain(newest: number, slot: number): void {
    const words = this.#words;
    let newer = newest;
    while (words[(newer << SLOT_BITS) | NEXT_IN_BUCKET] !== slot) newer = words[(newer << SLOT_BITS) | NEXT_IN_BUCKET]!;
    words[(newer << SLOT_BITS) | NEXT_IN_BUCKET] = words[(slot << SLOT_BITS) | NEXT_IN_BUCKET]!;
  }

  #grow(): void {
    this.#capacity = this.#capacity === INITIAL_CAPACITY ? GROWN_CAPACITY : this.#capacity * 2;
    this.#words = widened(this.#words, this.#capacity << SLOT_BITS);
    this.#numbers = new Float64Array(this.#words.buffer);
    this.ownAfter = widened(this.ownAfter, this.#capacity);
    this.ownBefore = widened(this.ownBefore, this.#capacity);
  }

  /** Uses one more bit of the orders' numbers for the buckets. */
  #doubleBuckets(): void {
    const bit = this.#newest.length;
    this.#newest = widened(this.#newest, bit * 2);
    for (let bucket = 0; bucket < bit; bucket += 1) this.#splitBucket(bucket, bit);
  }

  /** Splits a chain by a bit of the order's number. Both chains keep their order. */
  #splitBucket(bucket: number, bit: number): void {
    const words = this.#words;
    const newest = this.#newest;
    let slot = newest[bucket]!;
    let lastBelow = NO_SLOT as number;
    let lastAbove = NO_SLOT as number;
    newest[bucket] = NO_SLOT;
    while (slot !== NO_SLOT) {
      const at = slot << SLOT_BITS;
      if ((this.#numbers[at >> 1]! & bit) === 0) {
        if (lastBelow === NO_SLOT) newest[bucket] = slot;
        else words[(lastBelow << SLOT_BITS) | NEXT_IN_BUCKET] = slot;
        lastBelow = slot;
      } else {
        if (lastAbove === NO_SLOT) newest[bucket | bit] = slot;
        else words[(lastAbove << SLOT_BITS) | NEXT_IN_BUCKET] = slot;
        lastAbove = slot;
      }
      slot = words[at | NEXT_IN_BUCKET]!;
      words[at | NEXT_IN_BUCKET] = NO_SLOT;
    }
  }
}

function flagsOf(it: RestingOrder): number {
  return (it.side === 'sell' ? IS_SELL : 0) | (it.reduceOnly ? IS_REDUCE_ONLY : 0) | lifeFlagsOf(it);
}

function lifeFlagsOf({ postOnly, expiresAtEpochMs, isAmendable }: OrderLife): number {
  return (postOnly ? IS_POST_ONLY : 0) | (expiresAtEpochMs > 0 ? MAY_EXPIRE : 0) | (isAmendable ? IS_AMENDABLE : 0);
}

function widened(from: Int32Array, length: number): Int32Array {
  const to = new Int32Array(length);
  to.set(from);
  return to;
}
