/** What opening needs, by how large the exposure becomes: the initial margin rises with the maintenance tiers. */
import type { Bps, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, smallerOf, WHOLE_BPS } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { maintenanceTierAt } from './position-risk.ts';

export type InitialMarginTerms = Pick<MarketSpecification, 'initialMarginBps' | 'maxLeverageX' | 'maintenanceMarginTiers'>;

/**
 * The least initial margin of an order after which position, resting orders and the order itself are worth `exposure`:
 * as many times the market's own as the maintenance rate of the tier that this reaches is times the first one's,
 * rounded up, and at most the whole.
 */
export function initialMarginBpsAt(exposure: QuoteAtoms, { initialMarginBps, maintenanceMarginTiers }: InitialMarginTerms): Bps {
  const tier = maintenanceMarginTiers[maintenanceTierAt(exposure, maintenanceMarginTiers)]!;
  const first = maintenanceMarginTiers[0]!;
  return smallerOf(WHOLE_BPS as Bps, mulDivUp(initialMarginBps, tier.maintenanceMarginBps, first.maintenanceMarginBps));
}

/** The highest whole leverage that such an order may ask for; at least 1. */
export function maxLeverageAt(exposure: QuoteAtoms, terms: InitialMarginTerms): number {
  return Math.min(terms.maxLeverageX, mulDivDown(WHOLE_BPS, 1, initialMarginBpsAt(exposure, terms)));
}
