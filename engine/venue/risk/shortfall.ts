/**
 * What closing a position costs beyond what backs it, to the atom, and how that is shared out where it is closed in parts. Not by
 * the bankruptcy price: that is a whole tick, and whoever pays up to it gives the position up to a tick a lot.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, mulDivUp, ZERO_QUOTE } from '#units/money.ts';
import type { Exposure } from './position-risk.ts';
import { positionEquityOf } from './position-risk.ts';

/** What would be missing if all of it were closed at a price. */
export function shortfallAt(exposure: Exposure, price: PriceAtoms, quoteAtomsPerTickLot: number): QuoteAtoms {
  return largerOf(ZERO_QUOTE, minus(ZERO_QUOTE, positionEquityOf(exposure, price, quoteAtomsPerTickLot)));
}

/**
 * The part of it that falls on a quantity, rounded up: so no part takes from the margin what backs the rest. The remainder is
 * whose who covers it, and not for long: as much less is missing from the rest, and the last part is what is left.
 */
export function shareOfShortfall(shortfall: QuoteAtoms, quantity: BaseAtoms, size: BaseAtoms): QuoteAtoms {
  return mulDivUp(shortfall, quantity, size);
}

/** How many lots can be closed if so much is there to cover their part. */
export function coverableLots(shortfall: QuoteAtoms, cover: QuoteAtoms, size: BaseAtoms): BaseAtoms {
  return cover >= shortfall ? size : mulDivDown(size, cover, shortfall);
}
