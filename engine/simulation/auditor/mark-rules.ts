/**
 * Where the mark price must be, from the documented rules: the median of index, book and last trade, limited to a band around
 * the index. The book is the auditor's own.
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

export interface LastTrade {
  readonly priceAtoms: number;
  readonly epochMs: number;
}

/** The venue reads at most this many prices of a side. If they do not suffice, what they have is the impact. */
const MAX_PRICES = 10_000;
/** A trade counts for this many times the maximum age of an index price. */
const TRADE_AGES = 6;

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

export function markFor(
  indexPrice: number,
  quotes: Quotes,
  last: LastTrade | undefined,
  epochMs: number,
  status: MarketStatus,
  listing: Listing,
): number {
  const { maxIndexAgeMs, markBandBps } = listing.specification;
  const isRecent = last !== undefined && epochMs - last.epochMs <= maxIndexAgeMs * TRADE_AGES;
  const prices = [indexPrice, bookPriceFor(indexPrice, quotes, status, listing), isRecent ? last.priceAtoms : indexPrice];
  const [, median] = prices.sort((one, other) => one - other);
  const index = BigInt(indexPrice);
  const band = BigInt(markBandBps);
  const lowest = Number(divideUp(index * (10_000n - band), 10_000n));
  const highest = Number((index * (10_000n + band)) / 10_000n);
  return Math.max(lowest, Math.min(highest, median!));
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
