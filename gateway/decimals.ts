/**
 * Exact arithmetic on decimal strings, for fields that the unified library has and /v1 does not. Null operands give null.
 * Divisions round toward zero, after 18 decimals by default.
 */
import { renderDecimal } from '#units/decimal.ts';

type Text = string | null;

export function plus(left: Text, right: Text): Text {
  return combined(left, right, (one, other) => {
    const scale = Math.max(one.scale, other.scale);
    return { digits: at(one, scale) + at(other, scale), scale };
  });
}

export function minus(left: Text, right: Text): Text {
  return combined(left, right, (one, other) => {
    const scale = Math.max(one.scale, other.scale);
    return { digits: at(one, scale) - at(other, scale), scale };
  });
}

export function times(left: Text, right: Text): Text {
  return combined(left, right, (one, other) => ({ digits: one.digits * other.digits, scale: one.scale + other.scale }));
}

/** Null for a division by zero. */
export function over(left: Text, right: Text, decimals = 18): Text {
  return combined(left, right, (one, other) => {
    if (other.digits === 0n) return null;
    const shift = decimals + other.scale - one.scale;
    const digits = shift < 0 ? one.digits / 10n ** BigInt(-shift) : one.digits * 10n ** BigInt(shift);
    return { digits: digits / other.digits, scale: decimals };
  });
}

export function isZero(text: string): boolean {
  return parse(text).digits === 0n;
}

interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function combined(left: Text, right: Text, combine: (one: Decimal, other: Decimal) => Decimal | null): Text {
  if (left === null || right === null) return null;
  const result = combine(parse(left), parse(right));
  return result && renderDecimal(result.digits, result.scale);
}

/** Parses the format of /v1: a sign, digits, a point. */
function parse(text: string): Decimal {
  const point = text.indexOf('.');
  if (point < 0) return { digits: BigInt(text), scale: 0 };
  return { digits: BigInt(text.slice(0, point) + text.slice(point + 1)), scale: text.length - point - 1 };
}

function at({ digits, scale }: Decimal, wanted: number): bigint {
  return digits * 10n ** BigInt(wanted - scale);
}
