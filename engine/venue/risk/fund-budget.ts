/**
 * Bounds what the insurance fund pays for one market on one UTC day, so that one market cannot spend what protects the others: the
 * loss of dYdX v3 in November 2023 was the whole fund's, for a single market. Beyond the bound, positions are deleveraged or wait.
 * Without auto-deleveraging there is no bound: the venue's deficit would pay instead.
 */
import type { QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, plus, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';

/** The share of the fund that one market may spend on a UTC day. */
export const MARKET_SHARE_BPS = 1_000;

const DAY_MS = 86_400_000;

/**
 * What the fund may still pay for a market today: a tenth, rounded down, of the balance without today's payments for the market,
 * less these payments.
 */
export function fundBudgetOf({ state, rules, now }: Turn, market: Market): QuoteAtoms {
  const { insurance } = state.ledgers;
  if (!rules.boundsFund || !market.specification.autoDeleveraging) return insurance;
  const spent = market.fundUse.day === dayOf(now) ? market.fundUse.spentAtoms : ZERO_QUOTE;
  const share = mulDivDown(plus(insurance, spent), MARKET_SHARE_BPS, WHOLE_BPS);
  return largerOf(ZERO_QUOTE, minus(share, spent));
}

/** Counts a payment of the fund for a market, and owes it to the position. Call it after every one, bounded or not. */
export function noteFundPayment({ now, rules }: Turn, { fundUse }: Market, position: Position, amountAtoms: QuoteAtoms): void {
  if (amountAtoms === 0) return;
  if (rules.clawsBack) position.insuredAtoms = plus(position.insuredAtoms, amountAtoms);
  const day = dayOf(now);
  fundUse.spentAtoms = fundUse.day === day ? plus(fundUse.spentAtoms, amountAtoms) : amountAtoms;
  fundUse.day = day;
}

function dayOf(now: number): number {
  return mulDivDown(now, 1, DAY_MS);
}
