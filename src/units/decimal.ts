/**
 * Converts between decimal strings of the wire and integer atoms, without floats. `parseDecimal` distinguishes malformed text from too many
 * decimals; `renderDecimal` is its inverse. `parseDecimalNearest` rounds observed data.
 */

/** Why a text is not an amount at the given scale. */
export type DecimalFault = 'malformed' | 'too_fine' | 'too_large';

/** The atoms, or the reason why the text cannot be converted. */
export type ParsedDecimal = { readonly atoms: number } | { readonly fault: DecimalFault };

/** Plain non-negative decimals: `12`, `0.5`, `007.10`. No sign, no exponent, at most 61 characters, enough for a double printed in full. */
const PLAIN_DECIMAL = /^[0-9]{1,20}(?:\.[0-9]{1,40})?$/;

/**
 * Parses a plain non-negative decimal at a scale. Refuses digits beyond the scale unless they are zeros, so an input is never rounded.
 */
export function parseDecimal(text: string, scale: number): ParsedDecimal {
  if (!PLAIN_DECIMAL.test(text)) return { fault: 'malformed' };
  const point = text.indexOf('.');
  const whole = point < 0 ? text : text.slice(0, point);
  const fraction = point < 0 ? '' : text.slice(point + 1);
  if (/[1-9]/.test(fraction.slice(scale))) return { fault: 'too_fine' };
  const atoms = Number(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  return Number.isSafeInteger(atoms) ? { atoms } : { fault: 'too_large' };
}

/**
 * Parses a plain non-negative decimal of someone else's scale, and rounds it to the nearest atom, halves up. For observed data only: an
 * amount that a client sends is never rounded.
 */
export function parseDecimalNearest(
  text: string,
  scale: number,
): { readonly atoms: number } | { readonly fault: Exclude<DecimalFault, 'too_fine'> } {
  if (!PLAIN_DECIMAL.test(text)) return { fault: 'malformed' };
  const [whole = '', fraction = ''] = text.split('.');
  const truncated = Number(whole + fraction.slice(0, scale).padEnd(scale, '0'));
  const atoms = fraction.charAt(scale) >= '5' ? truncated + 1 : truncated;
  return Number.isSafeInteger(truncated) && Number.isSafeInteger(atoms) ? { atoms } : { fault: 'too_large' };
}

/** Writes atoms at a scale as the shortest plain decimal: `renderDecimal(-1500000, 6)` is `-1.5`. */
export function renderDecimal(atoms: number | bigint, scale: number): string {
  const digits = String(atoms < 0 ? -atoms : atoms).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  const fraction = digits.slice(digits.length - scale).replace(/0+$/, '');
  const sign = atoms < 0 ? '-' : '';
  return fraction === '' ? `${sign}${whole}` : `${sign}${whole}.${fraction}`;
}
