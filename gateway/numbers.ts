/**
 * Converts JSON numbers to decimal strings and back. A number becomes its shortest decimal, the one that its sender wrote; a
 * decimal becomes the nearest double. Up to 15 significant digits survive the round trip. The decimal itself stays in `info`.
 */

/** Without an exponent: 1e-7 is 0.0000001, 1e21 a one with 21 zeros, -0 is 0. */
export function decimalOf(value: number): string {
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const sign = mantissa.startsWith('-') ? '-' : '';
  const [whole = '', fraction = ''] = mantissa.slice(sign.length).split('.');
  const shift = Number(exponent);
  if (shift < 0) return `${sign}0.${'0'.repeat(-shift - 1)}${whole}${fraction}`;
  return `${sign}${whole}${fraction.padEnd(shift, '0')}`;
}

export function numberOf(decimal: string): number {
  return Number(decimal);
}

export function numberOrNull(decimal: string | null): number | null {
  return decimal === null ? null : Number(decimal);
}
