import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { atomsOfInput, decimalOf, shownAmount, shownGain, shownScaled } from './money.ts';

describe('an amount that a person types', () => {
  test.each([
    ['12', 12_000_000n],
    [' 0.000001 ', 1n],
    ['12.50', 12_500_000n],
    ['0012.5', 12_500_000n],
    // No double is 9007199254740.993000 exactly.
    ['9007199254740.993', 9_007_199_254_740_993_000n],
  ])('%s is %s atoms', (typed, atoms) => {
    expect(atomsOfInput(typed)).toBe(atoms);
  });

  test.each(['', '0', '0.0', '-1', '+1', '1e3', '1,000', '1.', '.5', '1.0000001', '0x10', 'NaN', '１', '1 000', '9'.repeat(16)])(
    '%j is refused',
    (typed) => {
      expect(atomsOfInput(typed)).toBeUndefined();
    },
  );
});

test('an amount is shown exactly, grouped, without trailing zeros', () => {
  expect(shownAmount('1234567890123')).toBe('1\u202f234\u202f567.890123\u00a0USD.E');
  expect(shownAmount('-1500000')).toBe('-1.5\u00a0USD.E');
  expect(shownAmount('0')).toBe('0\u00a0USD.E');
  expect(shownAmount('999000000')).toBe('999\u00a0USD.E');
});

test('a quantity has the decimals of its market', () => {
  expect([atomsOfInput('0.05', 4), atomsOfInput('0.00005', 4), atomsOfInput('12', 0), atomsOfInput('12.5', 0)]).toEqual([
    500n,
    undefined,
    12n,
    undefined,
  ]);
  expect([shownScaled('500', 4), shownScaled('-655455', 1), shownScaled('12345', 0)]).toEqual([
    '0.05',
    '-65\u202f545.5',
    '12\u202f345',
  ]);
});

test('a gain has its sign', () => {
  expect([1_500_000n, -1_500_000n, 0n].map(shownGain)).toEqual(['+1.5\u00a0USD.E', '-1.5\u00a0USD.E', '0\u00a0USD.E']);
});

test('what is shown of an amount reads back as the amount', () => {
  const amounts = fc.bigInt({ min: 1n, max: 10n ** 21n - 1n });
  fc.assert(
    fc.property(amounts, (atoms) => {
      expect(atomsOfInput(decimalOf(atoms))).toBe(atoms);
    }),
  );
});
