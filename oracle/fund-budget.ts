/** What the insurance fund may still pay for a market today, and what it has paid. */
import { floorDiv, larger } from './arithmetic.ts';
import type { Market, Position, World } from './world.ts';

const DAY_MS = 86_400_000n;

/** A tenth of the fund and today's payments for the market together, less these payments. Without deleveraging the whole fund. */
export function fundBudgetOf(world: World, market: Market): bigint {
  const { insurance } = world.ledgers;
  if (!market.specification.autoDeleveraging) return insurance;
  const spent = market.fundUse.day === floorDiv(world.now, DAY_MS) ? market.fundUse.spent : 0n;
  return larger(0n, floorDiv(insurance + spent, 10n) - spent);
}

/** The payment counts for the market's day, and the position owes it. */
export function noteFundPayment(world: World, market: Market, position: Position, amount: bigint): void {
  if (amount === 0n) return;
  position.insured += amount;
  const day = floorDiv(world.now, DAY_MS);
  market.fundUse = { day, spent: (market.fundUse.day === day ? market.fundUse.spent : 0n) + amount };
}
