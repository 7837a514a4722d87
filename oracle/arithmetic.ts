/** Exact arithmetic of whole numbers. Every division says how it rounds. */

/** The largest whole number that is at most `numerator / denominator`. The denominator is positive. */
export function floorDiv(numerator: bigint, denominator: bigint): bigint {
  const quotient = numerator / denominator;
  return quotient * denominator > numerator ? quotient - 1n : quotient;
}

/** The smallest whole number that is at least `numerator / denominator`. */
export function ceilDiv(numerator: bigint, denominator: bigint): bigint {
  return -floorDiv(-numerator, denominator);
}

/** `numerator / denominator` without its fraction. */
export function towardZero(numerator: bigint, denominator: bigint): bigint {
  return numerator / denominator;
}

export function smaller(one: bigint, other: bigint): bigint {
  return one < other ? one : other;
}

export function larger(one: bigint, other: bigint): bigint {
  return one > other ? one : other;
}

export function absolute(value: bigint): bigint {
  return value < 0n ? -value : value;
}

export function clamp(value: bigint, lowest: bigint, highest: bigint): bigint {
  return larger(lowest, smaller(highest, value));
}

export function sum(values: readonly bigint[]): bigint {
  return values.reduce((total, value) => total + value, 0n);
}
