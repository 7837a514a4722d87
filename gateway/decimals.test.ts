/** Compared with the arithmetic of ccxt's own classes. */
import { Precise } from 'ccxt';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { renderDecimal } from '#units/decimal.ts';
import { isZero, minus, over, plus, times } from './decimals.ts';

const decimal = fc
  .record({ atoms: fc.bigInt({ min: -(10n ** 16n), max: 10n ** 16n }), scale: fc.nat(9) })
  .map(({ atoms, scale }) => renderDecimal(atoms, scale));

test('equals ccxt’s result', () => {
  fc.assert(
    fc.property(decimal, decimal, fc.constantFrom(0, 1, 4, 18), (left, right, decimals) => {
      expect(plus(left, right)).toBe(Precise.stringAdd(left, right));
      expect(minus(left, right)).toBe(Precise.stringSub(left, right));
      expect(times(left, right)).toBe(Precise.stringMul(left, right));
      expect(over(left, right, decimals)).toBe(Precise.stringDiv(left, right, decimals) ?? null);
    }),
    { numRuns: 2_000 },
  );
});

test('rounds toward zero, for both signs', () => {
  expect([over('2', '3', 4), over('-2', '3', 4), over('1', '-3', 0)]).toEqual(['0.6666', '-0.6666', '0']);
});

test('returns null for null operands and for a division by zero', () => {
  expect([plus(null, '1'), minus('1', null), times(null, null), over('1', '0'), over('0', '0.00')]).toEqual(Array(5).fill(null));
  expect([isZero('0'), isZero('0.000'), isZero('0.001')]).toEqual([true, true, false]);
});
