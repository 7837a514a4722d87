/**
 * What the operator's new specifications keep beyond what the core needs: bounds of the price source and of the measure of the book. The
 * core accepts others, because journals of earlier versions have them, and simulations list markets with wild prices.
 */
import { mulDivDown, WHOLE_BPS } from '#units/money.ts';
import type { MarketSpecification } from './specification.ts';
import { specificationFault } from './specification.ts';

/** The initial margin of the impact notional at least, 200 dollars, as at Binance (200) and dYdX (500): moving the book must bind money. */
const MIN_IMPACT_MARGIN_ATOMS = 200_000_000;
/** And at most: a book that never has so much depth would leave mark and funding to the index alone. */
const MAX_IMPACT_MARGIN_ATOMS = 100_000_000_000;
/** A smaller limit than this part of the first maintenance rate would hold ordinary prices back. */
const MIN_JUMP_PARTS = 10;

/** Describes the first rule that a specification breaks; `undefined` if it may be listed. */
export function listingFault(specification: MarketSpecification): string | undefined {
  return specificationFault(specification) ?? jumpFault(specification) ?? impactFault(specification);
}

/**
 * A price within the jump limit counts at once. A position that meets the maintenance requirement then keeps equity after one such price,
 * however wrong it is, and the next ones can correct it.
 */
function jumpFault({ maxIndexJumpBps, maintenanceMarginTiers }: MarketSpecification): string | undefined {
  const first = maintenanceMarginTiers[0]!.maintenanceMarginBps;
  return maxIndexJumpBps <= first && maxIndexJumpBps * MIN_JUMP_PARTS >= first
    ? undefined
    : `maxIndexJumpBps must be from a tenth of the first maintenance tier to all of it (${first})`;
}

function impactFault({ impactNotionalAtoms, initialMarginBps }: MarketSpecification): string | undefined {
  const margin = mulDivDown<number>(impactNotionalAtoms, initialMarginBps, WHOLE_BPS);
  return margin >= MIN_IMPACT_MARGIN_ATOMS && margin <= MAX_IMPACT_MARGIN_ATOMS
    ? undefined
    : 'the initial margin of impactNotionalAtoms must be from 200 to 100000 USD.E';
}
