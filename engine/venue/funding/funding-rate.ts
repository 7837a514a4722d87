/**
 * The funding rate that longs pay to shorts for a period (negative: shorts pay longs): the average premium, moved toward
 * the interest rate and capped. Source: `F = P + clamp(I − P, ±0.05 %)`, the funding rate of BitMEX and Binance.
 */
import type { Ppb, PriceAtoms } from '#units/money.ts';
import { mulDivDown } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

/** If the premium is within 0.05 % of the interest rate, the funding rate is the interest rate. */
export const DAMPENER_PPB = 500_000;

/** Parts per billion of money atoms → millionths of an atom. */
const PPB_OF_ONE_MICRO = 1_000;

export type FundingTerms = Pick<MarketSpecification, 'fundingInterestPpb' | 'fundingCapPpb'>;

/** The average of a period's samples, rounded toward zero. Dropping the remainder is fair: both sides use the same rate. */
export function averagePremiumOf(sumPpb: number, count: number): Ppb {
  return towardZero(sumPpb, 1, count) as Ppb;
}

/** The rate of a period from the sum of its samples. Without samples the rate is 0, because the premium is unknown. */
export function fundingRateOf(sumPpb: number, count: number, { fundingInterestPpb, fundingCapPpb }: FundingTerms): Ppb {
  if (count === 0) return 0 as Ppb;
  const premium = averagePremiumOf(sumPpb, count);
  const dampened = premium + clampedTo(fundingInterestPpb - premium, DAMPENER_PPB);
  return clampedTo(dampened, fundingCapPpb) as Ppb;
}

/**
 * The amount that a long pays and a short receives per lot and period, in millionths of a money atom: `index × rate`,
 * rounded toward zero. Both sides use the same number, so dropping the remainder favors neither.
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
