/**
 * The shortfall of closing a position, exact to the atom, and its split over partial closes. It does not use the bankruptcy
 * price: that is rounded to a whole tick, so covering up to it would overpay by up to one tick per lot.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, ZERO_QUOTE } from '#units/money.ts';
import type { Exposure } from './position-risk.ts';
import { positionEquityOf } from './position-risk.ts';

/** The amount that is missing if the whole position is closed at a price. */
export function shortfallAt(exposure: Exposure, price: PriceAtoms, quoteAtomsPerTickLot: number): QuoteAtoms {
  return largerOf(ZERO_QUOTE, minus(ZERO_QUOTE, positionEquityOf(exposure, price, quoteAtomsPerTickLot)));
}

/**
 * The share of the shortfall for a quantity, rounded up so that a partial close takes no margin from the rest. The coverer does
 * not lose the rounding: the shortfall of the rest shrinks by it, and the last close needs only what is left.
 */
export function shareOfShortfall(shortfall: QuoteAtoms, quantity: BaseAtoms, size: BaseAtoms): QuoteAtoms {
  return mulDivUp(shortfall, quantity, size);
}

/** The number of lots whose share of the shortfall `cover` can pay for. */
export function coverableLots(shortfall: QuoteAtoms, cover: QuoteAtoms, size: BaseAtoms): BaseAtoms {
  return cover >= shortfall ? size : mulDivDown(size, cover, shortfall);
}
