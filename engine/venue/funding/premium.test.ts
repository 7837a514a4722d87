import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { Depth, ImpactFill } from './premium.ts';
import { impactFillOf, MAX_IMPACT_LEVELS, premiumSampleOf } from './premium.ts';

const level = ([price, quantity]: readonly [number, number]): Depth => ({
  priceAtoms: price as PriceAtoms,
  quantityAtoms: quantity as BaseAtoms,
});
const impact = (notional: number, ...levels: (readonly [number, number])[]) =>
  impactFillOf(levels.map(level), notional as QuoteAtoms, 10);
/** By default the band is the whole index. */
const sample = (bids: ImpactFill | undefined, asks: ImpactFill | undefined, index: number, perLot = 10, bandBps = 10_000) =>
  premiumSampleOf(bids, asks, index as PriceAtoms, perLot, bandBps as Bps);

describe('impact', () => {
  test('fills the best levels first, and only the missing lots of the last level', () => {
    expect(impact(70_000, [1_000, 4], [990, 9])).toEqual({ notionalAtoms: 40_000 + 4 * 9_900, baseAtoms: 8 });
    expect(impact(40_000, [1_000, 4], [990, 9])).toEqual({ notionalAtoms: 40_000, baseAtoms: 4 });
    expect(impact(1, [1_000, 4])).toEqual({ notionalAtoms: 10_000, baseAtoms: 1 });
  });

  test('is undefined when the side is too thin', () => {
    expect(impact(40_001, [1_000, 4])).toBeUndefined();
    expect(impact(1)).toBeUndefined();
  });

  test('visits a bounded number of levels, and then is what they have', () => {
    let visited = 0;
    function* endless(quantity: number): Generator<Depth> {
      for (;;) {
        visited += 1;
        yield level([1, quantity]);
      }
    }
    const found = { notionalAtoms: 10 * MAX_IMPACT_LEVELS, baseAtoms: MAX_IMPACT_LEVELS };
    for (const missing of [0, 1, 1_000_000]) {
      visited = 0;
      expect(impactFillOf(endless(1), (10 * MAX_IMPACT_LEVELS + missing) as QuoteAtoms, 10)).toEqual(found);
      expect(visited).toBe(MAX_IMPACT_LEVELS + (missing === 0 ? 0 : 1));
    }
    // Levels of reduce-only orders count too, and offer nothing.
    visited = 0;
    expect(impactFillOf(endless(0), 1 as QuoteAtoms, 10)).toBeUndefined();
    expect(visited).toBe(MAX_IMPACT_LEVELS + 1);
  });
});

describe('sample', () => {
  const at = (price: number) => impact(1_000_000, [price, 1_000_000]);

  test('is positive above the index, negative below it, and zero around it', () => {
    expect(sample(at(10_010), at(10_020), 10_000)).toBe(1_000_000);
    expect(sample(at(9_980), at(9_990), 10_000)).toBe(-1_000_000);
    expect(sample(at(9_990), at(10_010), 10_000)).toBe(0);
  });

  test('weighs prices by the filled lots and rounds toward zero', () => {
    // 3 lots at 1,010 and 4 at 1,000 against an index of 990: 7,030 over 6,930.
    const bids = impact(70_300, [1_010, 3], [1_000, 4]);
    expect(sample(bids, undefined, 990)).toBe(14_430_014);
    // As asks below an index of 1,020: 7,030 over 7,140.
    expect(sample(undefined, bids, 1_020)).toBe(-15_406_162);
  });

  test('counts a side that is too thin as zero', () => {
    expect(sample(undefined, at(9_990), 10_000)).toBe(-1_000_000);
    expect(sample(at(10_010), undefined, 10_000)).toBe(1_000_000);
    expect(sample(undefined, undefined, 10_000)).toBe(0);
  });

  test('is limited to half of the index in both directions', () => {
    expect(sample(at(15_000), undefined, 10_000)).toBe(500_000_000);
    expect(sample(at(14_999), undefined, 10_000)).toBe(499_900_000);
    expect(sample(undefined, at(5_000), 10_000)).toBe(-500_000_000);
    const deep = { notionalAtoms: (2 ** 49) as QuoteAtoms, baseAtoms: (2 ** 49) as BaseAtoms };
    expect(sample(undefined, deep, 2 ** 26, 1)).toBe(-500_000_000);
    expect(sample(deep, undefined, 2 ** 26, 1)).toBe(0);
  });

  test('is limited to the band in both directions', () => {
    expect(sample(at(10_021), undefined, 10_000, 10, 20)).toBe(2_000_000);
    expect(sample(at(10_019), undefined, 10_000, 10, 20)).toBe(1_900_000);
    expect(sample(undefined, at(9_979), 10_000, 10, 20)).toBe(-2_000_000);
  });

  test('equals the exact formula in random uncrossed books', () => {
    const side = fc.array(fc.tuple(fc.integer({ min: 1, max: 400 }), fc.integer({ min: 1, max: 50 })), { maxLength: 12 });
    fc.assert(
      fc.property(
        side,
        side,
        fc.integer({ min: 700, max: 1_400 }),
        fc.integer({ min: 1, max: 500_000 }),
        (down, up, index, notional) => {
          const middle = 1_000;
          const bids = impact(notional, ...down.map(([off, lots]) => [middle - off, lots] as const).sort((a, b) => b[0] - a[0]));
          const asks = impact(notional, ...up.map(([off, lots]) => [middle + off, lots] as const).sort((a, b) => a[0] - b[0]));
          const gapOf = (fill: ImpactFill) => BigInt(fill.notionalAtoms) - BigInt(fill.baseAtoms * 10 * index);
          const ppbOf = (fill: ImpactFill) => Number((gapOf(fill) * 1_000_000_000n) / BigInt(fill.baseAtoms * 10 * index));
          const above = bids === undefined ? 0 : Math.max(0, ppbOf(bids));
          const below = asks === undefined ? 0 : Math.min(0, ppbOf(asks));
          expect(sample(bids, asks, index)).toBe(Math.max(-500_000_000, Math.min(500_000_000, above + below)));
        },
      ),
      { numRuns: 1_000 },
    );
  });
});
