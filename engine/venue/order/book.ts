/**
 * One market's open orders in price-time priority. A book is never crossed, so bids and asks share one ladder of price
 * levels: occupied levels up to the best bid are bids, occupied levels from the best ask up are asks.
 */
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { OrderTable, Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { BLOCK_BITS, PriceSet } from './price-set.ts';

/** Levels are stored in pages of 1,024 ticks. A page exists only while one of its prices is occupied. */
const PAGE_BITS = BLOCK_BITS;
const PAGE_TICKS = 1 << PAGE_BITS;
/** A level has the first and the last order, and in its last two words the size, as a 64-bit float. */
const LEVEL_BITS = 2;
const PAGE_WORDS = PAGE_TICKS << LEVEL_BITS;

/** The best price of an empty side. */
export const NO_PRICE = 0 as PriceAtoms;

export class Book {
  readonly #orders: OrderTable;
  readonly #occupied: PriceSet;
  /** Page number (price >>> PAGE_BITS) → offset of its levels in `#levels`; 0 if the page does not exist. */
  readonly #pages: Int32Array;
  readonly #freePages: number[] = [];
  /** The levels, four words each. One buffer, so that a level is in one cache line. */
  #levels: Int32Array;
  /** The same buffer. A size is what the orders of a level offer beside the reduce-only ones; 0 if the level is empty. */
  #sizes: Float64Array;
  #usedWords = PAGE_WORDS;
  #bestBid: PriceAtoms = NO_PRICE;
  #bestAsk: PriceAtoms = NO_PRICE;

  constructor(orders: OrderTable, maxPrice: PriceAtoms) {
    this.#orders = orders;
    this.#occupied = new PriceSet(maxPrice);
    this.#pages = new Int32Array((maxPrice >>> PAGE_BITS) + 1);
    this.#levels = new Int32Array(PAGE_WORDS * 4);
    this.#sizes = new Float64Array(this.#levels.buffer);
  }

  /** The highest bid, or `NO_PRICE`. */
  get bestBid(): PriceAtoms {
    return this.#bestBid;
  }

  /** The lowest ask, or `NO_PRICE`. */
  get bestAsk(): PriceAtoms {
    return this.#bestAsk;
  }

  /** The price that an order of this side meets first, or `NO_PRICE`. */
  bestAgainst(side: Side): PriceAtoms {
    return side === 'buy' ? this.#bestAsk : this.#bestBid;
  }

  /** The next price that an order of this side meets after `price`, or `NO_PRICE`. */
  nextAgainst(side: Side, price: PriceAtoms): PriceAtoms {
    return (side === 'buy' ? this.#occupied.above(price) : this.#occupied.below(price)) as PriceAtoms;
  }

  /** The order that has waited longest at a price, or `NO_SLOT`. */
  firstAt(price: PriceAtoms): Slot {
    const page = this.#pages[price >>> PAGE_BITS]!;
    return page === 0 ? NO_SLOT : (this.#levels[page + ((price & (PAGE_TICKS - 1)) << LEVEL_BITS)]! as Slot);
  }

  /**
   * The quantity at an occupied price, without that of reduce-only orders: they reserve no margin, so they are a weaker promise to trade.
   */
  sizeAt(price: PriceAtoms): BaseAtoms {
    return this.#sizes[(this.#placeOf(price) >> 1) | 1]! as BaseAtoms;
  }

  /** The order behind this one at its price, or `NO_SLOT`. */
  behind(slot: Slot): Slot {
    return this.#orders.behind(slot);
  }

  /** Adds an order behind all others at its price. It must not cross: the caller has matched it first. */
  add(slot: Slot): void {
    const price = this.#orders.priceOf(slot);
    const level = this.#levelAt(price);
    const last = this.#levels[level + 1]! as Slot;
    this.#levels[level + 1] = slot;
    this.#changeSize(level, slot, this.#orders.remainingOf(slot));
    this.#orders.queueBehind(last, slot);
    if (last !== NO_SLOT) return;
    this.#levels[level] = slot;
    this.#occupy(price, this.#orders.sideOf(slot));
  }

  /** Removes an order from any position in its level. */
  remove(slot: Slot): void {
    const orders = this.#orders;
    const price = orders.priceOf(slot);
    const level = this.#placeOf(price);
    this.#changeSize(level, slot, -orders.remainingOf(slot));
    const ahead = orders.ahead(slot);
    const behind = orders.behind(slot);
    orders.linkNeighbours(ahead, behind);
    if (ahead === NO_SLOT) this.#levels[level] = behind;
    if (behind !== NO_SLOT) return;
    this.#levels[level + 1] = ahead;
    if (ahead === NO_SLOT) this.#vacate(price);
  }

  /** Sets the remaining quantity of an order that stays in the book. */
  resize(slot: Slot, remaining: BaseAtoms): void {
    const orders = this.#orders;
    this.#changeSize(this.#placeOf(orders.priceOf(slot)), slot, remaining - orders.remainingOf(slot));
    orders.setRemaining(slot, remaining);
  }

  #changeSize(level: number, slot: Slot, change: number): void {
    if (!this.#orders.isReduceOnly(slot)) this.#sizes[(level >> 1) | 1]! += change;
  }

  /** The first word of an existing level. */
  #placeOf(price: PriceAtoms): number {
    return this.#pages[price >>> PAGE_BITS]! + ((price & (PAGE_TICKS - 1)) << LEVEL_BITS);
  }

  #occupy(price: PriceAtoms, side: Side): void {
    this.#occupied.add(price);
    if (side === 'buy') {
      if (price > this.#bestBid) this.#bestBid = price;
    } else if (this.#bestAsk === NO_PRICE || price < this.#bestAsk) {
      this.#bestAsk = price;
    }
  }

  #vacate(price: PriceAtoms): void {
    const isPageEmpty = this.#occupied.remove(price);
    if (price === this.#bestBid) this.#bestBid = this.#occupied.below(price) as PriceAtoms;
    else if (price === this.#bestAsk) this.#bestAsk = this.#occupied.above(price) as PriceAtoms;
    if (isPageEmpty) this.#freePage(price >>> PAGE_BITS);
  }

  /** All levels of the page are empty, so its next use needs no clearing. */
  #freePage(key: number): void {
    this.#freePages.push(this.#pages[key]!);
    this.#pages[key] = 0;
  }

  #levelAt(price: PriceAtoms): number {
    const key = price >>> PAGE_BITS;
    if (this.#pages[key] === 0) this.#pages[key] = this.#freePages.pop() ?? this.#newPage();
    return this.#placeOf(price);
  }

  #newPage(): number {
    const page = this.#usedWords;
    this.#usedWords += PAGE_WORDS;
    if (this.#usedWords > this.#levels.length) this.#double();
    return page;
  }

  #double(): void {
    const levels = new Int32Array(this.#levels.length * 2);
    levels.set(this.#levels);
    this.#levels = levels;
    this.#sizes = new Float64Array(levels.buffer);
  }
}
