/**
 * What longs pay shorts for a period (below zero: shorts pay longs): the average premium, drawn toward the interest rate
 * and capped. Source: `F = P + clamp(I − P, ±0.05 %)`, the funding rate of BitMEX and Binance.
 */
import type { Ppb, PriceAtoms } from '#units/money.ts';
import { mulDivDown } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** A premium this close to the interest rate costs nothing more than interest: 0.05 %. */
export const DAMPENER_PPB = 500_000;

/** Parts per billion of money atoms → millionths of an atom. */
const PPB_OF_ONE_MICRO = 1_000;

export type FundingTerms = Pick<MarketSpecification, 'fundingInterestPpb' | 'fundingCapPpb'>;

/** The average of a period's samples, rounded toward zero: the remainder is dropped, and nobody is the poorer for it. */
export function averagePremiumOf(sumPpb: number, count: number): Ppb {
  return towardZero(sumPpb, 1, count) as Ppb;
}

/** The rate of a period from the sum of its samples. A period without any was not observed: nobody pays for it. */
export function fundingRateOf(sumPpb: number, count: number, { fundingInterestPpb, fundingCapPpb }: FundingTerms): Ppb {
  if (count === 0) return 0 as Ppb;
  const premium = averagePremiumOf(sumPpb, count);
  const drawn = premium + clampedTo(fundingInterestPpb - premium, DAMPENER_PPB);
  return clampedTo(drawn, fundingCapPpb) as Ppb;
}

/**
 * What one lot pays (short: gets) for a period, in millionths of a money atom: `index × rate`, rounded toward zero. It is
 * the same number for both sides, so the remainder is nobody's.
 */
export function fundingPerLotOf(indexPrice: PriceAtoms, quoteAtomsPerTickLot: number, rate: Ppb): number {
  return towardZero(rate, indexPrice * quoteAtomsPerTickLot, PPB_OF_ONE_MICRO);
}

function clampedTo(value: number, max: number): number {
  return Math.max(0 - max, Math.min(max, value));
}

function towardZero(value: number, numerator: number, denominator: number): number {
  return value < 0 ? 0 - mulDivDown(0 - value, numerator, denominator) : mulDivDown(value, numerator, denominator);
}
