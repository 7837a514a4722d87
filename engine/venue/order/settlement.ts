/**
 * Settles a match: the trade, then each side's fill with its effects on position, margin, fee and PnL. It cannot refuse:
 * planning has already checked that the taker can pay.
 */
import type { PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, plus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import { coverShortfall, payFee, postCash, repayFund } from '#venue/account/cash.ts';
import type { OrderOrigin } from '#venue/event.ts';
import { settlePositionFunding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { FillEffect, Position } from '#venue/position/position.ts';
import { applyFillEffect, closableBy, fillEffect } from '#venue/position/position.ts';
import { fundOf, noteFundPayment, noteFundReceipt } from '#venue/risk/fund-budget.ts';
import { initialMarginIn } from '#venue/risk/open-interest.ts';
import { followFill } from '#venue/trigger/legs.ts';
import { observeTrade } from '#venue/trigger/observing.ts';
import { endOfPosition } from '#venue/trigger/waiting.ts';
import type { Turn } from '#venue/turn.ts';
import { type MatchSide, NO_LOCK_LIMIT } from './match.ts';
import type { MatchPlan } from './match-plan.ts';
import { noteChange } from './reduce-only.ts';
import { closingFeeOf, fillFee, marginShare, missingAtMark, openingMargin, takerMargin } from './reservation.ts';
import { readOpeningTerms, shrinkOrder } from './resting.ts';

/** Settles a planned fill of a resting order against the taker. `takerRemaining` and `takerIsComplete` describe the taker after it. */
export function settleMatch(
  turn: Turn,
  market: Market,
  matches: MatchPlan,
  step: number,
  takerRemaining: BaseAtoms,
  takerIsComplete: boolean,
): void {
  const { match, taker: incoming, takerSide: taker } = turn;
  executeMatch(turn, market, 'client', incoming.side, turn.state.orders.priceOf(matches.slotAt(step)), matches.quantityAt(step));
  const takerFee = fillFee(market, match.notionalAtoms, 'taker');
  settleMaker(turn, market, matches, step, takerFee);
  taker.account = incoming.account;
  taker.order = incoming.order;
  taker.side = incoming.side;
  taker.feeAtoms = takerFee;
  taker.remainingAtoms = takerRemaining;
  taker.isComplete = takerIsComplete;
  taker.terms.side = incoming.side;
  taker.terms.priceAtoms = match.priceAtoms;
  taker.terms.markPriceAtoms = market.markPriceAtoms;
  taker.terms.leverageHundredths = incoming.leverageHundredths;
  taker.terms.initialMarginBps = incoming.initialMarginBps;
  settleSide(turn, market, taker);
}

/**
 * Numbers the trade and emits it. Auto-deleveraging does not change the last price: no order quoted its price. Only trades of clients count
 * for the mark: what a liquidation sells must not cause the next one.
 */
export function executeMatch(
  turn: Turn,
  market: Market,
  origin: OrderOrigin,
  takerSide: Side,
  priceAtoms: PriceAtoms,
  quantityAtoms: BaseAtoms,
): void {
  const { match } = turn;
  match.trade = turn.state.nextTrade();
  match.market = market.ordinal;
  match.origin = origin;
  match.takerSide = takerSide;
  match.priceAtoms = priceAtoms;
  match.quantityAtoms = quantityAtoms;
  match.notionalAtoms = market.notional(priceAtoms, quantityAtoms);
  if (origin !== 'auto_deleveraging') {
    market.recordTrade(priceAtoms, turn.now);
    observeTrade(turn, market);
  }
  if (origin === 'client' && turn.rules.averagesMark) market.averages.trade(match.notionalAtoms, quantityAtoms);
  turn.events.tradeExecuted(match);
}

/** Settles the maker's side of a planned fill and reduces or removes its order. A maker rebate is at most the taker's fee. */
export function settleMaker(turn: Turn, market: Market, matches: MatchPlan, step: number, takerFee: QuoteAtoms): void {
  const slot = matches.slotAt(step);
  const { orders } = turn.state;
  const { match: trade, makerSide: maker } = turn;
  const { terms } = maker;
  readOpeningTerms(turn.state, slot, terms);
  maker.account = turn.state.account(orders.accountOf(slot))!;
  maker.order = orders.orderOf(slot);
  maker.side = terms.side;
  maker.feeAtoms = largerOf(minus(ZERO_QUOTE, takerFee), fillFee(market, trade.notionalAtoms, 'maker'));
  // At most the margin that the reservation contains for this fill.
  maker.lockLimitAtoms = orders.isReduceOnly(slot)
    ? ZERO_QUOTE
    : marginShare(market, terms, orders.remainingOf(slot), trade.quantityAtoms);
  orders.addFilled(slot, trade.quantityAtoms);
  maker.remainingAtoms = shrinkOrder(turn, market, maker.account, slot, trade.quantityAtoms);
  maker.isComplete = maker.remainingAtoms === 0;
  maker.isToppedUp = matches.isToppedUp(step);
  maker.openInterestAtoms = matches.openInterestAtoms;
  settleSide(turn, market, maker);
}

/** Settles one side of a trade. */
export function settleSide(turn: Turn, market: Market, it: MatchSide): void {
  const { effect, match: trade } = turn;
  const { account, side } = it;
  const { quantityAtoms } = trade;
  const position = account.positionIn(market.ordinal);
  settlePositionFunding(turn, market, position);
  const closed = smallerOf(quantityAtoms, closableBy(side, position));
  const closingFee = closingFeeOf(it.feeAtoms, closed, quantityAtoms);
  fillEffect(position, side, quantityAtoms, market.lotPrice(trade.priceAtoms), closingFee, effect);
  const locked = marginToLock(turn, market, it, position);
  const closedOrdinal = position.ordinal;
  const isOpening = effect.openedBaseAtoms > 0 && (closedOrdinal === 0 || closed > 0);
  const ordinal = isOpening ? turn.state.nextPosition() : closedOrdinal;
  emitFill(turn, it, ordinal);
  postCash(turn, account, 'margin_release', effect.releasedMarginAtoms);
  if (effect.deficitAtoms > 0) {
    const paid = coverShortfall(turn, account, effect.deficitAtoms, fundOf(turn, market));
    noteFundPayment(turn, market, position, paid);
  }
  postCash(turn, account, 'realized_pnl', effect.realizedPnlAtoms);
  payFee(turn, account, it.feeAtoms);
  repayFund(turn, account, effect.repaidAtoms);
  noteFundReceipt(turn, market, position, effect.repaidAtoms, minus(position.insuredAtoms, effect.repaidAtoms));
  postCash(turn, account, 'margin_lock', minus(ZERO_QUOTE, locked));
  const baseBefore = position.signedBaseAtoms;
  applyFillEffect(position, side, effect, locked);
  market.positions.moveBase(baseBefore, position.signedBaseAtoms);
  if (isOpening) {
    position.fundingPeriod = market.funding.period;
    // If the owner closed an episode that was partly liquidated, no liquidation fee is due for that part.
    position.liquidatedNotionalAtoms = ZERO_QUOTE;
  }
  position.ordinal = position.signedBaseAtoms === 0 ? (0 as PositionOrdinal) : ordinal;
  emitPosition(turn, position, it, closedOrdinal, ordinal, closingFee);
  market.positions.update(market, position);
  noteChange(turn, position);
  if (closedOrdinal !== 0 && closedOrdinal !== position.ordinal) endOfPosition(turn, account, market.ordinal, closedOrdinal);
  followFill(turn, it.order, position, effect.openedBaseAtoms, it.isComplete);
}

/** The margin of what the fill opens. The position and its cash are those before the fill. */
function marginToLock({ effect, match, rules }: Turn, market: Market, it: MatchSide, position: Position): QuoteAtoms {
  const { account, terms, lockLimitAtoms, isToppedUp, openInterestAtoms } = it;
  const { openedBaseAtoms } = effect;
  if (lockLimitAtoms === NO_LOCK_LIMIT) return takerMargin(market, terms, openedBaseAtoms, rules);
  const margin = openingMargin(market, terms, openedBaseAtoms);
  const reserved = smallerOf(lockLimitAtoms, margin);
  if (!isToppedUp || openedBaseAtoms === 0) return reserved;
  // The order no longer rests with the quantity of the fill.
  const exposure = plus(plus(position.entryNotionalAtoms, position.restingNotionalAtoms), match.notionalAtoms);
  const rate = initialMarginIn(market.specification, exposure, openInterestAtoms);
  const missing = missingAtMark(market, terms, openedBaseAtoms, margin, rate);
  // The plan has found the cash; the limit is for a last atom of rounding.
  const proceeds = minus(
    plus(plus(effect.releasedMarginAtoms, effect.realizedPnlAtoms), effect.deficitAtoms),
    effect.repaidAtoms,
  );
  const available = minus(minus(plus(account.availableAtoms, proceeds), it.feeAtoms), reserved);
  return plus(reserved, smallerOf(missing, available));
}

function emitFill({ events, drafts, effect, match: trade }: Turn, it: MatchSide, position: PositionOrdinal): void {
  const { orderFilled: filled } = drafts;
  filled.order = it.order;
  filled.trade = trade.trade;
  filled.account = it.account.ordinal;
  filled.market = trade.market;
  filled.position = position;
  filled.side = it.side;
  filled.liquidity = it.liquidity;
  filled.priceAtoms = trade.priceAtoms;
  filled.quantityAtoms = trade.quantityAtoms;
  filled.notionalAtoms = trade.notionalAtoms;
  filled.feeAtoms = it.feeAtoms;
  filled.realizedPnlAtoms = effect.realizedPnlAtoms;
  filled.remainingAtoms = it.remainingAtoms;
  filled.isComplete = it.isComplete;
  filled.accountReservedAtoms = it.account.reservedAtoms;
  const insuranceCoveredAtoms = insuranceCoveredBy(effect);
  if (insuranceCoveredAtoms === 0) events.orderFilled(filled);
  else events.orderFilled({ ...filled, liquidationFeeAtoms: ZERO_QUOTE, insuranceCoveredAtoms });
}

/** What the insurance fund or the deficit ledger pays for a fill; negative if the fill repays the fund. */
function insuranceCoveredBy({ deficitAtoms, repaidAtoms }: FillEffect): QuoteAtoms {
  return minus(deficitAtoms, repaidAtoms);
}

/** Emits one event, or two if the fill closes one episode and opens the next. */
function emitPosition(
  turn: Turn,
  position: Position,
  it: MatchSide,
  closedOrdinal: PositionOrdinal,
  ordinal: PositionOrdinal,
  closingFee: QuoteAtoms,
): void {
  const { effect, match: trade } = turn;
  const { positionChanged: changed } = turn.drafts;
  const { closedBaseAtoms, openedBaseAtoms } = effect;
  const isFlip = closedBaseAtoms > 0 && openedBaseAtoms > 0;
  const sign = it.side === 'buy' ? 1 : -1;
  changed.account = position.account;
  changed.market = position.market;
  changed.trade = trade.trade;
  changed.cause = it.cause;
  if (closedBaseAtoms > 0) {
    changed.position = closedOrdinal;
    changed.signedBaseAtoms = isFlip ? ZERO_BASE : position.signedBaseAtoms;
    changed.entryNotionalAtoms = isFlip ? ZERO_QUOTE : position.entryNotionalAtoms;
    changed.marginAtoms = isFlip ? ZERO_QUOTE : position.marginAtoms;
    changed.changedBaseAtoms = (sign * closedBaseAtoms) as BaseAtoms;
    changed.changedNotionalAtoms = effect.closedNotionalAtoms;
    changed.realizedPnlAtoms = effect.realizedPnlAtoms;
    changed.feeAtoms = closingFee;
    const insuranceCoveredAtoms = insuranceCoveredBy(effect);
    if (insuranceCoveredAtoms === 0) turn.events.positionChanged(changed);
    else turn.events.positionChanged({ ...changed, insuranceCoveredAtoms });
  }
  if (openedBaseAtoms > 0) {
    changed.position = ordinal;
    changed.signedBaseAtoms = position.signedBaseAtoms;
    changed.entryNotionalAtoms = position.entryNotionalAtoms;
    changed.marginAtoms = position.marginAtoms;
    changed.changedBaseAtoms = (sign * openedBaseAtoms) as BaseAtoms;
    changed.changedNotionalAtoms = effect.openedNotionalAtoms;
    changed.realizedPnlAtoms = ZERO_QUOTE;
    changed.feeAtoms = minus(it.feeAtoms, closingFee);
    turn.events.positionChanged(changed);
  }
}
