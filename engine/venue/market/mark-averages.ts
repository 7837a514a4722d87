/**
 * How far the book and the trades of a market have lately been from its index: two averages that decay over about 30 seconds. The mark
 * follows them, so that a price counts by how long it is quoted, and a trade by how large it is.
 */
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, smallerOf, WHOLE_BPS, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { MarketSpecification } from './specification.ts';

/** The time constant of both averages: after a time t, an observation has the weight 30 s ÷ (30 s + t). Deribit averages over 30 s too. */
export const MARK_WINDOW_MS = 30_000;
/** An observation of the book counts for at most this time. The rest of a longer gap counts as a book at the index. */
export const MAX_OBSERVATION_MS = 5_000;
/** Trades for more between two index prices do not count: with one more order, the sum is still exact. */
export const MAX_TRADED_ATOMS = (2 ** 51) as QuoteAtoms;

/** The precision of a distance from the index. */
export const MICRO_TICKS = 1_000_000;

/** What an index price adds to the averages. */
export interface MarkObservation {
  readonly indexPriceAtoms: PriceAtoms;
  /** The middle of the impact prices; the index if a side is too thin. */
  readonly bookPriceAtoms: PriceAtoms;
  /** The index that the trades since the last price are compared with; `NO_PRICE` if it was not current. */
  readonly previousIndexAtoms: PriceAtoms;
}

export class MarkAverages {
  /** The distance of the book from the index, in millionths of a tick; above zero if the book is above the index. */
  bookMicroTicks = 0;
  /** The distance of the trades, each with the weight of its notional. */
  tradeMicroTicks = 0;
  /** The notional of these trades. It decays. */
  tradedAtoms = ZERO_QUOTE;
  updatedAtEpochMs = 0 as EpochMs;
  /** The trades since then. */
  newTradedAtoms = ZERO_QUOTE;
  newBaseAtoms = ZERO_BASE;

  /** Whether there is nothing to write: no price was averaged, and no trade waits for one. */
  get isInitial(): boolean {
    return this.updatedAtEpochMs === 0 && this.newBaseAtoms === 0;
  }

  /** Counts a trade between clients. */
  trade(notionalAtoms: QuoteAtoms, quantityAtoms: BaseAtoms): void {
    if (this.newTradedAtoms > MAX_TRADED_ATOMS) return;
    this.newTradedAtoms = (this.newTradedAtoms + notionalAtoms) as QuoteAtoms;
    this.newBaseAtoms = (this.newBaseAtoms + quantityAtoms) as BaseAtoms;
  }

  /** Takes the book and the trades since the last price. All roundings are toward the index, or reduce the weight of trades. */
  observe(observation: MarkObservation, now: EpochMs, tickLotAtoms: number, specification: MarketSpecification): void {
    const elapsedMs = now - this.updatedAtEpochMs;
    const whole = MARK_WINDOW_MS + elapsedMs;
    const { indexPriceAtoms, bookPriceAtoms } = observation;
    const book = distanceOf(bookPriceAtoms, indexPriceAtoms, specification);
    this.bookMicroTicks =
      shareTowardIndex(this.bookMicroTicks, MARK_WINDOW_MS, whole) +
      shareTowardIndex(book, Math.min(elapsedMs, MAX_OBSERVATION_MS), whole);
    this.tradedAtoms = mulDivDown(this.tradedAtoms, MARK_WINDOW_MS, whole);
    this.#addTrades(observation.previousIndexAtoms, tickLotAtoms, specification);
    this.updatedAtEpochMs = now;
  }

  /** The distance of the trades, as far as their notional outweighs the impact notional, which counts as traded at the index. */
  weightedTrades(impactNotionalAtoms: QuoteAtoms): number {
    return shareTowardIndex(this.tradeMicroTicks, this.tradedAtoms, this.tradedAtoms + impactNotionalAtoms);
  }

  #addTrades(index: PriceAtoms, tickLotAtoms: number, specification: MarketSpecification): void {
    const { newTradedAtoms: added, newBaseAtoms } = this;
    this.newTradedAtoms = ZERO_QUOTE;
    this.newBaseAtoms = ZERO_BASE;
    if (newBaseAtoms === 0 || index === NO_PRICE) return;
    const isAbove = added >= newBaseAtoms * tickLotAtoms * index;
    const price = (isAbove ? mulDivDown : mulDivUp)<number>(added, 1, newBaseAtoms * tickLotAtoms) as PriceAtoms;
    const whole = this.tradedAtoms + added;
    this.tradeMicroTicks =
      shareTowardIndex(this.tradeMicroTicks, this.tradedAtoms, whole) +
      shareTowardIndex(distanceOf(price, index, specification), added, whole);
    this.tradedAtoms = smallerOf(MAX_TRADED_ATOMS, whole as QuoteAtoms);
  }
}

/** The layout in a snapshot. */
export function averagesLayout(io: Cursor, it: MarkAverages): void {
  it.bookMicroTicks = io.int(it.bookMicroTicks);
  it.tradeMicroTicks = io.int(it.tradeMicroTicks);
  it.tradedAtoms = io.int(it.tradedAtoms);
  it.updatedAtEpochMs = io.int(it.updatedAtEpochMs);
  it.newTradedAtoms = io.int(it.newTradedAtoms);
  it.newBaseAtoms = io.int(it.newBaseAtoms);
}

/** The distance of a price from the index in millionths of a tick, within the band of the mark. */
function distanceOf(price: PriceAtoms, index: PriceAtoms, { markBandBps }: MarketSpecification): number {
  const band = mulDivDown<number>(index, markBandBps, WHOLE_BPS);
  return Math.max(0 - band, Math.min(band, price - index)) * MICRO_TICKS;
}

/** A part of a distance, rounded toward zero. */
function shareTowardIndex(distance: number, part: number, whole: number): number {
  return distance < 0 ? 0 - mulDivDown(0 - distance, part, whole) : mulDivDown(distance, part, whole);
}
