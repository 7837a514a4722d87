/** Compares requirements with a naive sum, and liquidation prices with the rule at every tick. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import { MAX_PRICE_TICKS } from '#venue/market/specification.ts';
import type { Exposure } from './position-risk.ts';
import {
  deleveragingTriggerOf,
  liquidationPriceOf,
  liquidationTriggerOf,
  maintenanceRequirementOf,
  marginHealthBpsOf,
  NEVER_REACHED,
  positionEquityOf,
  unrealizedPnlOf,
} from './position-risk.ts';
import { exposure, tier } from './testing/exposures.ts';

const price = (ticks: number) => ticks as PriceAtoms;
const quote = (atoms: number) => atoms as QuoteAtoms;
const TIERS = [tier(0, 500), tier(50_000, 1_000)];

/** Up to five tiers with thresholds in whole cents up to `bound`, and rising rates of at most 50 %. */
function tiersBelow(bound: number): fc.Arbitrary<readonly MaintenanceTier[]> {
  const cents = fc.uniqueArray(fc.integer({ min: 1, max: Math.floor(bound / 10_000) }), { maxLength: 4 });
  const rates = fc.uniqueArray(fc.integer({ min: 1, max: 5_000 }), { minLength: 5, maxLength: 5 });
  return fc.tuple(cents, rates).map(([thresholds, rising]) => {
    rising.sort((a, b) => a - b);
    return [0, ...thresholds.sort((a, b) => a - b)].map((at, index) => tier(at * 10_000, rising[index]!));
  });
}

/** The rule as documented: each tier's rate on the part of the notional within the tier, summed, rounded up once. */
function requirementByRule(notional: number, tiers: readonly MaintenanceTier[]): bigint {
  let shares = 0n;
  for (const [index, { notionalThresholdAtoms, maintenanceMarginBps }] of tiers.entries()) {
    const end = Math.min(notional, tiers[index + 1]?.notionalThresholdAtoms ?? notional);
    if (end > notionalThresholdAtoms) shares += BigInt(end - notionalThresholdAtoms) * BigInt(maintenanceMarginBps);
  }
  return (shares + 9_999n) / 10_000n;
}

describe('value at the mark', () => {
  test('gains with a rising mark for a long, with a falling mark for a short', () => {
    expect(unrealizedPnlOf(exposure(3, 300, 0), price(110), 1)).toBe(30);
    expect(unrealizedPnlOf(exposure(-3, 300, 0), price(110), 1)).toBe(-30);
    expect(positionEquityOf(exposure(-3, 3_000, 600), price(110), 10)).toBe(300);
  });

  test('computes health as equity ÷ requirement, rounded down also below zero', () => {
    expect(marginHealthBpsOf(quote(300), quote(200))).toBe(15_000);
    expect(marginHealthBpsOf(quote(1), quote(3))).toBe(3_333);
    expect(marginHealthBpsOf(quote(-1), quote(3))).toBe(-3_334);
  });
});

describe('maintenance', () => {
  test('applies each tier’s rate to its part only, so that it does not jump at a threshold', () => {
    expect(maintenanceRequirementOf(quote(49_999), TIERS)).toBe(2_500);
    expect(maintenanceRequirementOf(quote(50_000), TIERS)).toBe(2_500);
    expect(maintenanceRequirementOf(quote(60_000), TIERS)).toBe(3_500);
  });

  test('is rounded up once', () => {
    expect(maintenanceRequirementOf(quote(1), TIERS)).toBe(1);
    expect(maintenanceRequirementOf(quote(50_001), TIERS)).toBe(2_501);
    expect(maintenanceRequirementOf(quote(50_010), TIERS)).toBe(2_501);
    expect(maintenanceRequirementOf(quote(50_011), TIERS)).toBe(2_502);
  });

  test('equals the rule at any size', () => {
    const cases = fc.constantFrom(100_000, 2 ** 40, 2 ** 49).chain((bound) => fc.tuple(tiersBelow(bound), fc.nat(bound * 2)));
    fc.assert(
      fc.property(cases, ([tiers, notional]) => {
        expect(BigInt(maintenanceRequirementOf(quote(notional), tiers))).toBe(requirementByRule(notional, tiers));
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('liquidation price', () => {
  test('is the first tick below maintenance for a long and a short with 10 % margin', () => {
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

  test('does not trigger when equity equals the requirement', () => {
    // 10 × 1,000 × 0.95 is 10,000 − 500; 10 × 1,000 × 1.05 is 10,000 + 500.
    expect(liquidationTriggerOf(exposure(10, 10_000, 500), 1, TIERS)).toBe(999);
    expect(liquidationTriggerOf(exposure(-10, 10_000, 500), 1, TIERS)).toBe(1_001);
    // At one tick the equity is zero and the requirement one atom.
    expect(liquidationTriggerOf(exposure(1, 2, 1), 1, TIERS)).toBe(1);
  });

  test('reports whether it is in the tier of the mark', () => {
    // Short 10 at 4,800: 10 × price + 2,500 + (10 × price − 50,000) / 10 > 52,800 first holds at 5,028.
    const short = exposure(-10, 48_000, 4_800);
    expect(liquidationPriceOf(short, price(4_999), 1, TIERS)).toEqual({ priceAtoms: 5_028, isInTierOfMark: false });
    expect(liquidationPriceOf(short, price(5_000), 1, TIERS)).toEqual({ priceAtoms: 5_028, isInTierOfMark: true });
  });

  test('does not exist for a fully paid long and for a short that its margin covers at every price', () => {
    const paid = exposure(10, 10_000, 10_000);
    expect(liquidationPriceOf(paid, price(1_000), 1, TIERS)).toEqual({ priceAtoms: 0, isInTierOfMark: true });
    expect(liquidationTriggerOf(paid, 1, TIERS)).toBe(0);
    const covered = exposure(-1, 10_000, 2 ** 30);
    expect(liquidationPriceOf(covered, price(1_000), 1, TIERS)).toEqual({ priceAtoms: 0, isInTierOfMark: true });
    expect(liquidationTriggerOf(covered, 1, TIERS)).toBe(NEVER_REACHED);
  });

  test('triggers at every price for a position that is below maintenance at every price', () => {
    expect(liquidationTriggerOf(exposure(1, 2 ** 40, 0), 1, TIERS)).toBe(MAX_PRICE_TICKS);
    expect(liquidationTriggerOf(exposure(-10, 5, 0), 1, TIERS)).toBe(1);
  });
});

describe.each([
  ['liquidation', liquidationTriggerOf, 1n],
  ['deleveraging', deleveragingTriggerOf, 2n],
] as const)('the trigger of a %s', (_, triggerOf, multiple) => {
  const isReached = (position: Exposure, ticks: number, perLot: number, tiers: readonly MaintenanceTier[]) => {
    const notional = ticks * Math.abs(position.signedBaseAtoms) * perLot;
    return multiple * BigInt(positionEquityOf(position, price(ticks), perLot)) < requirementByRule(notional, tiers);
  };

  const small = fc.record({
    tiers: tiersBelow(400_000),
    isLong: fc.boolean(),
    size: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: 300 })),
    perLot: fc.constantFrom(1, 10),
    entry: fc.integer({ min: 1, max: 600_000 }),
    margin: fc.nat(200_000),
  });

  test('separates exactly the ticks at which the rule holds', () => {
    fc.assert(
      fc.property(small, ({ tiers, isLong, size, perLot, entry, margin }) => {
        const position = exposure(isLong ? size : -size, entry, margin);
        const trigger = triggerOf(position, perLot, tiers);
        for (let ticks = 1; ticks <= 400; ticks += 1) {
          const isBeyond = isLong ? ticks <= trigger : ticks >= trigger;
          if (isReached(position, ticks, perLot, tiers) !== isBeyond) expect.fail(`${ticks} against ${trigger}`);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  const large = fc.record({
    tiers: tiersBelow(2 ** 49),
    isLong: fc.boolean(),
    size: fc.integer({ min: 1, max: 2 ** 22 }),
    entry: fc.nat(2 ** 49),
    margin: fc.nat(2 ** 47),
  });

  test('is the first tick at which the rule holds, at any size', () => {
    fc.assert(
      fc.property(large, ({ tiers, isLong, size, entry, margin }) => {
        const position = exposure(isLong ? size : -size, entry, margin);
        const trigger = triggerOf(position, 1, tiers);
        const before = isLong ? trigger + 1 : trigger - 1;
        if (trigger >= 1 && trigger <= MAX_PRICE_TICKS) expect(isReached(position, trigger, 1, tiers)).toBe(true);
        if (before >= 1 && before <= MAX_PRICE_TICKS) expect(isReached(position, before, 1, tiers)).toBe(false);
      }),
      { numRuns: 3_000 },
    );
  });
});
