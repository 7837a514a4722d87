/** The initial margin of an order by the resulting exposure: it rises with the maintenance tiers. */
import type { Bps, QuoteAtoms } from '#units/money.ts';
import { mulDivDown, mulDivUp, smallerOf, WHOLE_BPS } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { maintenanceTierAt } from './position-risk.ts';

export type InitialMarginTerms = Pick<MarketSpecification, 'initialMarginBps' | 'maxLeverageX' | 'maintenanceMarginTiers'>;

/**
 * The minimum initial margin rate of an order. `exposure` is the notional of the position, the resting orders and the order
 * together. The rate is the market's initial margin × the maintenance rate of the tier of `exposure` ÷ that of the first
 * tier, rounded up, at most 100 %.
 */
export function initialMarginBpsAt(exposure: QuoteAtoms, { initialMarginBps, maintenanceMarginTiers }: InitialMarginTerms): Bps {
  const tier = maintenanceMarginTiers[maintenanceTierAt(exposure, maintenanceMarginTiers)]!;
  const first = maintenanceMarginTiers[0]!;
  return smallerOf(WHOLE_BPS as Bps, mulDivUp(initialMarginBps, tier.maintenanceMarginBps, first.maintenanceMarginBps));
}

/** The highest integer leverage that such an order may use; at least 1. */
export function maxLeverageAt(exposure: QuoteAtoms, terms: InitialMarginTerms): number {
  return maxLeverageOf(initialMarginBpsAt(exposure, terms), terms);
}

/** The highest integer leverage at an initial margin rate; at least 1. */
export function maxLeverageOf(initialMarginBps: Bps, { maxLeverageX }: Pick<InitialMarginTerms, 'maxLeverageX'>): number {
  return Math.min(maxLeverageX, mulDivDown<number>(WHOLE_BPS, 1, initialMarginBps));
}
