/**
 * What a position is worth, what must back it, and where that no longer suffices: isolated margin, maintenance by tiers
 * of notional. Pure functions of plain numbers; the core decides by them and reads show them.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, exact, minus, mulDivDown, mulDivUp, plus, WHOLE_BPS } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import { MAX_PRICE_TICKS } from '#venue/market/specification.ts';
import { wholeAtLeast, wholeAtMost } from './share.ts';

/** A position as the formulas see it. */
export interface Exposure {
  /** Long above zero, short below; never zero. */
  readonly signedBaseAtoms: BaseAtoms;
  /** What entering cost, at or above zero. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
}

/** Where a position would be liquidated, for those who read. */
export interface LiquidationPrice {
  /** The trigger; 0 where no price is one: the margin covers any loss. */
  readonly priceAtoms: PriceAtoms;
  /** That price lies in the maintenance tier that applies at the mark. */
  readonly isInTierOfMark: boolean;
}

/** The trigger of a short that no price liquidates: above all prices there can be. A long's is 0, below them. */
export const NEVER_REACHED = (MAX_PRICE_TICKS + 1) as PriceAtoms;

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

/** What one tick of price is worth to a position, in money atoms. */
export function tickValueOf(exposure: Exposure, quoteAtomsPerTickLot: number): QuoteAtoms {
  return exact(Math.abs(exposure.signedBaseAtoms) * quoteAtomsPerTickLot);
}

/** The place of the tier that a notional reaches: the last one whose threshold is not above it. */
export function maintenanceTierAt(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): number {
  let index = 0;
  while (index + 1 < tiers.length && tiers[index + 1]!.notionalThresholdAtoms <= notional) index += 1;
  return index;
}

/**
 * What must back a position of this notional: each tier's share of the part of the notional inside of it, summed exactly
 * and rounded up once. The sum is the share that the last tier would take of all of it, less what the tiers below ask
 * less for (`tierRebate`).
 */
export function maintenanceRequirementOf(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): QuoteAtoms {
  let relief = 0;
  let tier = 0;
  while (tier + 1 < tiers.length && tiers[tier + 1]!.notionalThresholdAtoms <= notional) {
    tier += 1;
    relief += tierRebate(tier, tiers);
  }
  return minus(bpsOfUp(notional, tiers[tier]!.maintenanceMarginBps), relief as QuoteAtoms);
}

/**
 * Equity over requirement in basis points, rounded down: below 10,000 the margin does not suffice. Held to what numbers say
 * exactly, where a requirement is next to nothing.
 */
export function marginHealthBpsOf(equity: QuoteAtoms, requirement: QuoteAtoms): number {
  if (requirement < WHOLE_BPS) {
    const most = mulDivDown(Number.MAX_SAFE_INTEGER, requirement, WHOLE_BPS);
    if (Math.abs(equity) > most) return equity < 0 ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  if (equity < 0) return -mulDivUp(-equity, WHOLE_BPS, requirement);
  return mulDivDown(equity as number, WHOLE_BPS, requirement);
}

/**
 * The price that triggers the liquidation of a position: of a long the highest tick at which equity is below
 * maintenance, or 0, of a short the lowest, or `NEVER_REACHED`. Equity less requirement only falls toward the loss, so
 * every price beyond the trigger is condemned and none before it.
 */
export function liquidationTriggerOf(
  exposure: Exposure,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): PriceAtoms {
  const tickValue = tickValueOf(exposure, quoteAtomsPerTickLot);
  return exposure.signedBaseAtoms > 0 ? longTrigger(exposure, tickValue, tiers) : shortTrigger(exposure, tickValue, tiers);
}

/** The same for those who read: with its tier, and 0 where no price triggers it. */
export function liquidationPriceOf(
  exposure: Exposure,
  markPrice: PriceAtoms,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): LiquidationPrice {
  const trigger = liquidationTriggerOf(exposure, quoteAtomsPerTickLot, tiers);
  if (trigger === 0 || trigger === NEVER_REACHED) return { priceAtoms: 0 as PriceAtoms, isInTierOfMark: true };
  const tickValue = tickValueOf(exposure, quoteAtomsPerTickLot);
  const tierAt = (price: PriceAtoms) => maintenanceTierAt(exact<QuoteAtoms>(price * tickValue), tiers);
  return { priceAtoms: trigger, isInTierOfMark: tierAt(trigger) === tierAt(markPrice) };
}

/**
 * As rates rise, the requirement is the largest of the tiers' straight lines `notional × rate − relief`. So a notional is
 * condemned where any line condemns it, on its own: `notional × (1 − rate) < entry − margin − relief`.
 */
function longTrigger(exposure: Exposure, tickValue: number, tiers: readonly MaintenanceTier[]): PriceAtoms {
  let uncovered = minus(exposure.entryNotionalAtoms, exposure.marginAtoms) as number;
  // The lowest notional that no line condemns.
  let healthy = 0;
  for (let tier = 0; tier < tiers.length; tier += 1) {
    uncovered -= tierRebate(tier, tiers);
    if (uncovered <= 0) break;
    healthy = Math.max(healthy, wholeAtLeast(uncovered, WHOLE_BPS - tiers[tier]!.maintenanceMarginBps));
  }
  if (healthy === 0) return 0 as PriceAtoms;
  return Math.min(MAX_PRICE_TICKS, mulDivDown(healthy - 1, 1, tickValue)) as PriceAtoms;
}

/** Likewise: `notional × (1 + rate) > entry + margin + relief`. */
function shortTrigger(exposure: Exposure, tickValue: number, tiers: readonly MaintenanceTier[]): PriceAtoms {
  let covered = plus(exposure.entryNotionalAtoms, exposure.marginAtoms) as number;
  // The highest notional that no line condemns.
  let healthy = Number.MAX_SAFE_INTEGER;
  for (let tier = 0; tier < tiers.length; tier += 1) {
    covered += tierRebate(tier, tiers);
    healthy = Math.min(healthy, wholeAtMost(covered, WHOLE_BPS + tiers[tier]!.maintenanceMarginBps));
  }
  return Math.min(NEVER_REACHED, mulDivDown(healthy, 1, tickValue) + 1) as PriceAtoms;
}

/** What a notional in this tier or above is spared since the tier below takes less of what lies below the threshold. */
function tierRebate(tier: number, tiers: readonly MaintenanceTier[]): number {
  if (tier === 0) return 0;
  const { notionalThresholdAtoms, maintenanceMarginBps } = tiers[tier]!;
  // Exact: thresholds are whole cents, and a cent has as many atoms as the whole has basis points.
  const cents = mulDivDown(notionalThresholdAtoms as number, 1, WHOLE_BPS);
  return cents * (maintenanceMarginBps - tiers[tier - 1]!.maintenanceMarginBps);
}
