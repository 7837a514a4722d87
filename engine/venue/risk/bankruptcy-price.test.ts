import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Bps, PriceAtoms } from '#units/money.ts';
import { bankruptcyPriceOf, closingPriceBoundOf } from './bankruptcy-price.ts';
import { positionEquityOf } from './position-risk.ts';
import { exposure } from './testing/exposures.ts';

test('is 10 % from the entry of a long and a short with 10 % margin', () => {
  expect(bankruptcyPriceOf(exposure(10, 10_000, 1_000), 1)).toBe(900);
  expect(bankruptcyPriceOf(exposure(-10, 10_000, 1_000), 1)).toBe(1_100);
});

test('rounds toward profit', () => {
  expect(bankruptcyPriceOf(exposure(10, 10_000, 999), 1)).toBe(901);
  expect(bankruptcyPriceOf(exposure(-10, 10_000, 999), 1)).toBe(1_099);
});

test('is higher for a long and lower for a short with a closing fee', () => {
  // 9,000 / 0.99 is 9,090.9, which is 10 × 909.1; 11,000 / 1.01 is 10,891.1.
  expect(closingPriceBoundOf(exposure(10, 10_000, 1_000), 1, 100 as Bps)).toBe(910);
  expect(closingPriceBoundOf(exposure(-10, 10_000, 1_000), 1, 100 as Bps)).toBe(1_089);
});

test('is zero for a fully paid long and for a short that is bankrupt at every price', () => {
  expect(bankruptcyPriceOf(exposure(10, 1_000, 1_000), 1)).toBe(0);
  expect(bankruptcyPriceOf(exposure(-10, 5, 4), 1)).toBe(0);
  expect(bankruptcyPriceOf(exposure(10, 1_000, 999), 1)).toBe(1);
});

const cases = fc.record({
  isLong: fc.boolean(),
  size: fc.oneof(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 1, max: 2 ** 22 })),
  entry: fc.oneof(fc.nat(100_000), fc.nat(2 ** 49)),
  margin: fc.oneof(fc.nat(20_000), fc.nat(2 ** 47)),
  perLot: fc.constantFrom(1, 100),
  feeBps: fc.constantFrom(0, 1, 50, 1_000),
});

/** Equity after a close at the price `at` and its fee, in ten-thousandths of an atom. */
function leftOf(
  isLong: boolean,
  size: number,
  entry: number,
  margin: number,
  perLot: number,
  feeBps: number,
  at: number,
): bigint {
  const notional = BigInt(at) * BigInt(size) * BigInt(perLot);
  const pnl = isLong ? notional - BigInt(entry) : BigInt(entry) - notional;
  return (BigInt(margin) + pnl) * 10_000n - notional * BigInt(feeBps);
}

test('leaves no shortfall, while the next worse tick leaves one', () => {
  fc.assert(
    fc.property(cases, ({ isLong, size, entry, margin, perLot, feeBps }) => {
      const position = exposure(isLong ? size : -size, entry, margin);
      const at = closingPriceBoundOf(position, perLot, feeBps as Bps);
      const left = (price: number) => leftOf(isLong, size, entry, margin, perLot, feeBps, price);
      expect(left(at) >= 0n).toBe(true);
      const beyond = isLong ? at - 1 : at + 1;
      if (beyond >= 0) expect(left(beyond) < 0n).toBe(true);
      if (feeBps === 0) {
        expect(bankruptcyPriceOf(position, perLot)).toBe(at);
        if (at < 2 ** 26) expect(positionEquityOf(position, at as PriceAtoms, perLot)).toBeGreaterThanOrEqual(0);
      }
    }),
    { numRuns: 3_000 },
  );
});
