/**
 * The premium sample of a perpetual: how far the book is from the index. It uses the prices at which a whole amount, the
 * impact notional, can be bought and sold, because one small order can set the best price.
 */
import type { BaseAtoms, Bps, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivDown, mulDivUp, plus, smallerOf, WHOLE_PPB, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';

/**
 * How many price levels of a side are visited. The walk ends earlier if each level has a value of impact notional ÷ 10,000. If it is cut, what
 * it found is the impact: small orders on many levels must not make the side count as too thin.
 */
export const MAX_IMPACT_LEVELS = 10_000;

/** The largest gap that is measured: half of the index. Samples have a narrower limit. */
export const MAX_SAMPLE_PPB = 500_000_000 as Ppb;

const PPB_OF_ONE_BPS = 100_000;

/** What a book offers at a price. */
export interface Depth {
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
}

/** The result of filling the impact notional on one side. The impact price is notional divided by base. */
export interface ImpactFill {
  readonly notionalAtoms: QuoteAtoms;
  readonly baseAtoms: BaseAtoms;
}

/** The impact of both sides of a book; `undefined` if the side is too thin. */
export interface BookImpact {
  readonly bids: ImpactFill | undefined;
  readonly asks: ImpactFill | undefined;
}

/** The impact price in whole ticks. Bids round down and asks up, so that rounding never narrows the spread. */
export function impactPriceDown({ notionalAtoms, baseAtoms }: ImpactFill, quoteAtomsPerTickLot: number): PriceAtoms {
  return mulDivDown(notionalAtoms as number, 1, baseAtoms * quoteAtomsPerTickLot) as PriceAtoms;
}

export function impactPriceUp({ notionalAtoms, baseAtoms }: ImpactFill, quoteAtomsPerTickLot: number): PriceAtoms {
  return mulDivUp(notionalAtoms as number, 1, baseAtoms * quoteAtomsPerTickLot) as PriceAtoms;
}

/** Fills whole lots of a side's levels, best first, up to the impact notional. Returns `undefined` if the side is too thin. */
export function impactFillOf(
  levels: Iterable<Depth>,
  impactNotional: QuoteAtoms,
  quoteAtomsPerTickLot: number,
): ImpactFill | undefined {
  let notionalAtoms = ZERO_QUOTE;
  let baseAtoms = ZERO_BASE;
  let visited = 0;
  for (const { priceAtoms, quantityAtoms } of levels) {
    if (visited === MAX_IMPACT_LEVELS) return baseAtoms === 0 ? undefined : { notionalAtoms, baseAtoms };
    visited += 1;
    const lotPrice = priceAtoms * quoteAtomsPerTickLot;
    // Only whole lots are filled, so the last lot may exceed the missing notional.
    const missing = mulDivUp(minus(impactNotional, notionalAtoms) as number, 1, lotPrice) as BaseAtoms;
    const filled = smallerOf(missing, quantityAtoms);
    notionalAtoms = plus(notionalAtoms, (filled * lotPrice) as QuoteAtoms);
    baseAtoms = plus(baseAtoms, filled);
    if (notionalAtoms >= impactNotional) return { notionalAtoms, baseAtoms };
  }
  return undefined;
}

/**
 * `(max(0, impact bid − index) − max(0, index − impact ask)) / index` in parts per billion, rounded toward zero, and limited to the band of the
 * mark. Dropping the remainder is fair: both sides pay by the same number. A side that is too thin counts as 0.
 * Source: the premium index of BitMEX and Binance.
 */
export function premiumSampleOf(
  bids: ImpactFill | undefined,
  asks: ImpactFill | undefined,
  indexPrice: PriceAtoms,
  quoteAtomsPerTickLot: number,
  bandBps: Bps,
): Ppb {
  const lotIndex = indexPrice * quoteAtomsPerTickLot;
  const above = bids === undefined ? 0 : aboveIndex(bids, lotIndex);
  const below = asks === undefined ? 0 : belowIndex(asks, lotIndex);
  const limit = bandBps * PPB_OF_ONE_BPS;
  return Math.max(0 - limit, Math.min(limit, above - below)) as Ppb;
}

function aboveIndex({ notionalAtoms, baseAtoms }: ImpactFill, lotIndex: number): number {
  const worth = baseAtoms * lotIndex;
  return worth >= notionalAtoms ? 0 : shareOf(notionalAtoms - worth, worth);
}

function belowIndex({ notionalAtoms, baseAtoms }: ImpactFill, lotIndex: number): number {
  const worth = baseAtoms * lotIndex;
  return worth <= notionalAtoms ? 0 : shareOf(worth - notionalAtoms, worth);
}

/** Applies the limit `MAX_SAMPLE_PPB` before the division: below the limit all intermediate numbers are exact. */
function shareOf(gap: number, worth: number): number {
  return gap * 2 >= worth ? MAX_SAMPLE_PPB : mulDivDown(gap, WHOLE_PPB, worth);
}
