/**
 * Equity, maintenance requirement and liquidation price of a position with isolated margin and tiers by notional.
 * Pure functions: the core decides with them, and reads report their results.
 */
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, exact, minus, mulDivDown, mulDivUp, plus, WHOLE_BPS } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import { MAX_PRICE_TICKS } from '#venue/market/specification.ts';
import { wholeAtLeast, wholeAtMost } from './share.ts';

/** A position whose equity is below half of its maintenance requirement is deleveraged if the book takes no more of it. */
const DELEVERAGING_MULTIPLE = 2;

/** The inputs of the formulas from a position. */
export interface Exposure {
  /** Positive for a long, negative for a short; never zero. */
  readonly signedBaseAtoms: BaseAtoms;
  /** The total cost of entering the quantity; zero or more. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
}

/** The liquidation price of a position, as reads report it. */
export interface LiquidationPrice {
  /** The trigger, or 0 if no price triggers liquidation because the margin covers any loss. */
  readonly priceAtoms: PriceAtoms;
  /** Whether that price is in the maintenance tier that applies at the mark. */
  readonly isInTierOfMark: boolean;
}

/** The trigger of a short that no price liquidates: one tick above the highest price. For a long it is 0. */
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

/** The value of one tick of price to a position, in money atoms. */
export function tickValueOf(exposure: Exposure, quoteAtomsPerTickLot: number): QuoteAtoms {
  return exact(Math.abs(exposure.signedBaseAtoms) * quoteAtomsPerTickLot);
}

/** The index of the tier of a notional: the last tier with a threshold not above it. */
export function maintenanceTierAt(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): number {
  let index = 0;
  while (index + 1 < tiers.length && tiers[index + 1]!.notionalThresholdAtoms <= notional) index += 1;
  return index;
}

/**
 * The maintenance margin of a notional: each tier's rate applies to the part of the notional within the tier. The sum is
 * exact and rounded up once. It equals notional × rate of the last reached tier, less the rebates of the tiers up to it
 * (`tierRebate`).
 */
export function maintenanceRequirementOf(notional: QuoteAtoms, tiers: readonly MaintenanceTier[]): QuoteAtoms {
  let rebate = 0;
  let tier = 0;
  while (tier + 1 < tiers.length && tiers[tier + 1]!.notionalThresholdAtoms <= notional) {
    tier += 1;
    rebate += tierRebate(tier, tiers);
  }
  return minus(bpsOfUp(notional, tiers[tier]!.maintenanceMarginBps), rebate as QuoteAtoms);
}

/**
 * Equity ÷ requirement in basis points, rounded down; below 10,000 the margin is insufficient. If a tiny requirement makes
 * the ratio exceed the safe integers, it is limited to them.
 */
export function marginHealthBpsOf(equity: QuoteAtoms, requirement: QuoteAtoms): number {
  if (requirement < WHOLE_BPS) {
    const maxEquity = mulDivDown(Number.MAX_SAFE_INTEGER, requirement, WHOLE_BPS);
    if (Math.abs(equity) > maxEquity) return equity < 0 ? -Number.MAX_SAFE_INTEGER : Number.MAX_SAFE_INTEGER;
  }
  if (equity < 0) return -mulDivUp(-equity, WHOLE_BPS, requirement);
  return mulDivDown(equity as number, WHOLE_BPS, requirement);
}

/**
 * The trigger price of a position's liquidation. For a long it is the highest tick at which equity is below maintenance, or
 * 0; for a short the lowest, or `NEVER_REACHED`. Equity minus requirement is monotonic in the price, so equity is below
 * maintenance at every worse price and at no better one.
 */
export function liquidationTriggerOf(
  exposure: Exposure,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): PriceAtoms {
  return triggerOf(exposure, quoteAtomsPerTickLot, tiers, 1);
}

/** The same for deleveraging: the first price at which {@link DELEVERAGING_MULTIPLE} times the equity is below maintenance. */
export function deleveragingTriggerOf(
  exposure: Exposure,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): PriceAtoms {
  return triggerOf(exposure, quoteAtomsPerTickLot, tiers, DELEVERAGING_MULTIPLE);
}

/** Whether a price is at or beyond a trigger of a position. */
export function hasReached(
  { signedBaseAtoms }: Pick<Exposure, 'signedBaseAtoms'>,
  trigger: PriceAtoms,
  price: PriceAtoms,
): boolean {
  return signedBaseAtoms > 0 ? price <= trigger : price >= trigger;
}

/** The trigger price as reads report it: 0 if no price triggers liquidation, and with the tier comparison. */
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

function triggerOf(
  exposure: Exposure,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
  multiple: number,
): PriceAtoms {
  const tickValue = tickValueOf(exposure, quoteAtomsPerTickLot);
  const trigger = exposure.signedBaseAtoms > 0 ? longTrigger : shortTrigger;
  return trigger(exposure, tickValue, tiers, multiple);
}

/**
 * Rates rise with the tiers, so the requirement is the maximum of the tiers' linear functions `notional × rate − rebate`.
 * So `multiple` × equity is below maintenance if any tier's condition holds:
 * `notional × (multiple − rate) < multiple × (entry − margin) − rebate`.
 */
function longTrigger(exposure: Exposure, tickValue: number, tiers: readonly MaintenanceTier[], multiple: number): PriceAtoms {
  let uncovered = multiple * minus(exposure.entryNotionalAtoms, exposure.marginAtoms);
  // The lowest notional at which no tier's condition holds.
  let healthy = 0;
  for (let tier = 0; tier < tiers.length; tier += 1) {
    uncovered -= tierRebate(tier, tiers);
    if (uncovered <= 0) break;
    healthy = Math.max(healthy, wholeAtLeast(uncovered, multiple * WHOLE_BPS - tiers[tier]!.maintenanceMarginBps));
  }
  if (healthy === 0) return 0 as PriceAtoms;
  return Math.min(MAX_PRICE_TICKS, mulDivDown(healthy - 1, 1, tickValue)) as PriceAtoms;
}

/** The condition of a tier for a short: `notional × (multiple + rate) > multiple × (entry + margin) + rebate`. */
function shortTrigger(exposure: Exposure, tickValue: number, tiers: readonly MaintenanceTier[], multiple: number): PriceAtoms {
  let covered = multiple * plus(exposure.entryNotionalAtoms, exposure.marginAtoms);
  // The highest notional at which no tier's condition holds.
  let healthy = Number.MAX_SAFE_INTEGER;
  for (let tier = 0; tier < tiers.length; tier += 1) {
    covered += tierRebate(tier, tiers);
    healthy = Math.min(healthy, wholeAtMost(covered, multiple * WHOLE_BPS + tiers[tier]!.maintenanceMarginBps));
  }
  return Math.min(NEVER_REACHED, mulDivDown(healthy, 1, tickValue) + 1) as PriceAtoms;
}

/** The amount by which the requirement is lower because the tier below has a lower rate: threshold × rate difference. */
function tierRebate(tier: number, tiers: readonly MaintenanceTier[]): number {
  if (tier === 0) return 0;
  const { notionalThresholdAtoms, maintenanceMarginBps } = tiers[tier]!;
  // Exact: thresholds are whole cents, and a cent has 10,000 atoms, as many as 100 % has basis points.
  const cents = mulDivDown(notionalThresholdAtoms as number, 1, WHOLE_BPS);
  return cents * (maintenanceMarginBps - tiers[tier - 1]!.maintenanceMarginBps);
}
