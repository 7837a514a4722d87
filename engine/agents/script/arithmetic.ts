/**
 * Arithmetic of scripts: IEEE 754 operations that give the same bits on every machine. A result that is not finite is `na`, so
 * division by zero is `na` as in Pine. There is no `exp`, `log` or trigonometry, which differ between machines.
 */
import type { BinaryOperator } from './syntax.ts';

export function finite(value: number): number {
  return Number.isFinite(value) ? value : Number.NaN;
}

/** The values of `==` are compared as rounded to nine fractional digits (Pine Script reference manual, `==` and `!=`). */
const EQUALITY_SCALE = 1e9;
/** From here doubles have no tenth digit, and the product could overflow. */
const EQUALITY_BOUND = 1e6;

function areEqual(left: number, right: number): boolean {
  if (left === right) return true;
  if (!(Math.abs(left) < EQUALITY_BOUND && Math.abs(right) < EQUALITY_BOUND)) return false;
  return Math.round(left * EQUALITY_SCALE) === Math.round(right * EQUALITY_SCALE);
}

/** Operators on numbers. Every comparison with `na` is false, also `!=`. */
export const BINARY_OPERATIONS: Record<Exclude<BinaryOperator, 'and' | 'or'>, (left: number, right: number) => number> = {
  '+': (left, right) => finite(left + right),
  '-': (left, right) => finite(left - right),
  '*': (left, right) => finite(left * right),
  '/': (left, right) => finite(left / right),
  // The sign is that of the dividend.
  '%': (left, right) => finite(left % right),
  '<': (left, right) => (left < right ? 1 : 0),
  '<=': (left, right) => (left <= right ? 1 : 0),
  '>': (left, right) => (left > right ? 1 : 0),
  '>=': (left, right) => (left >= right ? 1 : 0),
  '==': (left, right) => (areEqual(left, right) ? 1 : 0),
  '!=': (left, right) => (Number.isNaN(left) || Number.isNaN(right) || areEqual(left, right) ? 0 : 1),
};

/** `/` of two whole constants in version 5: the fraction is cut. */
export function divideWhole(left: number, right: number): number {
  return finite(Math.trunc(left / right));
}

/** Powers of ten that are exact doubles, for `math.round(x, digits)`. */
export const MAX_ROUND_DIGITS = 15;
/** `math.pow` multiplies, so its exponent is small. */
export const MAX_EXPONENT = 16;

function powerOf(base: number, exponent: number): number {
  let power = 1;
  for (let count = Math.abs(exponent); count > 0; count -= 1) power *= base;
  return finite(exponent < 0 ? 1 / power : power);
}

/** `10 ** exponent` without the `pow` of the machine. Exact up to 22. */
export function powerOfTen(exponent: number): number {
  return powerOf(10, exponent);
}

/** `math.round`: ties go up, towards positive infinity. */
function roundTo(value: number, digits: number): number {
  const scale = powerOfTen(digits);
  return finite(Math.round(value * scale) / scale);
}

/** Functions of numbers without memory. `na` in, `na` out, but for `na` and `nz`. */
export const MATH_FUNCTIONS = {
  na: (values) => (Number.isNaN(values[0]) ? 1 : 0),
  nz: ([value = Number.NaN, replacement = 0]) => (Number.isNaN(value) ? replacement : value),
  int: ([value = Number.NaN]) => Math.trunc(value),
  float: ([value = Number.NaN]) => value,
  'math.abs': ([value = Number.NaN]) => Math.abs(value),
  'math.sign': ([value = Number.NaN]) => Math.sign(value),
  'math.floor': ([value = Number.NaN]) => Math.floor(value),
  'math.ceil': ([value = Number.NaN]) => Math.ceil(value),
  'math.sqrt': ([value = Number.NaN]) => Math.sqrt(value),
  'math.round': ([value = Number.NaN, digits]) => (digits === undefined ? Math.round(value) : roundTo(value, digits)),
  'math.pow': ([base = Number.NaN, exponent = 0]) => powerOf(base, exponent),
  'math.max': (values) => values.reduce((greatest, value) => Math.max(greatest, value)),
  'math.min': (values) => values.reduce((least, value) => Math.min(least, value)),
  'math.avg': (values) => finite(values.reduce((sum, value) => sum + value) / values.length),
} as const satisfies Record<string, (values: readonly number[]) => number>;

export type MathName = keyof typeof MATH_FUNCTIONS;
