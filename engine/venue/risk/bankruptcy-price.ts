/**
 * The price that uses up a position: closed there, or better, it leaves nobody else with a loss. Rounded toward profit,
 * so that what rounding leaves is the position's.
 */
import type { Bps, PriceAtoms } from '#units/money.ts';
import { minus, mulDivDown, mulDivUp, plus, WHOLE_BPS } from '#units/money.ts';
import type { Exposure } from './position-risk.ts';
import { tickValueOf } from './position-risk.ts';
import { wholeAtLeast, wholeAtMost } from './share.ts';

/**
 * Of a long the lowest price at which its equity is not below zero, 0 where its margin covers any loss; of a short the
 * highest, 0 where no price is. It may lie outside of the market's bounds.
 */
export function bankruptcyPriceOf(exposure: Exposure, quoteAtomsPerTickLot: number): PriceAtoms {
  return closingPriceBoundOf(exposure, quoteAtomsPerTickLot, 0 as Bps);
}

/** The same where the close is to leave enough for a fee of what it is worth: `feeBps` is from 0 to 9,999. */
export function closingPriceBoundOf(exposure: Exposure, quoteAtomsPerTickLot: number, feeBps: Bps): PriceAtoms {
  const tickValue = tickValueOf(exposure, quoteAtomsPerTickLot);
  const { signedBaseAtoms, entryNotionalAtoms, marginAtoms } = exposure;
  if (signedBaseAtoms < 0) {
    const proceeds = plus(entryNotionalAtoms, marginAtoms) as number;
    return mulDivDown(wholeAtMost(proceeds, WHOLE_BPS + feeBps), 1, tickValue) as PriceAtoms;
  }
  const uncovered = minus(entryNotionalAtoms, marginAtoms) as number;
  if (uncovered <= 0) return 0 as PriceAtoms;
  return mulDivUp(wholeAtLeast(uncovered, WHOLE_BPS - feeBps), 1, tickValue) as PriceAtoms;
}
