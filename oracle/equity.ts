/** What a position is worth at a price, and the prices at which that becomes too little. */
import { absolute, ceilDiv, floorDiv, larger, smaller } from './arithmetic.ts';
import type { Side } from './command.ts';
import { maintenanceOf, notionalOf } from './margin.ts';
import type { Market, Position } from './world.ts';

/** The highest price, in ticks, that any market may have. */
const MAX_PRICE_TICKS = 2n ** 26n;
const WHOLE_BPS = 10_000n;

export type Holding = Pick<Position, 'base' | 'entry' | 'margin'>;

export function sizeOf(position: Pick<Position, 'base'>): bigint {
  return absolute(position.base);
}

export function closingSideOf(position: Pick<Position, 'base'>): Side {
  return position.base > 0n ? 'sell' : 'buy';
}

/** How much of a position an order of this side closes at most. */
export function closableBy(side: Side, position: Pick<Position, 'base'> | undefined): bigint {
  return position !== undefined && closingSideOf(position) === side ? sizeOf(position) : 0n;
}

export function pnlOf(market: Market, position: Holding, price: bigint): bigint {
  const worth = notionalOf(market, price, sizeOf(position));
  return position.base > 0n ? worth - position.entry : position.entry - worth;
}

export function equityOf(market: Market, position: Holding, price: bigint): bigint {
  return position.margin + pnlOf(market, position, price);
}

export function maintenanceAt(market: Market, position: Holding, price: bigint): bigint {
  return maintenanceOf(notionalOf(market, price, sizeOf(position)), market.specification);
}

/** Whether the equity is below the maintenance requirement at a price. */
export function isUnhealthyAt(market: Market, position: Holding, price: bigint): boolean {
  return equityOf(market, position, price) < maintenanceAt(market, position, price);
}

/** The price at which a position must be unhealthy to be liquidated: of mark and index the one that is better for its owner. */
export function duePriceOf({ mark, index }: Market, { base }: Pick<Position, 'base'>): bigint {
  return base > 0n ? larger(mark, index.price) : smaller(mark, index.price);
}

export function isDue(market: Market, position: Position): boolean {
  return isUnhealthyAt(market, position, duePriceOf(market, position));
}

/** Whether less than half of the maintenance requirement is left at a price. Then the position is deleveraged if the book does not take it. */
export function isHalfLostAt(market: Market, position: Holding, price: bigint): boolean {
  return 2n * equityOf(market, position, price) < maintenanceAt(market, position, price);
}

export function isBankruptAt(market: Market, position: Holding, price: bigint): boolean {
  return equityOf(market, position, price) < 0n;
}

/** Whether the equity at a price pays the taker fee of closing the whole position there. */
export function paysClosingFeeAt(market: Market, position: Holding, price: bigint): boolean {
  const fee = notionalOf(market, price, sizeOf(position)) * BigInt(market.specification.takerFeeBps);
  return equityOf(market, position, price) * WHOLE_BPS >= fee;
}

/** The worst price at which a position pays for its close and the taker fee of it. 0 for a long that pays at any price. */
export function worstClosingPrice(market: Market, position: Holding, feeBps = BigInt(market.specification.takerFeeBps)): bigint {
  const tick = notionalOf(market, 1n, sizeOf(position));
  if (position.base < 0n) return floorDiv((position.entry + position.margin) * WHOLE_BPS, tick * (WHOLE_BPS + feeBps));
  return larger(0n, ceilDiv((position.entry - position.margin) * WHOLE_BPS, tick * (WHOLE_BPS - feeBps)));
}

/** The worst whole tick at which the equity is not negative. */
export function bankruptcyPriceOf(market: Market, position: Holding): bigint {
  return worstClosingPrice(market, position, 0n);
}

/**
 * The price that triggers a liquidation. For a long the highest tick with too little equity, or 0; for a short the lowest, or one above
 * all prices. Found by trying prices: equity less requirement rises (for a short, falls) with the price.
 */
export function liquidationPriceOf(market: Market, position: Holding): bigint {
  return firstPriceOf(market, position, isUnhealthyAt);
}

/** The price from which a position is deleveraged if the book does not take it, found in the same way. */
export function deleveragingPriceOf(market: Market, position: Holding): bigint {
  return firstPriceOf(market, position, isHalfLostAt);
}

/** How many parts the way from the liquidation price to the deleveraging price has. Each part that is lost is a step. */
export const STEPS = 8n;

/** The price at which a step is reached: that many parts of the way, in whole ticks toward the liquidation price. */
export function stepPriceOf(market: Market, position: Holding, step: bigint): bigint {
  const [due, halfLost] = [liquidationPriceOf(market, position), deleveragingPriceOf(market, position)];
  return position.base > 0n ? due - ((due - halfLost) * step) / STEPS : due + ((halfLost - due) * step) / STEPS;
}

/** Whether a position has reached a step at a price. */
export function hasReachedStep(market: Market, position: Holding, step: bigint, price: bigint): boolean {
  const reached = stepPriceOf(market, position, step);
  return position.base > 0n ? price <= reached : price >= reached;
}

/** How many steps a position that is due has reached. */
export function stepsOf(market: Market, position: Holding): bigint {
  return stepsAt(market, position, duePriceOf(market, position));
}

/** The same at another price; −1 if the position is not due there. */
export function stepsAt(market: Market, position: Holding, price: bigint): bigint {
  let steps = -1n;
  while (steps < STEPS && hasReachedStep(market, position, steps + 1n, price)) steps += 1n;
  return steps;
}

function firstPriceOf(
  market: Market,
  position: Holding,
  isReached: (market: Market, position: Holding, price: bigint) => boolean,
): bigint {
  const isLong = position.base > 0n;
  // Of the ticks 1 … max, a long is unhealthy below some tick, and a short from some tick on.
  let [lowest, highest] = [1n, MAX_PRICE_TICKS + 1n];
  while (lowest < highest) {
    const middle = (lowest + highest) / 2n;
    if (isReached(market, position, middle) === isLong) lowest = middle + 1n;
    else highest = middle;
  }
  return isLong ? lowest - 1n : lowest;
}
