/**
 * The integer units of the venue, and the only place that divides. Every unit is a branded JavaScript safe integer; leaving the safe range
 * throws. A function's name says how it rounds; the caller's comment says who owns the remainder.
 */

declare const unit: unique symbol;
type Integer<Name extends string> = number & { readonly [unit]: Name };

/** A price in ticks: `price × 10^priceScale`. One atom is the market's tick. */
export type PriceAtoms = Integer<'PriceAtoms'>;
/** A base quantity in lots: `quantity × 10^quantityScale`. One atom is the market's lot. Signed for positions. */
export type BaseAtoms = Integer<'BaseAtoms'>;
/** Money in the settlement asset: `amount × 10^6` for `USD.E`. */
export type QuoteAtoms = Integer<'QuoteAtoms'>;
/** A rate in hundredths of a percent: 10,000 is the whole. */
export type Bps = Integer<'Bps'>;
/** A rate in parts per billion: 1,000,000,000 is the whole. */
export type Ppb = Integer<'Ppb'>;
/** Milliseconds since the Unix epoch. */
export type EpochMs = Integer<'EpochMs'>;

/** The decimals of the settlement asset. */
export const SETTLEMENT_DECIMALS = 6;
/** The whole, in basis points. */
export const WHOLE_BPS = 10_000;
/** The whole, in parts per billion. */
export const WHOLE_PPB = 1_000_000_000;

/** Thrown when an amount leaves the range of exact integers. It halts the venue, because a wrong number would be worse. */
export class AmountOverflow extends Error {
  override readonly name = 'AmountOverflow';
}

/** Returns the value; throws {@link AmountOverflow} if it is not an exact integer. */
export function exact<Unit extends number>(value: number): Unit {
  if (!Number.isSafeInteger(value)) throw new AmountOverflow(`not an exact integer: ${value}`);
  return value as Unit;
}

export const priceAtoms = (value: number): PriceAtoms => exact(value);
export const baseAtoms = (value: number): BaseAtoms => exact(value);
export const quoteAtoms = (value: number): QuoteAtoms => exact(value);
export const bps = (value: number): Bps => exact(value);
export const ppb = (value: number): Ppb => exact(value);
export const epochMs = (value: number): EpochMs => exact(value);

export const ZERO_QUOTE = 0 as QuoteAtoms;
export const ZERO_BASE = 0 as BaseAtoms;

/** The sum, exact. */
export function plus<Unit extends number>(left: Unit, right: Unit): Unit {
  return exact(left + right);
}

/** The difference, exact. */
export function minus<Unit extends number>(left: Unit, right: Unit): Unit {
  return exact(left - right);
}

/** The smaller of two amounts of the same unit. */
export function smallerOf<Unit extends number>(left: Unit, right: Unit): Unit {
  return Math.min(left, right) as Unit;
}

/** The larger of two amounts of the same unit. */
export function largerOf<Unit extends number>(left: Unit, right: Unit): Unit {
  return Math.max(left, right) as Unit;
}

/** `floor(value × numerator / denominator)` for non-negative integers, exact at any size. */
export function mulDivDown<Unit extends number>(value: Unit, numerator: number, denominator: number): Unit {
  const product = value * numerator;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const quotient = Math.floor(product / denominator);
    // The double quotient may have been rounded up to the next integer; the product shows it.
    return (quotient * denominator > product ? quotient - 1 : quotient) as Unit;
  }
  return exact(Number((BigInt(value) * BigInt(numerator)) / BigInt(denominator)));
}

/** `ceil(value × numerator / denominator)` for non-negative integers, exact at any size. */
export function mulDivUp<Unit extends number>(value: Unit, numerator: number, denominator: number): Unit {
  const product = value * numerator;
  if (product <= Number.MAX_SAFE_INTEGER) {
    const quotient = Math.ceil(product / denominator);
    return (quotient * denominator < product ? quotient + 1 : quotient) as Unit;
  }
  const divisor = BigInt(denominator);
  return exact(Number((BigInt(value) * BigInt(numerator) + divisor - 1n) / divisor));
}

/**
 * The product of the factors divided by the product of the divisors, rounded down once and at most `highest`. All are non-negative, and
 * there are at most eight. Two divisions one after the other would round twice, and then equal ratios of different amounts differ.
 */
export function ratioDown(factors: readonly number[], divisors: readonly number[], highest: number): number {
  const estimate = estimateOf(factors) / estimateOf(divisors);
  // Each of the few operations rounds by at most 2^-53 of its result. Nearly always that leaves one whole number.
  const error = estimate * ESTIMATE_ERROR;
  const quotient = Math.floor(estimate - error);
  if (quotient === Math.floor(estimate + error) && quotient <= Number.MAX_SAFE_INTEGER) return Math.min(quotient, highest);
  const precise = productOf(factors) / productOf(divisors);
  return precise < BigInt(highest) ? Number(precise) : highest;
}

/** More than eight operations of {@link ratioDown} can be wrong by. */
const ESTIMATE_ERROR = 2 ** -50;

function estimateOf(values: readonly number[]): number {
  let product = 1;
  for (const value of values) product *= value;
  return product;
}

function productOf(values: readonly number[]): bigint {
  let product = 1n;
  for (const value of values) product *= BigInt(value);
  return product;
}

/** `amount × rate`, rounded up. Both are non-negative. */
export function bpsOfUp<Unit extends number>(amount: Unit, rate: Bps): Unit {
  return mulDivUp(amount, rate, WHOLE_BPS);
}

/** `amount × rate`, rounded toward zero. The amount is non-negative; the rate may be negative (a rebate). */
export function bpsOfTowardZero<Unit extends number>(amount: Unit, rate: Bps): Unit {
  return rate < 0 ? ((0 - mulDivDown(amount, -rate, WHOLE_BPS)) as Unit) : mulDivDown(amount, rate, WHOLE_BPS);
}

/** A total that may exceed safe integers (traded volume), as decimal digits, so that it can be stored and sent unchanged. */
export type WideAtoms = string & { readonly [unit]: 'WideAtoms' };

export const ZERO_WIDE = '0' as WideAtoms;

/** Adds an amount or another total. */
export function widePlus(total: WideAtoms, amount: number | WideAtoms): WideAtoms {
  // Fast path: nearly every total is a safe integer.
  const sum = Number(total) + Number(amount);
  if (isShort(total) && isShort(amount) && Number.isSafeInteger(sum)) return String(sum) as WideAtoms;
  return String(BigInt(total) + BigInt(amount)) as WideAtoms;
}

/** The value rounded toward zero to `digits` significant digits, to publish figures that must not be exact. */
export function significantTowardZero(value: bigint, digits: number): bigint {
  const length = String(value < 0n ? -value : value).length;
  const unit = 10n ** BigInt(Math.max(0, length - digits));
  return (value / unit) * unit;
}

/** Money per whole unit of base, rounded down to a money atom. For display only. */
export function moneyPerBaseDown(notional: QuoteAtoms, quantity: BaseAtoms, quantityScale: number): QuoteAtoms {
  return mulDivDown(notional, 10 ** quantityScale, quantity);
}

/** Whether the amount has few enough digits to be a safe integer. */
function isShort(amount: number | WideAtoms): boolean {
  return typeof amount === 'number' || amount.length <= 15;
}

/** The average price of a notional and a quantity, rounded down to the tick. For display only. */
export function averagePriceDown(
  notional: number | WideAtoms,
  quantity: number | WideAtoms,
  quoteAtomsPerTickLot: number,
): PriceAtoms {
  return exact(Number(BigInt(notional) / (BigInt(quantity) * BigInt(quoteAtomsPerTickLot))));
}
