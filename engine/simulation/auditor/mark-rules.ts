/**
 * Where the mark price must be, from the documented rules: the median of the index and of averages of book and trades, limited to a band
 * around the index. The book is the auditor's own.
 */
import type { MarketStatus } from '#venue/market/specification.ts';
import type { Listing } from './listing.ts';

interface Quote {
  readonly priceAtoms: number;
  readonly remaining: number;
  readonly reduceOnly: boolean;
}

/** Both sides of a book, the best order first. */
export interface Quotes {
  readonly bids: readonly Quote[];
  readonly asks: readonly Quote[];
}

/** What selling or buying the impact notional trades: quantity and notional. */
export interface Impact {
  readonly notional: bigint;
  readonly base: bigint;
}

/** A trade between clients. */
export interface Traded {
  readonly priceAtoms: number;
  readonly quantityAtoms: number;
}

/** The venue reads at most this many prices of a side. If they do not suffice, what they have is the impact. */
const MAX_PRICES = 10_000;
/** The averages weigh what is t milliseconds old by 30,000 / (30,000 + t). */
const WINDOW = 30_000n;
/** A book counts for at most five seconds. */
const LONGEST = 5_000n;
/** Atoms: trades beyond it do not count. */
const ENOUGH = 2n ** 51n;
const MILLION = 1_000_000n;

/** Returns `undefined` if the side is too thin or the market is not open. A price of reduce-only orders counts among `MAX_PRICES`, their quantity does not. */
export function impactFor(side: readonly Quote[], status: MarketStatus, listing: Listing): Impact | undefined {
  if (status !== 'open') return undefined;
  const goal = BigInt(listing.specification.impactNotionalAtoms);
  let [notional, base] = [0n, 0n];
  let prices = 0;
  let previous = 0;
  for (const { priceAtoms, remaining, reduceOnly } of side) {
    if (priceAtoms !== previous) prices += 1;
    if (prices > MAX_PRICES) return base === 0n ? undefined : { notional, base };
    previous = priceAtoms;
    if (reduceOnly) continue;
    const lot = BigInt(priceAtoms * listing.tickLot);
    const missing = divideUp(goal - notional, lot);
    const taken = missing < BigInt(remaining) ? missing : BigInt(remaining);
    notional += taken * lot;
    base += taken;
    if (notional >= goal) return { notional, base };
  }
  return undefined;
}

/** The averages of the mark, as fractions of a tick over a million, and what was traded since the last price. */
export class MarkHistory {
  #book = 0n;
  #trades = 0n;
  #weight = 0n;
  #at = 0n;
  #fresh: Traded[] = [];

  trade(traded: Traded): void {
    this.#fresh.push(traded);
  }

  /** The mark at an accepted price. `before` is the index of the trades since the last price; 0 if they do not count. */
  next(index: number, before: number, quotes: Quotes, epochMs: number, status: MarketStatus, listing: Listing): number {
    const passed = BigInt(epochMs) - this.#at;
    const span = WINDOW + passed;
    this.#at = BigInt(epochMs);
    const book = BigInt(bookPriceFor(index, quotes, status, listing) - index);
    const counted = passed < LONGEST ? passed : LONGEST;
    // BigInt divides toward zero, which is toward the index.
    this.#book = (this.#book * WINDOW) / span + (limited(book, index, listing) * counted) / span;
    this.#weight = (this.#weight * WINDOW) / span;
    if (before !== 0) this.#addTrades(before, listing);
    this.#fresh = [];
    const impact = BigInt(listing.specification.impactNotionalAtoms);
    const distances = [0n, this.#book, (this.#trades * this.#weight) / (this.#weight + impact)];
    const [, median] = distances.sort((one, other) => (one < other ? -1 : one > other ? 1 : 0));
    const at = BigInt(index) + median! / MILLION;
    const band = BigInt(listing.specification.markBandBps);
    const lowest = divideUp(BigInt(index) * (10_000n - band), 10_000n);
    const highest = (BigInt(index) * (10_000n + band)) / 10_000n;
    return Number(at < lowest ? lowest : at > highest ? highest : at);
  }

  /** The average price of the trades, of the two nearest ticks the one that is nearer to their index. */
  #addTrades(index: number, listing: Listing): void {
    let [notional, lots] = [0n, 0n];
    for (const { priceAtoms, quantityAtoms } of this.#fresh) {
      if (notional > ENOUGH) break;
      notional += BigInt(priceAtoms) * BigInt(quantityAtoms) * BigInt(listing.tickLot);
      lots += BigInt(quantityAtoms);
    }
    if (lots === 0n) return;
    const perTick = lots * BigInt(listing.tickLot);
    const excess = notional - perTick * BigInt(index);
    const distance = limited(excess / perTick, index, listing);
    const sum = this.#weight + notional;
    this.#trades = (this.#trades * this.#weight) / sum + (distance * notional) / sum;
    this.#weight = sum < ENOUGH ? sum : ENOUGH;
  }
}

/** A distance in ticks within the band, in millionths of a tick. */
function limited(distance: bigint, index: number, listing: Listing): bigint {
  const band = (BigInt(index) * BigInt(listing.specification.markBandBps)) / 10_000n;
  return MILLION * (distance > band ? band : distance < -band ? -band : distance);
}

/** The middle between both impact prices; of the two nearest ticks the one that is nearer to the index. */
function bookPriceFor(index: number, { bids, asks }: Quotes, status: MarketStatus, listing: Listing): number {
  const sold = impactFor(bids, status, listing);
  const bought = sold && impactFor(asks, status, listing);
  if (sold === undefined || bought === undefined) return index;
  const tickLot = BigInt(listing.tickLot);
  const sum = sold.notional / (sold.base * tickLot) + divideUp(bought.notional, bought.base * tickLot);
  return Number(sum >= BigInt(index) * 2n ? sum / 2n : divideUp(sum, 2n));
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
