/** The paper position of a deployment with its average price, folded from its orders. */
import type { ScriptPosition } from '#agents/script/run.ts';
import { averagePriceDown, SETTLEMENT_DECIMALS } from '#units/money.ts';
import type { MarketScale } from './ports.ts';

export const FLAT: ScriptPosition = { quantityAtoms: 0, averagePriceAtoms: null };

export interface OrderFills {
  readonly filledBaseAtoms: number;
  readonly filledNotionalAtoms: number;
  /** The paper position after the order. */
  readonly positionBaseAtoms: number;
}

/**
 * The average price of a position is that of the order that opened or reversed it, rounded down to the tick. An order never increases a
 * position (pyramiding 0), and a decrease leaves the average as it is.
 */
export function positionAfter(before: ScriptPosition, fills: OrderFills, scale: MarketScale): ScriptPosition {
  const quantityAtoms = fills.positionBaseAtoms;
  if (quantityAtoms === 0) return FLAT;
  if (Math.sign(quantityAtoms) === Math.sign(before.quantityAtoms)) return { ...before, quantityAtoms };
  const quoteAtomsPerTickLot = 10 ** (SETTLEMENT_DECIMALS - scale.priceScale - scale.quantityScale);
  const averagePriceAtoms = averagePriceDown(fills.filledNotionalAtoms, fills.filledBaseAtoms, quoteAtomsPerTickLot);
  return { quantityAtoms, averagePriceAtoms };
}
