import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecimal, renderDecimal } from './decimal.ts';

test('parses rendered decimals at every scale', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 8 }), (atoms, scale) => {
      expect(parseDecimal(renderDecimal(atoms, scale), scale)).toEqual({ atoms });
    }),
  );
});

test('renders the shortest plain decimal', () => {
  expect([renderDecimal(-1_500_000, 6), renderDecimal(5, 3), renderDecimal(120, 1), renderDecimal(0, 6)]).toEqual([
    '-1.5',
    '0.005',
    '12',
    '0',
  ]);
});

test('distinguishes malformed, too fine and too large decimals', () => {
  for (const text of ['', '-1', '+1', '1.', '.5', '1e3', ' 1', '0x1', '1,0', '١', 'NaN', '1'.repeat(41)]) {
    expect(parseDecimal(text, 2), text).toEqual({ fault: 'malformed' });
  }
  expect(parseDecimal('1.234', 2)).toEqual({ fault: 'too_fine' });
  expect(parseDecimal('1.230', 2)).toEqual({ atoms: 123 });
  expect(parseDecimal('90071992547409.92', 2)).toEqual({ fault: 'too_large' });
});

test('renders totals of any size', () => {
  expect([renderDecimal(90071992547409930000005n, 6), renderDecimal(-5n, 1), renderDecimal(0n, 3)]).toEqual([
    '90071992547409930.000005',
    '-0.5',
    '0',
  ]);
});
