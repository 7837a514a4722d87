/**
 * The integer units that everything in the venue is counted in, and the only place that divides.
 * Every unit is a JavaScript safe integer with a brand; leaving the safe range is an error, never a wrong number.
 * Rounding is part of a function's name; whoever calls it says in a comment who owns the remainder.
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

/** The digits behind the point of the settlement asset. */
export const SETTLEMENT_DECIMALS = 6;
/** The whole, in basis points. */
export const WHOLE_BPS = 10_000;
/** The whole, in parts per billion. */
export const WHOLE_PPB = 1_000_000_000;

/** An amount left the range of exact integers. It stops the venue: a wrong number would be worse. */
export class AmountOverflow extends Error {
  override readonly name = 'AmountOverflow';
}

/** The value itself where it is an exact integer; throws {@link AmountOverflow} where it is not. */
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

/** No money. */
export const ZERO_QUOTE = 0 as QuoteAtoms;
/** No quantity. */
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
    // A quotient of two exact integers can be rounded up to the next whole one: the remainder tells.
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

/** A rate of an amount, rounded up. Both are non-negative. */
export function bpsOfUp<Unit extends number>(amount: Unit, rate: Bps): Unit {
  return mulDivUp(amount, rate, WHOLE_BPS);
}

/** A rate of a non-negative amount, rounded toward zero. The rate may be negative (a rebate). */
export function bpsOfTowardZero<Unit extends number>(amount: Unit, rate: Bps): Unit {
  return rate < 0 ? ((0 - mulDivDown(amount, -rate, WHOLE_BPS)) as Unit) : mulDivDown(amount, rate, WHOLE_BPS);
}

/** A total that may outgrow exact numbers (traded volume), as its decimal digits: it can be stored and sent as it is. */
export type WideAtoms = string & { readonly [unit]: 'WideAtoms' };

export const ZERO_WIDE = '0' as WideAtoms;

/** The total with an amount, or another total, added. */
export function widePlus(total: WideAtoms, amount: number | WideAtoms): WideAtoms {
  // Nearly every total is an exact number still.
  const sum = Number(total) + Number(amount);
  if (isShort(total) && isShort(amount) && Number.isSafeInteger(sum)) return String(sum) as WideAtoms;
  return String(BigInt(total) + BigInt(amount)) as WideAtoms;
}

/** The value with so many digits that are not zero, rounded toward zero: for showing what nobody is to know exactly. */
export function significantTowardZero(value: bigint, digits: number): bigint {
  const length = String(value < 0n ? -value : value).length;
  const unit = 10n ** BigInt(Math.max(0, length - digits));
  return (value / unit) * unit;
}

/** Money per whole unit of base, rounded down to a money atom: for showing, nothing is owed by it. */
export function moneyPerBaseDown(notional: QuoteAtoms, quantity: BaseAtoms, quantityScale: number): QuoteAtoms {
  return mulDivDown(notional, 10 ** quantityScale, quantity);
}

/** So few digits that it is an exact number for sure. */
function isShort(amount: number | WideAtoms): boolean {
  return typeof amount === 'number' || amount.length <= 15;
}

/** The price at which a quantity costs a notional, rounded down to the tick: for showing, nothing is owed by it. */
export function averagePriceDown(
  notional: number | WideAtoms,
  quantity: number | WideAtoms,
  quoteAtomsPerTickLot: number,
): PriceAtoms {
  return exact(Number(BigInt(notional) / (BigInt(quantity) * BigInt(quoteAtomsPerTickLot))));
}
