import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  AmountOverflow,
  averagePriceDown,
  type Bps,
  bpsOfTowardZero,
  exact,
  mulDivDown,
  mulDivUp,
  plus,
  type QuoteAtoms,
  ratioDown,
  significantTowardZero,
  type WideAtoms,
  widePlus,
  ZERO_WIDE,
} from './money.ts';

const amount = fc.oneof(fc.integer({ min: 0, max: 1_000 }), fc.maxSafeNat());
const divisor = fc.oneof(fc.integer({ min: 1, max: 1_000 }), fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }));

test('multiplies and divides like BigInt, rounding as the name says', () => {
  fc.assert(
    fc.property(amount, amount, divisor, (value, numerator, denominator) => {
      const product = BigInt(value) * BigInt(numerator);
      const down = product / BigInt(denominator);
      const up = (product + BigInt(denominator) - 1n) / BigInt(denominator);
      if (up > BigInt(Number.MAX_SAFE_INTEGER)) {
        expect(() => mulDivUp(value, numerator, denominator)).toThrow(AmountOverflow);
        return;
      }
      expect([BigInt(mulDivDown(value, numerator, denominator)), BigInt(mulDivUp(value, numerator, denominator))]).toEqual([
        down,
        up,
      ]);
    }),
    { numRuns: 2_000 },
  );
});

test('rounds a ratio of products once, like BigInt', () => {
  const amount = fc.integer({ min: 1, max: 2 ** 52 });
  const small = fc.integer({ min: 1, max: 1_000 });
  const anyAmount = fc.oneof(amount, small);
  fc.assert(
    fc.property(anyAmount, anyAmount, anyAmount, anyAmount, anyAmount, (first, second, third, divisor, other) => {
      const whole = (BigInt(first) * BigInt(second) * BigInt(third)) / (BigInt(divisor) * BigInt(other));
      const highest = 2n ** 52n;
      expect(BigInt(ratioDown([first, second, third], [divisor, other], 2 ** 52))).toBe(whole < highest ? whole : highest);
    }),
    { numRuns: 2_000 },
  );
  // Whole quotients, and those one part below: an estimate does not distinguish them.
  fc.assert(
    fc.property(amount, small, small, (whole, divisor, other) => {
      expect(ratioDown([whole, divisor, other], [divisor, other], 2 ** 53)).toBe(whole);
      expect(ratioDown([whole * 2 - 1, divisor], [2, divisor], 2 ** 53)).toBe(whole - 1);
    }),
  );
});

test('is exact when the quotient is close to an integer', () => {
  const large = Number.MAX_SAFE_INTEGER;
  for (const denominator of [3, 7, 94_906_267, large - 1, large]) {
    expect(BigInt(mulDivDown(large, 1, denominator))).toBe(BigInt(large) / BigInt(denominator));
    expect(BigInt(mulDivUp(large, 1, denominator))).toBe((BigInt(large) + BigInt(denominator) - 1n) / BigInt(denominator));
  }
});

test('rounds a rate toward zero for both signs, without a negative zero', () => {
  expect(bpsOfTowardZero(19_999 as QuoteAtoms, 5 as Bps)).toBe(9);
  expect(bpsOfTowardZero(19_999 as QuoteAtoms, -5 as Bps)).toBe(-9);
  expect(Object.is(bpsOfTowardZero(1 as QuoteAtoms, -5 as Bps), 0)).toBe(true);
});

test('throws when an amount exceeds safe integers', () => {
  expect(() => plus(Number.MAX_SAFE_INTEGER, 1)).toThrow(AmountOverflow);
  expect(() => exact(0.5)).toThrow(AmountOverflow);
});

test('adds wide totals beyond safe integers', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.maxSafeInteger(), fc.integer({ min: -1_000, max: 1_000 }))), (amounts) => {
      const total = amounts.reduce((sum, amount) => widePlus(sum, amount), ZERO_WIDE);
      expect(total).toBe(String(amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)));
    }),
  );
  expect(() => widePlus(ZERO_WIDE, 0.5)).toThrow(RangeError);
});

test('rounds an average price down to the tick, for totals of any size', () => {
  expect(averagePriceDown(1_999, 100, 1)).toBe(19);
  expect(averagePriceDown(200_100_000, 200, 100)).toBe(10_005);
  expect(averagePriceDown('90000000000000000000' as WideAtoms, '3000000000000000' as WideAtoms, 100)).toBe(300);
});

test.each([
  [0n, 2, 0n],
  [7n, 2, 7n],
  [-99n, 2, -99n],
  [1_299n, 2, 1_200n],
  [-1_299n, 2, -1_200n],
  [-1_999n, 1, -1_000n],
  [36_028_797_018_963_964n, 3, 36_000_000_000_000_000n],
])('rounds %i with %i significant digits to %i', (value, digits, shortened) => {
  expect(significantTowardZero(value, digits)).toBe(shortened);
});
