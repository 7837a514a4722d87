/**
 * What the insurance fund has for a market, what of it the market may use today, and what has moved. What the positions of a market bring
 * the fund is the market's own part; the rest is common.
 */
import { floorDiv, larger, smaller, sum } from './arithmetic.ts';
import type { Market, Position, World } from './world.ts';
import { note } from './world.ts';

const DAY_MS = 86_400_000n;

/** The market's own part and the common part, never that of another market. */
export function fundOf(world: World, market: Market): bigint {
  const parts = sum(world.markets.map(({ fundUse }) => larger(0n, fundUse.balance)));
  return larger(0n, world.ledgers.insurance + larger(0n, market.fundUse.balance) - parts);
}

/**
 * A tenth of what the fund has for the market and today's payments together, less these payments; and no more than the own part and a
 * quarter of the common part as it was before all markets drew from it. Without deleveraging there is no budget.
 */
export function fundBudgetOf(world: World, market: Market): bigint {
  const fund = fundOf(world, market);
  if (!market.specification.autoDeleveraging) return fund;
  const { day, spent: spentThen, balance } = market.fundUse;
  const spent = day === floorDiv(world.now, DAY_MS) ? spentThen : 0n;
  const today = larger(0n, floorDiv(fund + spent, 10n) - spent);
  const common = world.ledgers.insurance - sum(world.markets.map(({ fundUse }) => fundUse.balance));
  return smaller(today, larger(0n, floorDiv(larger(0n, common), 4n) + balance));
}

/** The payment counts for the market's day, and the position owes it. */
export function noteFundPayment(world: World, market: Market, position: Position, amount: bigint): void {
  if (amount === 0n) return;
  position.insured += amount;
  const day = floorDiv(world.now, DAY_MS);
  market.fundUse.spent = (market.fundUse.day === day ? market.fundUse.spent : 0n) + amount;
  market.fundUse.day = day;
  moveFund(world, market, position, -amount, position.insured);
}

/** What a position brings the fund. `insured` is what it owes afterwards. */
export function noteFundReceipt(world: World, market: Market, position: Position, amount: bigint, insured: bigint): void {
  if (amount !== 0n) moveFund(world, market, position, amount, insured);
}

function moveFund(world: World, { ordinal, fundUse }: Market, position: Position, amount: bigint, insured: bigint): void {
  fundUse.balance += amount;
  note(world, {
    type: 'FundMoved',
    market: ordinal,
    account: position.account,
    position: position.episode,
    amountAtoms: amount,
    insuredAtoms: insured,
    day: fundUse.day,
    spentAtoms: fundUse.spent,
    balanceAtoms: fundUse.balance,
  });
}
