/** Liquidation prices against a walk over every tick: the formula must find the first price that the rule itself condemns. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import type { Exposure } from './position-risk.ts';
import {
  liquidationPriceOf,
  maintenanceRequirementOf,
  marginHealthBpsOf,
  positionEquityOf,
  unrealizedPnlOf,
} from './position-risk.ts';

const exposure = (signedBase: number, entryNotional: number, margin: number): Exposure => ({
  signedBaseAtoms: signedBase as BaseAtoms,
  entryNotionalAtoms: entryNotional as QuoteAtoms,
  marginAtoms: margin as QuoteAtoms,
});
const price = (ticks: number) => ticks as PriceAtoms;
const quote = (atoms: number) => atoms as QuoteAtoms;
const tier = (threshold: number, rate: number): MaintenanceTier => ({
  notionalThresholdAtoms: quote(threshold),
  maintenanceMarginBps: rate as Bps,
});
const TIERS = [tier(0, 500), tier(50_000, 1_000)];

describe('worth at the mark', () => {
  test('a long gains as the mark rises, a short as it falls, to the atom', () => {
    expect(unrealizedPnlOf(exposure(3, 300, 0), price(110), 1)).toBe(30);
    expect(unrealizedPnlOf(exposure(-3, 300, 0), price(110), 1)).toBe(-30);
    expect(positionEquityOf(exposure(-3, 3_000, 600), price(110), 10)).toBe(300);
  });

  test('maintenance takes the rate of the tier that the notional reaches, of all of it, rounded up', () => {
    expect(maintenanceRequirementOf(quote(49_999), TIERS)).toBe(2_500);
    expect(maintenanceRequirementOf(quote(50_000), TIERS)).toBe(5_000);
    expect(maintenanceRequirementOf(quote(1), TIERS)).toBe(1);
  });

  test('health is equity over requirement, rounded down on either side of zero', () => {
    expect(marginHealthBpsOf(quote(300), quote(200))).toBe(15_000);
    expect(marginHealthBpsOf(quote(1), quote(3))).toBe(3_333);
    expect(marginHealthBpsOf(quote(-1), quote(3))).toBe(-3_334);
  });
});

describe('liquidation price', () => {
  test('a long and a short with a tenth of margin', () => {
    // Long 10 at 1,000: 10 × price × 0.95 < 10,000 − 1,000 first holds at 947.
    expect(liquidationPriceOf(exposure(10, 10_000, 1_000), price(1_000), 1, TIERS)).toEqual({
      priceAtoms: 947,
      isInTierOfMark: true,
    });
    // Short: 10 × price × 1.05 > 11,000 first holds at 1,048.
    expect(liquidationPriceOf(exposure(-10, 10_000, 1_000), price(1_000), 1, TIERS)).toEqual({
      priceAtoms: 1_048,
      isInTierOfMark: true,
    });
  });

  test('a long that is wholly paid for is never liquidated', () => {
    expect(liquidationPriceOf(exposure(10, 10_000, 10_000), price(1_000), 1, TIERS).priceAtoms).toBe(0);
  });

  test('is the nearest price that the maintenance rule condemns, across tiers', () => {
    const thresholds = fc
      .uniqueArray(fc.integer({ min: 1, max: 60_000 }), { maxLength: 4 })
      .map((list) => [0, ...list.sort((a, b) => a - b)]);
    const rates = fc
      .uniqueArray(fc.integer({ min: 1, max: 10_000 }), { minLength: 5, maxLength: 5 })
      .map((list) => list.sort((a, b) => a - b));
    const cases = fc.record({
      thresholds,
      rates,
      isLong: fc.boolean(),
      size: fc.integer({ min: 1, max: 300 }),
      mark: fc.integer({ min: 1, max: 300 }),
      entry: fc.integer({ min: 1, max: 90_000 }),
      margin: fc.integer({ min: 0, max: 30_000 }),
    });
    fc.assert(
      fc.property(cases, ({ thresholds, rates, isLong, size, mark, entry, margin }) => {
        const tiers = thresholds.map((threshold, index) => tier(threshold, rates[index]!));
        const position = exposure(isLong ? size : -size, entry, margin);
        const isCondemned = (ticks: number) =>
          positionEquityOf(position, price(ticks), 1) < maintenanceRequirementOf(quote(ticks * size), tiers);
        fc.pre(!isCondemned(mark));
        const found = liquidationPriceOf(position, price(mark), 1, tiers).priceAtoms;
        if (isLong) {
          let expected = mark - 1;
          while (expected > 0 && !isCondemned(expected)) expected -= 1;
          expect(found).toBe(expected);
        } else {
          let expected = mark + 1;
          while (expected < found && !isCondemned(expected)) expected += 1;
          expect(found).toBe(expected);
          expect(isCondemned(found)).toBe(true);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
