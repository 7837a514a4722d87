/**
 * One match, settled: the trade, then each side's fill with everything that follows from it for its position, its
 * margin, its fee and its PnL. Nothing here can refuse; whether the taker can pay was decided while planning.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import { largerOf, minus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { coverShortfall, payFee, postCash } from '#venue/account/cash.ts';
import type { Side } from '#venue/command.ts';
import { settlePositionFunding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { applyFillEffect, blankFillEffect, closableBy, fillEffect } from '#venue/position/position.ts';
import type { Draft, EventWriter } from '#venue/record/event-writer.ts';
import type { VenueState } from '#venue/state.ts';
import { NO_PRICE } from './book.ts';
import { Match, MatchSide } from './match.ts';
import type { Slot } from './order-table.ts';
import { noteChange } from './reduce-only.ts';
import { closingFeeOf, fillFee, marginShare, openingMargin } from './reservation.ts';
import { readOpeningTerms, shrinkOrder } from './resting.ts';

/** The incoming order, as far as its fills care. */
export class Taker {
  account!: Account;
  order = 0 as OrderOrdinal;
  side: Side = 'buy';
  leverageX = 0;
  initialMarginBps = 0 as Bps;
}

const match = new Match();
const maker = new MatchSide();
const taker = new MatchSide();
taker.liquidity = 'taker';
const effect = blankFillEffect();
const filled: Draft<'OrderFilled'> = {
  order: 0 as OrderOrdinal,
  trade: 0 as TradeOrdinal,
  account: 0 as AccountOrdinal,
  market: 0 as MarketOrdinal,
  position: 0 as PositionOrdinal,
  side: 'buy',
  liquidity: 'maker',
  priceAtoms: NO_PRICE,
  quantityAtoms: ZERO_BASE,
  notionalAtoms: ZERO_QUOTE,
  feeAtoms: ZERO_QUOTE,
  realizedPnlAtoms: ZERO_QUOTE,
  remainingAtoms: ZERO_BASE,
  isComplete: false,
  accountReservedAtoms: ZERO_QUOTE,
};
const changed: Draft<'PositionChanged'> = {
  position: 0 as PositionOrdinal,
  account: 0 as AccountOrdinal,
  market: 0 as MarketOrdinal,
  trade: 0 as TradeOrdinal,
  cause: 'client',
  signedBaseAtoms: ZERO_BASE,
  entryNotionalAtoms: ZERO_QUOTE,
  marginAtoms: ZERO_QUOTE,
  changedBaseAtoms: ZERO_BASE,
  changedNotionalAtoms: ZERO_QUOTE,
  realizedPnlAtoms: ZERO_QUOTE,
  feeAtoms: ZERO_QUOTE,
};

/** Settles a fill of a resting order against the taker; `takerRemaining` and `takerIsComplete` are as of after it. */
export function settleMatch(
  state: VenueState,
  market: Market,
  makerSlot: Slot,
  quantityAtoms: BaseAtoms,
  incoming: Taker,
  takerRemaining: BaseAtoms,
  takerIsComplete: boolean,
  events: EventWriter,
): void {
  match.begin(state, market, 'client', incoming.side, state.orders.priceOf(makerSlot), quantityAtoms, events);
  const takerFee = fillFee(market, match.notionalAtoms, 'taker');
  settleMaker(state, market, makerSlot, match, takerFee, events);
  taker.account = incoming.account;
  taker.order = incoming.order;
  taker.side = incoming.side;
  taker.feeAtoms = takerFee;
  taker.remainingAtoms = takerRemaining;
  taker.isComplete = takerIsComplete;
  taker.terms.side = incoming.side;
  taker.terms.priceAtoms = match.priceAtoms;
  taker.terms.markPriceAtoms = market.markPriceAtoms;
  taker.terms.leverageX = incoming.leverageX;
  taker.terms.initialMarginBps = incoming.initialMarginBps;
  settleSide(state, market, match, taker, events);
}

/** Settles the resting order's side: it shrinks, or is done. A rebate is paid out of what the other side paid, and no more. */
export function settleMaker(
  state: VenueState,
  market: Market,
  slot: Slot,
  trade: Match,
  takerFee: QuoteAtoms,
  events: EventWriter,
): void {
  const { orders } = state;
  const { terms } = maker;
  readOpeningTerms(state, slot, terms);
  maker.account = state.account(orders.accountOf(slot))!;
  maker.order = orders.orderOf(slot);
  maker.side = terms.side;
  maker.feeAtoms = largerOf(minus(ZERO_QUOTE, takerFee), fillFee(market, trade.notionalAtoms, 'maker'));
  // Never more than what the reservation gives for it.
  maker.lockLimitAtoms = orders.isReduceOnly(slot)
    ? ZERO_QUOTE
    : marginShare(market, terms, orders.remainingOf(slot), trade.quantityAtoms);
  maker.remainingAtoms = shrinkOrder(state, market, maker.account, slot, trade.quantityAtoms);
  maker.isComplete = maker.remainingAtoms === 0;
  settleSide(state, market, trade, maker, events);
}

/** Settles one side of a trade. */
export function settleSide(state: VenueState, market: Market, trade: Match, it: MatchSide, events: EventWriter): void {
  const { account, side } = it;
  const { quantityAtoms } = trade;
  const position = account.positionIn(market.ordinal);
  settlePositionFunding(state, market, position, events);
  const closed = smallerOf(quantityAtoms, closableBy(side, position));
  const closingFee = closingFeeOf(it.feeAtoms, closed, quantityAtoms);
  fillEffect(position, side, quantityAtoms, market.lotPrice(trade.priceAtoms), closingFee, effect);
  const locked = smallerOf(it.lockLimitAtoms, openingMargin(market, it.terms, effect.openedBaseAtoms));
  const closedOrdinal = position.ordinal;
  const isOpening = effect.openedBaseAtoms > 0 && (closedOrdinal === 0 || closed > 0);
  const ordinal = isOpening ? state.nextPosition() : closedOrdinal;
  tellOfFill(trade, it, ordinal, events);
  postCash(account, 'margin_release', effect.releasedMarginAtoms, events);
  if (effect.deficitAtoms > 0) coverShortfall(state, account, effect.deficitAtoms, events);
  postCash(account, 'realized_pnl', effect.realizedPnlAtoms, events);
  payFee(state, account, it.feeAtoms, events);
  postCash(account, 'margin_lock', minus(ZERO_QUOTE, locked), events);
  applyFillEffect(position, side, effect, locked);
  if (isOpening) {
    position.fundingPeriod = market.funding.period;
    // Of an episode that its owner ended after a part of it was liquidated, nobody pays for that part any more.
    position.liquidatedNotionalAtoms = ZERO_QUOTE;
  }
  position.ordinal = position.signedBaseAtoms === 0 ? (0 as PositionOrdinal) : ordinal;
  tellOfPosition(trade, position, it, closedOrdinal, ordinal, closingFee, events);
  market.positions.update(market, position);
  noteChange(position);
}

function tellOfFill(trade: Match, it: MatchSide, position: PositionOrdinal, events: EventWriter): void {
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
  events.orderFilled(filled);
}

/** One event, or two where a fill closes one episode and opens the next. */
function tellOfPosition(
  trade: Match,
  position: Position,
  it: MatchSide,
  closedOrdinal: PositionOrdinal,
  ordinal: PositionOrdinal,
  closingFee: QuoteAtoms,
  events: EventWriter,
): void {
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
    events.positionChanged(changed);
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
    events.positionChanged(changed);
  }
}
