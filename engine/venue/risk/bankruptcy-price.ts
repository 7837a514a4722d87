/**
 * The price at which a position's equity is zero: a close at this price or better costs no one else. It is rounded toward
 * profit, so that the rounding remainder belongs to the position.
 */
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { exact, minus, mulDivDown, mulDivUp, plus, WHOLE_BPS } from '#units/money.ts';
import type { Exposure } from './position-risk.ts';
import { tickValueOf } from './position-risk.ts';
import { wholeAtLeast, wholeAtMost } from './share.ts';

/**
 * For a long, the lowest price at which equity is not negative, or 0 if its margin covers any loss. For a short, the highest
 * such price, or 0 if there is no such price. It may be outside the market's bounds.
 */
export function bankruptcyPriceOf(exposure: Exposure, quoteAtomsPerTickLot: number): PriceAtoms {
  return closingPriceBoundOf(exposure, quoteAtomsPerTickLot, 0 as Bps);
}

/** The same, but the close must also pay a fee on its notional. `feeBps` is from 0 to 9,999. */
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

/** What closing a quantity at a price brings beyond the bankruptcy price; negative if it is worse. */
export function closingGainOf(
  exposure: Exposure,
  price: PriceAtoms,
  quantity: BaseAtoms,
  quoteAtomsPerTickLot: number,
): QuoteAtoms {
  const better = price - bankruptcyPriceOf(exposure, quoteAtomsPerTickLot);
  return exact((exposure.signedBaseAtoms > 0 ? better : -better) * quantity * quoteAtomsPerTickLot);
}
