import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseDecimal, parseDecimalNearest, renderDecimal } from './decimal.ts';

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

test('rounds observed decimals to the nearest atom, halves up', () => {
  const rounded = (text: string) => parseDecimalNearest(text, 2);
  expect(['1.234', '1.235', '1.999', '0.004', '7', '0.005'].map(rounded)).toEqual(
    [123, 124, 200, 0, 700, 1].map((atoms) => ({ atoms })),
  );
  // As a double, 1.005 is below the half.
  expect(rounded('1.005')).toEqual({ atoms: 101 });
  expect(parseDecimalNearest('12.5', 0)).toEqual({ atoms: 13 });
  for (const text of ['', '-1', '1e3', '.5', 'NaN']) expect(rounded(text), text).toEqual({ fault: 'malformed' });
  expect(rounded('90071992547409.92')).toEqual({ fault: 'too_large' });
  expect(rounded('90071992547409.915')).toEqual({ fault: 'too_large' });
});

test('rounds nothing that is an exact amount', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 0, max: 8 }), (atoms, scale) => {
      expect(parseDecimalNearest(renderDecimal(atoms, scale), scale)).toEqual({ atoms });
    }),
  );
});
