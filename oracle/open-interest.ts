/** The initial margin rises with the open interest: between two bounds, from the rate of an exposure to the whole notional. */
import { ceilDiv, sum } from './arithmetic.ts';
import type { Specification } from './command.ts';
import { initialMarginBpsAt, notionalOf } from './margin.ts';
import type { Market } from './world.ts';

const WHOLE_BPS = 10_000n;

/** The notional of all long positions at the mark. */
export function openInterestOf(market: Market): bigint {
  const longs = market.positions.map(({ base }) => base).filter((base) => base > 0n);
  return notionalOf(market, market.mark, sum(longs));
}

/** Whether an open interest raises the rates of a market. */
export function isCrowded({ openInterest }: Specification, atoms: bigint): boolean {
  return openInterest !== undefined && atoms > BigInt(openInterest.lowerAtoms);
}

/** The initial margin of an exposure at an open interest, rounded up. */
export function initialMarginIn(specification: Specification, exposure: bigint, atoms: bigint): bigint {
  const base = initialMarginBpsAt(exposure, specification);
  const { openInterest } = specification;
  if (openInterest === undefined || !isCrowded(specification, atoms)) return base;
  const [lower, upper] = [BigInt(openInterest.lowerAtoms), BigInt(openInterest.upperAtoms)];
  if (atoms >= upper) return WHOLE_BPS;
  return base + ceilDiv((WHOLE_BPS - base) * (atoms - lower), upper - lower);
}
