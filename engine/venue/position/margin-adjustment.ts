/**
 * Adds cash of an account to the margin of its position, or takes margin out. What stays has the initial margin at the mark, so that no
 * removal leaves a leverage that an order may not have.
 */
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { bpsOfUp, largerOf, minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import { checkAccount } from '#venue/account/administration.ts';
import { postCash, repayFund } from '#venue/account/cash.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { fundedHolding, settlePositionFunding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import { checkMarketActivity } from '#venue/order/order-rules.ts';
import type { Refusal } from '#venue/refusal.ts';
import { noteFundReceipt } from '#venue/risk/fund-budget.ts';
import { initialMarginIn, ratedOpenInterest } from '#venue/risk/open-interest.ts';
import { positionEquityOf } from '#venue/risk/position-risk.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { type Position, sizeOf } from './position.ts';

export const MARGIN_DIRECTIONS = ['add', 'remove'] as const;
export type MarginDirection = (typeof MARGIN_DIRECTIONS)[number];

export interface AdjustPositionMargin {
  readonly type: 'AdjustPositionMargin';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly direction: MarginDirection;
  readonly amountAtoms: QuoteAtoms;
}

export type MarginCommand = AdjustPositionMargin;

export const MARGIN_COMMANDS: CommandRules<MarginCommand> = {
  AdjustPositionMargin: {
    plan: planMarginAdjustment,
    commit: commitMarginAdjustment,
    layout: {
      tag: 38,
      fields: (io, it) => ({
        type: 'AdjustPositionMargin',
        account: io.int(it.account),
        market: io.int(it.market),
        direction: io.oneOf(MARGIN_DIRECTIONS, it.direction),
        amountAtoms: io.int(it.amountAtoms),
      }),
    },
  },
};

/** Removing needs a market in which risk may be opened. Adding is possible whenever positions may be reduced. */
export function planMarginAdjustment(turn: Turn, command: AdjustPositionMargin): Refusal | undefined {
  const { state, now } = turn;
  const { amountAtoms, direction } = command;
  const refusal =
    checkAccount(turn, command.account) ?? checkIntake(state.switches, direction === 'add' ? 'reduce' : 'open_risk', 'trading');
  if (refusal !== undefined) return refusal;
  const market = state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  const account = state.account(command.account)!;
  const position = account.positions[command.market];
  if (position === undefined || position.signedBaseAtoms === 0) return { code: 'position_not_found' };
  if (amountAtoms < 1) return { code: 'amount_out_of_bounds' };
  if (direction === 'add') return amountAtoms > account.availableAtoms ? { code: 'insufficient_cash' } : undefined;
  if (!market.permits('open_risk', now)) return checkMarketActivity(market, now);
  const removable = removableMargin(turn, market, position);
  return amountAtoms > removable ? { code: 'margin_required', bound: removable } : undefined;
}

export function commitMarginAdjustment(turn: Turn, command: AdjustPositionMargin): void {
  const { amountAtoms, direction } = command;
  const account = turn.state.account(command.account)!;
  const market = turn.state.market(command.market)!;
  const position = account.positionIn(command.market);
  settlePositionFunding(turn, market, position);
  const addedAtoms = direction === 'add' ? amountAtoms : minus(ZERO_QUOTE, amountAtoms);
  // What leaves the position repays the insurance fund before its owner gets any.
  const repaidAtoms = direction === 'add' ? ZERO_QUOTE : smallerOf(position.insuredAtoms, amountAtoms);
  postCash(turn, account, direction === 'add' ? 'margin_lock' : 'margin_release', minus(ZERO_QUOTE, addedAtoms));
  repayFund(turn, account, repaidAtoms);
  noteFundReceipt(turn, market, position, repaidAtoms, minus(position.insuredAtoms, repaidAtoms));
  position.marginAtoms = plus(position.marginAtoms, addedAtoms);
  position.insuredAtoms = minus(position.insuredAtoms, repaidAtoms);
  turn.events.emit({
    type: 'PositionMarginAdjusted',
    position: position.ordinal,
    account: account.ordinal,
    market: market.ordinal,
    addedAtoms,
    repaidAtoms,
    marginAtoms: position.marginAtoms,
  });
  market.positions.update(market, position);
}

/** What margin and equity have above the initial margin at the mark, after the funding that the position owes. */
function removableMargin(turn: Turn, market: Market, position: Position): QuoteAtoms {
  const { holding } = turn;
  fundedHolding(market, position, holding);
  const { markPriceAtoms: mark, specification, tickLotAtoms } = market;
  const exposure = plus(holding.entryNotionalAtoms, position.restingNotionalAtoms);
  const rate = initialMarginIn(specification, exposure, ratedOpenInterest(turn, market));
  const needed = bpsOfUp(market.notional(mark, sizeOf(position)), rate);
  const left = smallerOf(holding.marginAtoms, positionEquityOf(holding, mark, tickLotAtoms));
  return largerOf(ZERO_QUOTE, minus(left, needed));
}
