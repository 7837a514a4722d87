/**
 * Where the mark of a market must be, reckoned from its rules alone with whole numbers of any size: the median of index, book
 * and last trade, held to a band around the index. The book is the one that this auditor keeps.
 */
import type { MarketSpecification, MarketStatus } from '#venue/market/specification.ts';
import { tickLotOf } from './requirement.ts';

/** A resting order, the best first. */
interface Quote {
  readonly priceAtoms: number;
  readonly remaining: number;
  readonly reduceOnly: boolean;
}

export interface Quotes {
  readonly bids: readonly Quote[];
  readonly asks: readonly Quote[];
}

/** What is sold or bought to see at what price a book trades, and what that comes to. */
export interface Impact {
  readonly notional: bigint;
  readonly base: bigint;
}

export interface Trade {
  readonly priceAtoms: number;
  readonly epochMs: number;
}

/** Of one side no more orders are looked at. */
const MOST_ORDERS = 1_000;
/** A trade counts as long as this many index prices may last one after the other. */
const TRADE_AGES = 6;

/**
 * Nothing where the side is too thin. Orders that only reduce are for nothing, though they are looked at; and a book in which
 * nobody may open is not asked.
 */
export function impactFor(side: readonly Quote[], status: MarketStatus, specification: MarketSpecification): Impact | undefined {
  if (status !== 'open') return undefined;
  const goal = BigInt(specification.impactNotionalAtoms);
  let [notional, base] = [0n, 0n];
  for (const { priceAtoms, remaining, reduceOnly } of side.slice(0, MOST_ORDERS)) {
    if (reduceOnly) continue;
    const lot = BigInt(priceAtoms * tickLotOf(specification));
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
  last: Trade | undefined,
  epochMs: number,
  status: MarketStatus,
  specification: MarketSpecification,
): number {
  const index = BigInt(indexPrice);
  const isTraded = last !== undefined && epochMs - last.epochMs <= specification.maxIndexAgeMs * TRADE_AGES;
  const said = [index, bookPriceFor(index, quotes, status, specification), isTraded ? BigInt(last.priceAtoms) : index];
  const [, median] = said.sort((a, b) => Number(a - b));
  const band = BigInt(specification.markBandBps);
  const lowest = divideUp(index * (10_000n - band), 10_000n);
  const highest = (index * (10_000n + band)) / 10_000n;
  return Number(median! < lowest ? lowest : median! > highest ? highest : median!);
}

/** The middle between what selling and what buying comes to a lot, in ticks: the one of two ticks that is nearer to the index. */
function bookPriceFor(index: bigint, { bids, asks }: Quotes, status: MarketStatus, specification: MarketSpecification): bigint {
  const [sold, bought] = [bids, asks].map((side) => impactFor(side, status, specification));
  if (sold === undefined || bought === undefined) return index;
  const tickLot = BigInt(tickLotOf(specification));
  const sum = sold.notional / (sold.base * tickLot) + divideUp(bought.notional, bought.base * tickLot);
  return sum >= index * 2n ? sum / 2n : divideUp(sum, 2n);
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}
