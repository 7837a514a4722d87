/**
 * Whether a double represents a number in JSON text: its shortest decimal must have the same value. That holds for each decimal of at most
 * 15 significant digits within the range of doubles, and for the longer ones that `JSON.stringify` writes.
 */

/** A decimal of more significant digits may be rounded (DBL_DIG of IEEE 754 doubles). */
export const MAX_SURE_DIGITS = 15;
/** A number within this length and exponent is far from the ends of the range of doubles. */
export const MAX_SURE_LENGTH = 40;
export const MAX_SURE_EXPONENT = 200;

const ZERO = 0x30;

function hasExponent(number: string): boolean {
  return number.includes('e') || number.includes('E');
}

/** `source`: a number other than zero, as written in JSON. `value`: its parsed double. */
export function isRepresented(source: string, value: number): boolean {
  const shortest = String(value);
  if (shortest === source) return true;
  if (!Number.isFinite(value)) return false;
  // Without exponents, two texts of one number differ only in trailing zeros of the fraction.
  if (!hasExponent(source) && !hasExponent(shortest))
    return source.startsWith(shortest) && /^\.?0*$/.test(source.slice(shortest.length));
  return isSameDecimal(source, shortest);
}

function isSameDecimal(left: string, right: string): boolean {
  const [one, other] = [decimalOf(left), decimalOf(right)];
  return one.digits === other.digits && one.exponent === other.exponent;
}

interface Decimal {
  /** Without leading and trailing zeros; empty for zero. */
  readonly digits: string;
  /** The position of the point relative to the first digit; 0 for zero. */
  readonly exponent: number;
}

function decimalOf(text: string): Decimal {
  const exponentAt = Math.max(text.indexOf('e'), text.indexOf('E'));
  const end = exponentAt < 0 ? text.length : exponentAt;
  const start = text.startsWith('-') ? 1 : 0;
  const pointAt = text.indexOf('.');
  const wholeEnd = pointAt < 0 ? end : pointAt;
  const digits = pointAt < 0 ? text.slice(start, end) : text.slice(start, pointAt) + text.slice(pointAt + 1, end);
  let first = 0;
  while (digits.charCodeAt(first) === ZERO) first += 1;
  if (first === digits.length) return { digits: '', exponent: 0 };
  let last = digits.length;
  while (digits.charCodeAt(last - 1) === ZERO) last -= 1;
  const exponent = exponentAt < 0 ? 0 : Number(text.slice(exponentAt + 1));
  return { digits: digits.slice(first, last), exponent: wholeEnd - start - first + exponent };
}
