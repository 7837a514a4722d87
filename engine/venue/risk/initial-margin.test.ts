import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bps, QuoteAtoms } from '#units/money.ts';
import type { InitialMarginTerms } from './initial-margin.ts';
import { initialMarginBpsAt, maxLeverageAt } from './initial-margin.ts';
import { tier } from './testing/exposures.ts';

const TERMS: InitialMarginTerms = {
  initialMarginBps: 200 as Bps,
  maxLeverageX: 40,
  maintenanceMarginTiers: [tier(0, 90), tier(20_000, 130), tier(50_000, 450), tier(90_000, 4_501)],
};
const at = (exposure: number) => [
  initialMarginBpsAt(exposure as QuoteAtoms, TERMS),
  maxLeverageAt(exposure as QuoteAtoms, TERMS),
];

test('uses the margin and leverage of the market in the first tier', () => {
  expect(at(0)).toEqual([200, 40]);
  expect(at(19_999)).toEqual([200, 40]);
});

test('raises the margin with the maintenance rate from a tier’s threshold, rounded up', () => {
  // 200 × 130 / 90 is 288.9; 200 × 450 / 90 is 1,000.
  expect(at(20_000)).toEqual([289, 34]);
  expect(at(50_000)).toEqual([1_000, 10]);
});

test('is at most 100 %', () => {
  // 200 × 4,501 / 90 is 10,002.2.
  expect(at(90_000)).toEqual([10_000, 1]);
});

test('exceeds maintenance at the highest leverage of every tier', () => {
  const rates = fc
    .uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 2, maxLength: 5 })
    .map((it) => it.sort((a, b) => a - b));
  fc.assert(
    fc.property(rates, fc.integer({ min: 2, max: 10_000 }), (rising, initial) => {
      fc.pre(initial > rising[0]!);
      const tiers = rising.map((rate, index) => tier(index * 10_000, rate));
      const terms = {
        initialMarginBps: initial as Bps,
        maxLeverageX: Math.floor(10_000 / initial),
        maintenanceMarginTiers: tiers,
      };
      for (const { notionalThresholdAtoms, maintenanceMarginBps } of tiers) {
        const rate = initialMarginBpsAt(notionalThresholdAtoms, terms);
        expect(rate).toBeGreaterThan(maintenanceMarginBps);
        expect(Math.floor(10_000 / maxLeverageAt(notionalThresholdAtoms, terms))).toBeGreaterThanOrEqual(rate);
      }
    }),
  );
});
