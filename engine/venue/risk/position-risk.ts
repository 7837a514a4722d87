/**
 * What a position is worth and what must back it, at a mark price: isolated margin, maintenance by tiers of notional.
 * Pure functions of plain numbers; the core decides by them and reads show them.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, exact, minus, mulDivDown, mulDivUp, plus, WHOLE_BPS } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';

/** A position as the formulas see it. */
export interface Exposure {
  /** Long above zero, short below; never zero. */
  readonly signedBaseAtoms: BaseAtoms;
  /** What entering cost, at or above zero. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
}

/** Where a position would be liquidated. */
export interface LiquidationPrice {
  /** The price nearest to the mark at which equity is below maintenance; 0 where no price is: the margin covers any loss. */
  readonly priceAtoms: PriceAtoms;
  /** That price lies in the maintenance tier that applies at the mark. */
  readonly isInTierOfMark: boolean;
}

const NEVER: LiquidationPrice = { priceAtoms: 0 as PriceAtoms, isInTierOfMark: true };

/** `mark × signedBase − signedEntryNotional`, exact. */
export function unrealizedPnlOf(exposure: Exposure, markPrice: PriceAtoms, quoteAtomsPerTickLot: number): QuoteAtoms {
  const { signedBaseAtoms, entryNotionalAtoms } = exposure;
  const entered = (signedBaseAtoms < 0 ? -entryNotionalAtoms : entryNotionalAtoms) as QuoteAtoms;
  return minus(exact<QuoteAtoms>(markPrice * signedBaseAtoms * quoteAtomsPerTickLot), entered);
}

/** Margin plus unrealized PnL. */
export function positionEquityOf(exposure: Exposure, markPrice: PriceAtoms, quoteAtomsPerTickLot: number): QuoteAtoms {
  return plus(exposure.marginAtoms, unrealizedPnlOf(exposure, markPrice, quoteAtomsPerTickLot));
}

/** The place of the tier that applies to a notional: the last one whose threshold it reaches. */
export function maintenanceTierAt(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): number {
  let index = 0;
  while (index + 1 < tiers.length && tiers[index + 1]!.notionalThresholdAtoms <= notional) index += 1;
  return index;
}

/** What must back a position of this notional: its tier's share of the whole notional, rounded up. */
export function maintenanceRequirementOf(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): QuoteAtoms {
  return bpsOfUp(notional, tiers[maintenanceTierAt(notional, tiers)]!.maintenanceMarginBps);
}

/** Equity over requirement in basis points, rounded down: below 10,000 the margin does not suffice. */
export function marginHealthBpsOf(equity: QuoteAtoms, requirement: QuoteAtoms): number {
  if (equity < 0) return -mulDivUp(-equity, WHOLE_BPS, requirement);
  return mulDivDown(equity as number, WHOLE_BPS, requirement);
}

/**
 * The price nearest to the mark, on the losing side, at which equity falls below maintenance. Within one tier that is
 * a straight line (long: `price × size × (1 − rate) < entry − margin`, short: `price × size × (1 + rate) > entry + margin`),
 * so the tiers are walked from the mark's own toward the loss, and the first that holds such a price gives it.
 */
export function liquidationPriceOf(
  exposure: Exposure,
  markPrice: PriceAtoms,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): LiquidationPrice {
  const perTick = exact<QuoteAtoms>(Math.abs(exposure.signedBaseAtoms) * quoteAtomsPerTickLot);
  const tierOfMark = maintenanceTierAt(exact<QuoteAtoms>(markPrice * perTick), tiers);
  return exposure.signedBaseAtoms > 0
    ? longLiquidationPrice(exposure, perTick, tierOfMark, tiers)
    : shortLiquidationPrice(exposure, perTick, tierOfMark, tiers);
}

function longLiquidationPrice(
  exposure: Exposure,
  perTick: number,
  tierOfMark: number,
  tiers: readonly MaintenanceTier[],
): LiquidationPrice {
  const uncovered = minus(exposure.entryNotionalAtoms, exposure.marginAtoms);
  if (uncovered <= 0) return NEVER;
  for (let tier = tierOfMark; tier >= 0; tier -= 1) {
    const kept = WHOLE_BPS - tiers[tier]!.maintenanceMarginBps;
    // The highest tick that is strictly below the line; rounding a rounded quotient again gives the same whole number.
    const line = kept === 0 ? Number.POSITIVE_INFINITY : mulDivUp(mulDivUp(uncovered as number, WHOLE_BPS, kept), 1, perTick) - 1;
    const price = Math.min(line, highestTickIn(tier, perTick, tiers));
    if (price >= Math.max(1, lowestTickIn(tier, perTick, tiers)))
      return { priceAtoms: price as PriceAtoms, isInTierOfMark: tier === tierOfMark };
  }
  return NEVER;
}

function shortLiquidationPrice(
  exposure: Exposure,
  perTick: number,
  tierOfMark: number,
  tiers: readonly MaintenanceTier[],
): LiquidationPrice {
  const covered = plus(exposure.entryNotionalAtoms, exposure.marginAtoms);
  for (let tier = tierOfMark; tier < tiers.length; tier += 1) {
    const owed = WHOLE_BPS + tiers[tier]!.maintenanceMarginBps;
    const line = mulDivDown(mulDivDown(covered as number, WHOLE_BPS, owed), 1, perTick) + 1;
    const price = Math.max(line, lowestTickIn(tier, perTick, tiers));
    if (price <= highestTickIn(tier, perTick, tiers))
      return { priceAtoms: price as PriceAtoms, isInTierOfMark: tier === tierOfMark };
  }
  return NEVER;
}

/** The first tick whose notional reaches the tier. */
function lowestTickIn(tier: number, perTick: number, tiers: readonly MaintenanceTier[]): number {
  return mulDivUp(tiers[tier]!.notionalThresholdAtoms as number, 1, perTick);
}

/** The last tick before the next tier. */
function highestTickIn(tier: number, perTick: number, tiers: readonly MaintenanceTier[]): number {
  return tier + 1 < tiers.length ? lowestTickIn(tier + 1, perTick, tiers) - 1 : Number.MAX_SAFE_INTEGER;
}
