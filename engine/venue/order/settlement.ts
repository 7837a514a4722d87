/**
 * One match, settled: the trade, then each side's fill with everything that follows from it for its position, its
 * margin, its fee and its PnL. Nothing here can refuse; whether the taker can pay was decided while planning.
 */
import type { OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps, QuoteAtoms } from '#units/money.ts';
import { minus, smallerOf, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { coverShortfall, payFee, postCash } from '#venue/account/cash.ts';
import type { Side } from '#venue/command.ts';
import { settlePositionFunding } from '#venue/funding/position-funding.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { applyFillEffect, blankFillEffect, closableBy, fillEffect } from '#venue/position/position.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { VenueState } from '#venue/state.ts';
import { Match, MatchSide } from './match.ts';
import type { Slot } from './order-table.ts';
import { noteChange } from './reduce-only.ts';
import { closingFeeOf, fillFee, marginShare, openingMargin } from './reservation.ts';
import { shrinkOrder } from './resting.ts';

/** The incoming order, as far as its fills care. */
export interface Taker {
  readonly account: Account;
  readonly order: OrderOrdinal;
  readonly side: Side;
  readonly leverageX: number;
  readonly initialMarginBps: Bps;
}

const match = new Match();
const maker = new MatchSide();
const taker = new MatchSide();
taker.liquidity = 'taker';
const effect = blankFillEffect();

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
  settleMaker(state, market, makerSlot, match, events);
  taker.account = incoming.account;
  taker.order = incoming.order;
  taker.side = incoming.side;
  taker.feeAtoms = fillFee(market, match.notionalAtoms, 'taker');
  taker.remainingAtoms = takerRemaining;
  taker.isComplete = takerIsComplete;
  taker.terms.side = incoming.side;
  taker.terms.priceAtoms = match.priceAtoms;
  taker.terms.markPriceAtoms = market.markPriceAtoms;
  taker.terms.leverageX = incoming.leverageX;
  taker.terms.initialMarginBps = incoming.initialMarginBps;
  settleSide(state, market, match, taker, events);
}

/** Settles the resting order's side: it shrinks, or is done. */
export function settleMaker(state: VenueState, market: Market, slot: Slot, trade: Match, events: EventWriter): void {
  const { orders } = state;
  const { terms } = maker;
  terms.side = orders.sideOf(slot);
  terms.priceAtoms = orders.priceOf(slot);
  terms.markPriceAtoms = orders.markOf(slot);
  terms.leverageX = orders.leverageOf(slot);
  terms.initialMarginBps = orders.initialMarginBpsOf(slot);
  maker.account = state.account(orders.accountOf(slot))!;
  maker.order = orders.orderOf(slot);
  maker.side = terms.side;
  maker.feeAtoms = fillFee(market, trade.notionalAtoms, 'maker');
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
  events.orderFilled({
    order: it.order,
    trade: trade.trade,
    account: account.ordinal,
    market: market.ordinal,
    position: ordinal,
    side,
    liquidity: it.liquidity,
    priceAtoms: trade.priceAtoms,
    quantityAtoms,
    notionalAtoms: trade.notionalAtoms,
    feeAtoms: it.feeAtoms,
    realizedPnlAtoms: effect.realizedPnlAtoms,
    remainingAtoms: it.remainingAtoms,
    isComplete: it.isComplete,
    accountReservedAtoms: account.reservedAtoms,
  });
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
  const { account, market } = position;
  const { closedBaseAtoms, openedBaseAtoms } = effect;
  const isFlip = closedBaseAtoms > 0 && openedBaseAtoms > 0;
  const sign = it.side === 'buy' ? 1 : -1;
  if (closedBaseAtoms > 0) {
    events.positionChanged({
      position: closedOrdinal,
      account,
      market,
      trade: trade.trade,
      cause: it.cause,
      signedBaseAtoms: isFlip ? ZERO_BASE : position.signedBaseAtoms,
      entryNotionalAtoms: isFlip ? ZERO_QUOTE : position.entryNotionalAtoms,
      marginAtoms: isFlip ? ZERO_QUOTE : position.marginAtoms,
      changedBaseAtoms: (sign * closedBaseAtoms) as BaseAtoms,
      changedNotionalAtoms: effect.closedNotionalAtoms,
      realizedPnlAtoms: effect.realizedPnlAtoms,
      feeAtoms: closingFee,
    });
  }
  if (openedBaseAtoms > 0) {
    events.positionChanged({
      position: ordinal,
      account,
      market,
      trade: trade.trade,
      cause: it.cause,
      signedBaseAtoms: position.signedBaseAtoms,
      entryNotionalAtoms: position.entryNotionalAtoms,
      marginAtoms: position.marginAtoms,
      changedBaseAtoms: (sign * openedBaseAtoms) as BaseAtoms,
      changedNotionalAtoms: effect.openedNotionalAtoms,
      realizedPnlAtoms: ZERO_QUOTE,
      feeAtoms: minus(it.feeAtoms, closingFee),
    });
  }
}
