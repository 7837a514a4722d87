/** What the venue's documents say of funding payments. */
import type { Listing } from './listing.ts';
import type { Holding } from './position-rules.ts';
import { shareTowardZero, shareUp } from './rounding.ts';

/** What a long pays for one lot, in millionths of an atom, rounded toward zero. */
export function fundingPerLot(index: number, ratePpb: number, { tickLot }: Listing): number {
  return shareTowardZero(index * tickLot, ratePpb, 1_000);
}

/** What a position pays, rounded up, or below zero gets, rounded down. */
export function fundingOwed(signedBase: number, perLotMicroAtoms: number): number {
  const isPaying = signedBase > 0 === perLotMicroAtoms > 0 && perLotMicroAtoms !== 0;
  if (isPaying) return shareUp(Math.abs(signedBase), Math.abs(perLotMicroAtoms), 1_000_000);
  return shareTowardZero(signedBase, perLotMicroAtoms, 1_000_000);
}

/** A payment comes out of the margin; the rest makes the entry worse, of a short down to one atom. */
export function afterFunding<It extends Holding>(holding: It, payment: number): It {
  const { signedBase, entry, margin } = holding;
  if (payment <= margin) return { ...holding, margin: margin - payment };
  const rest = payment - margin;
  return { ...holding, entry: signedBase > 0 ? entry + rest : Math.max(1, entry - rest), margin: 0 };
}

/** Periods end at whole multiples of their length. */
export function endOfPeriod(epochMs: number, { specification: { fundingPeriodMs } }: Listing): number {
  return (Math.floor(epochMs / fundingPeriodMs) + 1) * fundingPeriodMs;
}
