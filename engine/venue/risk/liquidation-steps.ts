/**
 * The steps of a liquidation: equal parts of the way from the liquidation price of a position to the price at which half of its
 * maintenance requirement is lost. Each step permits fills further from the price, until the last one permits the bankruptcy price.
 */
import type { PriceAtoms } from '#units/money.ts';
import { mulDivDown } from '#units/money.ts';
import type { MaintenanceTier } from '#venue/market/specification.ts';
import { bankruptcyPriceOf } from './bankruptcy-price.ts';
import type { Exposure } from './position-risk.ts';
import { deleveragingTriggerOf, hasReached, liquidationTriggerOf } from './position-risk.ts';

/** The step of a position before its liquidation price. */
export const NOT_DUE = -1;

/** Step 0 is reached at the liquidation price, this one where half of the requirement is lost. */
export const HALF_LOST_STEP = 8;

/** The first step at which a liquidation may fill down to the bankruptcy price. */
export const WHOLE_WAY_STEP = HALF_LOST_STEP - 1;

/** The price at which a position reaches a step, rounded toward the liquidation price. */
export function stepPriceOf(
  exposure: Exposure,
  step: number,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): PriceAtoms {
  const due = liquidationTriggerOf(exposure, quoteAtomsPerTickLot, tiers);
  const halfLost = deleveragingTriggerOf(exposure, quoteAtomsPerTickLot, tiers);
  return priceBetween(due, halfLost, step);
}

/** The step that a position has reached at a price; {@link NOT_DUE} if it is not due there. */
export function stepAt(
  exposure: Exposure,
  price: PriceAtoms,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): number {
  const due = liquidationTriggerOf(exposure, quoteAtomsPerTickLot, tiers);
  const halfLost = deleveragingTriggerOf(exposure, quoteAtomsPerTickLot, tiers);
  let step = HALF_LOST_STEP;
  while (step > NOT_DUE && !hasReached(exposure, priceBetween(due, halfLost, step), price)) step -= 1;
  return step;
}

/** The limit price of a step: one more part than the step of the way from the price to the bankruptcy price, rounded toward the price. */
export function stepLimitOf(step: number, price: PriceAtoms, bankruptcyPrice: PriceAtoms): PriceAtoms {
  return priceBetween(price, bankruptcyPrice, step + 1);
}

/** The first step from `from` on that permits a fill at a price when it is reached; {@link HALF_LOST_STEP} if none does. */
export function stepReaching(
  exposure: Exposure,
  price: PriceAtoms,
  from: number,
  quoteAtomsPerTickLot: number,
  tiers: readonly MaintenanceTier[],
): number {
  const bankruptcyPrice = bankruptcyPriceOf(exposure, quoteAtomsPerTickLot);
  for (let step = from; step < HALF_LOST_STEP; step += 1) {
    const limit = stepLimitOf(step, stepPriceOf(exposure, step, quoteAtomsPerTickLot, tiers), bankruptcyPrice);
    if (exposure.signedBaseAtoms > 0 ? price >= limit : price <= limit) return step;
  }
  return HALF_LOST_STEP;
}

/** The price after some of the {@link HALF_LOST_STEP} parts of the way between two prices. */
function priceBetween(from: PriceAtoms, to: PriceAtoms, parts: number): PriceAtoms {
  const moved = mulDivDown(Math.abs(to - from), parts, HALF_LOST_STEP);
  return (from < to ? from + moved : from - moved) as PriceAtoms;
}
