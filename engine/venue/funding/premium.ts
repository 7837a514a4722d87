/**
 * How far the book trades from the index: the premium sample of the perpetual contract. Looked at are not the best
 * prices, which one small order can set, but what it costs to buy and to sell a whole amount, the impact notional.
 */
import type { BaseAtoms, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivDown, mulDivUp, plus, smallerOf, WHOLE_PPB, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';

/** How many orders of a side are looked at: one that needs more is as good as too thin. */
export const MAX_IMPACT_ORDERS = 1_000;

/** The most that a sample says in either direction: half of the index. No funding cap lies above it. */
export const MAX_SAMPLE_PPB = 500_000_000 as Ppb;

/** A resting order, as far as it matters here. */
export interface DepthOrder {
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
}

/** What filling the impact notional on one side comes to: the impact price is the one over the other. */
export interface ImpactFill {
  readonly notionalAtoms: QuoteAtoms;
  readonly baseAtoms: BaseAtoms;
}

/** Both sides of a book; `undefined` for one that is too thin. */
export interface BookImpact {
  readonly bids: ImpactFill | undefined;
  readonly asks: ImpactFill | undefined;
}

/** The price of a fill, in whole ticks; what is left of a tick is nobody's. Of bids down, of asks up: the book looks no tighter. */
export function impactPriceDown({ notionalAtoms, baseAtoms }: ImpactFill, quoteAtomsPerTickLot: number): PriceAtoms {
  return mulDivDown(notionalAtoms as number, 1, baseAtoms * quoteAtomsPerTickLot) as PriceAtoms;
}

export function impactPriceUp({ notionalAtoms, baseAtoms }: ImpactFill, quoteAtomsPerTickLot: number): PriceAtoms {
  return mulDivUp(notionalAtoms as number, 1, baseAtoms * quoteAtomsPerTickLot) as PriceAtoms;
}

/**
 * Fills whole lots of a side's orders, the best first, until they are worth the impact notional. `undefined` where the
 * side is too thin for that.
 */
export function impactFillOf(
  orders: Iterable<DepthOrder>,
  impactNotional: QuoteAtoms,
  quoteAtomsPerTickLot: number,
): ImpactFill | undefined {
  let notionalAtoms = ZERO_QUOTE;
  let baseAtoms = ZERO_BASE;
  let visitedMakers = 0;
  for (const { priceAtoms, quantityAtoms } of orders) {
    visitedMakers += 1;
    if (visitedMakers > MAX_IMPACT_ORDERS) return undefined;
    const lotPrice = priceAtoms * quoteAtomsPerTickLot;
    // The last lot may be worth more than what is missing: an impact price is that of whole lots.
    const missing = mulDivUp(minus(impactNotional, notionalAtoms) as number, 1, lotPrice) as BaseAtoms;
    const filled = smallerOf(missing, quantityAtoms);
    notionalAtoms = plus(notionalAtoms, (filled * lotPrice) as QuoteAtoms);
    baseAtoms = plus(baseAtoms, filled);
    if (notionalAtoms >= impactNotional) return { notionalAtoms, baseAtoms };
  }
  return undefined;
}

/**
 * `(max(0, impact bid − index) − max(0, index − impact ask)) / index` in parts per billion, rounded toward zero: nobody
 * owns the remainder, since both sides pay by the same number. A side that is too thin says nothing.
 * Source: the premium index of BitMEX and Binance.
 */
export function premiumSampleOf(
  bids: ImpactFill | undefined,
  asks: ImpactFill | undefined,
  indexPrice: PriceAtoms,
  quoteAtomsPerTickLot: number,
): Ppb {
  const lotIndex = indexPrice * quoteAtomsPerTickLot;
  const above = bids === undefined ? 0 : aboveIndex(bids, lotIndex);
  const below = asks === undefined ? 0 : belowIndex(asks, lotIndex);
  return (above - below) as Ppb;
}

function aboveIndex({ notionalAtoms, baseAtoms }: ImpactFill, lotIndex: number): number {
  const worth = baseAtoms * lotIndex;
  return worth >= notionalAtoms ? 0 : shareOf(notionalAtoms - worth, worth);
}

function belowIndex({ notionalAtoms, baseAtoms }: ImpactFill, lotIndex: number): number {
  const worth = baseAtoms * lotIndex;
  return worth <= notionalAtoms ? 0 : shareOf(worth - notionalAtoms, worth);
}

/** Held to the most that a sample says before it is computed: below that all numbers here are exact. */
function shareOf(gap: number, worth: number): number {
  return gap * 2 >= worth ? MAX_SAMPLE_PPB : mulDivDown(gap, WHOLE_PPB, worth);
}
