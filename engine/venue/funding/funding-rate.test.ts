import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Ppb, PriceAtoms } from '#units/money.ts';
import { averagePremiumOf, fundingPerLotOf, fundingRateOf } from './funding-rate.ts';

/** Interest 0.01 %, cap 0.4 %. */
const TERMS = { fundingInterestPpb: 100_000 as Ppb, fundingCapPpb: 4_000_000 as Ppb };
const rate = (premium: number) => fundingRateOf(premium, 1, TERMS);

test('rounds the average premium toward zero', () => {
  expect([averagePremiumOf(20, 3), averagePremiumOf(-20, 3), averagePremiumOf(-1, 3)]).toEqual([6, -6, 0]);
});

describe('funding rate', () => {
  test('equals the interest rate when the premium is within 0.05 % of it', () => {
    expect([rate(0), rate(600_000), rate(-400_000)]).toEqual([100_000, 100_000, 100_000]);
  });

  test('moves the premium by 0.05 % toward the interest rate when the premium is further away', () => {
    expect([rate(600_001), rate(1_500_000), rate(-400_001), rate(-1_500_000)]).toEqual([100_001, 1_000_000, 99_999, -1_000_000]);
  });

  test('limits the rate to the cap in both directions', () => {
    expect([rate(4_500_000), rate(4_500_001), rate(-4_500_001)]).toEqual([4_000_000, 4_000_000, -4_000_000]);
    expect(fundingRateOf(0, 1, { ...TERMS, fundingCapPpb: 0 as Ppb })).toBe(0);
  });

  test('is zero for a period without samples', () => {
    expect(fundingRateOf(0, 0, TERMS)).toBe(0);
  });

  test('uses the average of all samples', () => {
    expect(fundingRateOf(3 * 1_500_000 + 2, 3, TERMS)).toBe(1_000_000);
  });

  test('never falls when the premium rises, and is symmetric around zero without interest', () => {
    const terms = { ...TERMS, fundingInterestPpb: 0 as Ppb };
    const premium = fc.integer({ min: -500_000_000, max: 500_000_000 });
    fc.assert(
      fc.property(premium, premium, (left, right) => {
        expect(rate(Math.min(left, right))).toBeLessThanOrEqual(rate(Math.max(left, right)));
        expect(fundingRateOf(left, 1, terms) + fundingRateOf(-left, 1, terms)).toBe(0);
      }),
    );
  });
});

test('charges a lot the index price times the rate in millionths of an atom, rounded toward zero', () => {
  // 650,000 ticks of 1 atom at 0.00125 %: 8.125 atoms.
  expect(fundingPerLotOf(650_000 as PriceAtoms, 1, 12_500 as Ppb)).toBe(8_125_000);
  expect(fundingPerLotOf(3 as PriceAtoms, 1, 333 as Ppb)).toBe(0);
  expect(fundingPerLotOf(7 as PriceAtoms, 1, 333 as Ppb)).toBe(2);
  expect(fundingPerLotOf(7 as PriceAtoms, 1, -333 as Ppb)).toBe(-2);
});
