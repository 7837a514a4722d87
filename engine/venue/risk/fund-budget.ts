/**
 * Bounds what the insurance fund pays for one market, so that one market cannot spend what protects the others: the loss of dYdX v3 in
 * November 2023 was the whole fund's, for a single market. Beyond the bounds, positions are deleveraged or wait. Without
 * auto-deleveraging there is no budget: the venue's deficit would pay instead.
 *
 * What the positions of a market bring the fund is the market's own part. It pays first. The rest of the fund is common. A market that
 * has drawn from the common part gives back first what its positions bring later.
 */
import type { QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, mulDivDown, plus, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';

/** The share of its own and of the common part that one market may spend on a UTC day. */
export const DAY_SHARE_BPS = 1_000;

/** The share of the common part that one market may ever have drawn and not given back. */
export const DRAWN_SHARE_BPS = 2_500;

const DAY_MS = 86_400_000;

/**
 * What the fund may still pay for a market today: of what it can pay without today's payments for the market, a tenth, rounded down,
 * less these payments; and beyond the market's own part no more than it may draw.
 */
export function fundBudgetOf(turn: Turn, market: Market): QuoteAtoms {
  const { state, rules, now } = turn;
  const fund = fundOf(turn, market);
  if (!rules.boundsFund || !market.specification.autoDeleveraging) return fund;
  const spent = market.fundUse.day === dayOf(now) ? market.fundUse.spentAtoms : ZERO_QUOTE;
  const share = mulDivDown(plus(fund, spent), DAY_SHARE_BPS, WHOLE_BPS);
  const today = largerOf(ZERO_QUOTE, minus(share, spent));
  return rules.partsFund ? smallerOf(today, drawableOf(state, market)) : today;
}

/** All that the fund can pay for a market: the market's own part and the common part, never that of another market. */
export function fundOf({ state, rules }: Turn, { fundUse }: Market): QuoteAtoms {
  const { insurance } = state.ledgers;
  if (!rules.partsFund) return insurance;
  const own = largerOf(ZERO_QUOTE, fundUse.balanceAtoms);
  return largerOf(ZERO_QUOTE, minus(plus(insurance, own), ownPartsOf(state)));
}

/** The market's own part, and what it may draw from the common part beside what it has drawn. */
function drawableOf(state: VenueState, { fundUse }: Market): QuoteAtoms {
  let credited = state.ledgers.insurance;
  for (const market of state.markets) if (market !== undefined) credited = minus(credited, market.fundUse.balanceAtoms);
  const mayDraw = mulDivDown(largerOf(ZERO_QUOTE, credited), DRAWN_SHARE_BPS, WHOLE_BPS);
  return largerOf(ZERO_QUOTE, plus(mayDraw, fundUse.balanceAtoms));
}

function ownPartsOf({ markets }: VenueState): QuoteAtoms {
  let sum = ZERO_QUOTE;
  for (const market of markets) if (market !== undefined) sum = plus(sum, largerOf(ZERO_QUOTE, market.fundUse.balanceAtoms));
  return sum;
}

/** Counts a payment of the fund for a market, and owes it to the position. Call it after every one, bounded or not. */
export function noteFundPayment(turn: Turn, market: Market, position: Position, amountAtoms: QuoteAtoms): void {
  if (amountAtoms === 0) return;
  const { fundUse } = market;
  if (turn.rules.clawsBack) position.insuredAtoms = plus(position.insuredAtoms, amountAtoms);
  const day = dayOf(turn.now);
  fundUse.spentAtoms = fundUse.day === day ? plus(fundUse.spentAtoms, amountAtoms) : amountAtoms;
  fundUse.day = day;
  moveFund(turn, market, position, minus(ZERO_QUOTE, amountAtoms), position.insuredAtoms);
}

/** Counts what a position brings the fund: a liquidation fee, or a repayment. `insuredAtoms` is what it still owes. */
export function noteFundReceipt(
  turn: Turn,
  market: Market,
  position: Position,
  amountAtoms: QuoteAtoms,
  insuredAtoms: QuoteAtoms,
): void {
  if (amountAtoms !== 0) moveFund(turn, market, position, amountAtoms, insuredAtoms);
}

function moveFund(turn: Turn, market: Market, position: Position, amountAtoms: QuoteAtoms, insuredAtoms: QuoteAtoms): void {
  const { fundUse } = market;
  fundUse.balanceAtoms = plus(fundUse.balanceAtoms, amountAtoms);
  turn.events.emit({
    type: 'FundMoved',
    market: market.ordinal,
    account: position.account,
    position: position.ordinal,
    amountAtoms,
    insuredAtoms,
    ...fundUse,
  });
}

function dayOf(now: number): number {
  return mulDivDown(now, 1, DAY_MS);
}
