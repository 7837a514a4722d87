/** What is missing when a bankrupt position closes, and how many lots a payment covers. */
import { ceilDiv, floorDiv, larger } from './arithmetic.ts';
import { equityOf, sizeOf } from './equity.ts';
import { fundBudgetOf } from './fund-budget.ts';
import type { Market, Position, World } from './world.ts';

/** Of the whole position at a price. */
export function shortfallAt(market: Market, position: Position, price: bigint): bigint {
  return larger(0n, -equityOf(market, position, price));
}

/** The share of a quantity, rounded up at the expense of the one who covers it: the rest lacks less by that. */
export function shortfallOf(market: Market, position: Position, price: bigint, quantity: bigint): bigint {
  return ceilDiv(shortfallAt(market, position, price) * quantity, sizeOf(position));
}

/** How many lots the fund can close at a price within the budget of the market. */
export function insuredLots(world: World, market: Market, position: Position, price: bigint): bigint {
  const shortfall = shortfallAt(market, position, price);
  const budget = fundBudgetOf(world, market);
  return budget >= shortfall ? sizeOf(position) : floorDiv(sizeOf(position) * budget, shortfall);
}
