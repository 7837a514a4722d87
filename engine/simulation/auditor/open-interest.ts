/** What the venue's documents say of the open interest: between two bounds it raises the initial margin up to the whole notional. */
import type { OrderAccepted } from '#venue/event.ts';
import type { Listing } from './listing.ts';
import type { PositionBooks } from './position-books.ts';

/** The notional of all long positions at the mark; 0 if no rate depends on it. */
export function openInterestIn({ market, tickLot, specification }: Listing, positions: PositionBooks, mark: number): bigint {
  if (specification.openInterest === undefined) return 0n;
  let longs = 0n;
  for (const { signedBase } of positions.in(market)) if (signedBase > 0) longs += BigInt(signedBase);
  return longs * BigInt(mark) * BigInt(tickLot);
}

/** A rate in basis points at an open interest: the share of the way between the bounds is added to it, rounded up. */
export function raisedRate(rate: number, openInterest: bigint, { specification }: Listing): number {
  const bounds = specification.openInterest;
  if (bounds === undefined) return rate;
  const [lower, upper] = [BigInt(bounds.lowerAtoms), BigInt(bounds.upperAtoms)];
  if (openInterest <= lower) return rate;
  if (openInterest >= upper) return 10_000;
  const [rest, length] = [BigInt(10_000 - rate), upper - lower];
  return rate + Number((rest * (openInterest - lower) + length - 1n) / length);
}

/** Adds an order to the open interest as if all of it opened. An order that only closes raises nothing. */
export function openInterestWith(
  { terms, reduceOnly }: OrderAccepted,
  openInterest: bigint,
  closable: number,
  mark: number,
  { tickLot }: Listing,
): bigint {
  const notional = 'notionalAtoms' in terms ? terms.notionalAtoms : undefined;
  if (notional !== undefined) return reduceOnly ? 0n : openInterest + BigInt(notional);
  const quantity = 'quantityAtoms' in terms ? terms.quantityAtoms : 0;
  if (reduceOnly || quantity <= closable) return 0n;
  const price = 'priceAtoms' in terms ? terms.priceAtoms : mark;
  return openInterest + BigInt(price) * BigInt(quantity) * BigInt(tickLot);
}

/** Whether an open interest raises the rates. */
export function isCrowded(openInterest: bigint, { specification: { openInterest: bounds } }: Listing): boolean {
  return bounds !== undefined && openInterest > BigInt(bounds.lowerAtoms);
}
