import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decimalOf, numberOf, numberOrNull } from './numbers.ts';

test.each([
  [0.1 + 0.2, '0.30000000000000004'],
  [1e-7, '0.0000001'],
  [1.5e-10, '0.00000000015'],
  [-2.5e-7, '-0.00000025'],
  [1e21, '1000000000000000000000'],
  [1.25e22, '12500000000000000000000'],
  [-0, '0'],
  [65_000.5, '65000.5'],
  [5e-324, `0.${'0'.repeat(323)}5`],
])('converts %d to %s', (value, text) => {
  expect(decimalOf(value)).toBe(text);
});

test('converts to the shortest decimal that parses back to the same number', () => {
  fc.assert(
    fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
      const text = decimalOf(value);
      expect(text).toMatch(/^-?[0-9]+(?:\.[0-9]+)?$/);
      expect(Number(text)).toBe(value === 0 ? 0 : value);
      const digits = (it: string) =>
        it
          .replace(/e.*$/, '')
          .replace(/[-.]/g, '')
          .replace(/^0+|0+$/g, '');
      expect(digits(text)).toBe(digits(String(value)));
    }),
  );
});

test('keeps all digits of a decimal with up to 15', () => {
  fc.assert(
    fc.property(fc.nat(999_999_999_999_999), fc.nat(6), (atoms, scale) => {
      const text = String(atoms).padStart(scale + 1, '0');
      const decimal = scale === 0 ? text : `${text.slice(0, -scale)}.${text.slice(-scale)}`;
      const shortest = decimal.includes('.') ? decimal.replace(/\.?0+$/, '') : decimal;
      expect(decimalOf(JSON.parse(JSON.stringify(numberOf(decimal))))).toBe(shortest);
    }),
  );
});

test('converts null to null', () => {
  expect([numberOrNull(null), numberOrNull('0'), numberOrNull('-1.5')]).toEqual([null, 0, -1.5]);
});
