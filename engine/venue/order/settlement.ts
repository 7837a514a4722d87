/**
 * One match, settled: the trade, then each side's fill with everything that follows from it for its position, its
 * margin, its fee and its PnL. Nothing here can refuse; whether the taker can pay was decided while planning.
 */
import type { OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivDown, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import { coverFromDeficit, payFee, postCash } from '#venue/account/cash.ts';
import type { Side } from '#venue/command.ts';
import type { EmitEvent, Liquidity } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { FillEffect, Position } from '#venue/position/position.ts';
import { applyFillEffect, blankFillEffect, fillEffect } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Slot } from './order-table.ts';
import { fillFee, marginShare, openingMargin } from './reservation.ts';
import { openingTermsOf, shrinkOrder } from './resting.ts';

/** The incoming order, as far as its fills care. */
export interface Taker {
  readonly account: Account;
  readonly order: OrderOrdinal;
  readonly side: Side;
  readonly leverageX: number;
}

/** One side's view of a match, ready to be settled. */
interface SideOfMatch {
  readonly account: Account;
  readonly order: OrderOrdinal;
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly remainingAtoms: BaseAtoms;
  readonly isComplete: boolean;
  /** The margin that the opened part of the fill locks. */
  marginFor(opened: BaseAtoms): QuoteAtoms;
}

interface Match {
  readonly trade: TradeOrdinal;
  readonly market: Market;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
}

/** Settles a fill of a resting order against the taker; `takerRemaining` and `takerIsComplete` are as of after it. */
export function settleMatch(
  state: VenueState,
  market: Market,
  makerSlot: Slot,
  quantityAtoms: BaseAtoms,
  taker: Taker,
  takerRemaining: BaseAtoms,
  takerIsComplete: boolean,
  emit: EmitEvent,
): void {
  const priceAtoms = state.orders.priceOf(makerSlot);
  const notionalAtoms = market.notional(priceAtoms, quantityAtoms);
  const match = { trade: state.nextTrade(), market, priceAtoms, quantityAtoms, notionalAtoms };
  market.lastPriceAtoms = priceAtoms;
  emit({
    type: 'TradeExecuted',
    trade: match.trade,
    market: market.ordinal,
    priceAtoms,
    quantityAtoms,
    notionalAtoms,
    takerSide: taker.side,
  });
  settleSide(state, match, makerSide(state, market, makerSlot, quantityAtoms), emit);
  settleSide(state, match, takerSideOf(match, taker, takerRemaining, takerIsComplete), emit);
}

function makerSide(state: VenueState, market: Market, slot: Slot, filled: BaseAtoms): SideOfMatch {
  const { orders } = state;
  const account = state.account(orders.accountOf(slot))!;
  const order = orders.orderOf(slot);
  const side = orders.sideOf(slot);
  const terms = openingTermsOf(state, slot);
  const share = orders.isReduceOnly(slot) ? ZERO_QUOTE : marginShare(market, terms, orders.remainingOf(slot), filled);
  const remainingAtoms = shrinkOrder(state, market, account, slot, filled);
  return {
    account,
    order,
    side,
    liquidity: 'maker',
    remainingAtoms,
    isComplete: remainingAtoms === 0,
    // Never more than what the reservation gave for it.
    marginFor: (opened) => smallerOf(share, openingMargin(market, terms, opened)),
  };
}

function takerSideOf({ market, priceAtoms }: Match, taker: Taker, remainingAtoms: BaseAtoms, isComplete: boolean): SideOfMatch {
  const { side, leverageX } = taker;
  const terms = { side, priceAtoms, markPriceAtoms: market.markPriceAtoms, leverageX };
  return {
    account: taker.account,
    order: taker.order,
    side: taker.side,
    liquidity: 'taker',
    remainingAtoms,
    isComplete,
    marginFor: (opened) => openingMargin(market, terms, opened),
  };
}

function settleSide(state: VenueState, match: Match, it: SideOfMatch, emit: EmitEvent): void {
  const { market, trade, quantityAtoms, notionalAtoms } = match;
  const { account, side } = it;
  const position = account.positionIn(market.ordinal);
  const effect = blankFillEffect();
  fillEffect(position, side, quantityAtoms, market.lotPrice(match.priceAtoms), effect);
  const feeAtoms = fillFee(market, notionalAtoms, it.liquidity);
  const locked = it.marginFor(effect.openedBaseAtoms);
  const closedOrdinal = position.ordinal;
  const isOpening = effect.openedBaseAtoms > 0 && (closedOrdinal === 0 || effect.closedBaseAtoms > 0);
  const ordinal = isOpening ? state.nextPosition() : closedOrdinal;
  emit({
    type: 'OrderFilled',
    order: it.order,
    trade,
    account: account.ordinal,
    market: market.ordinal,
    position: ordinal,
    side,
    liquidity: it.liquidity,
    priceAtoms: match.priceAtoms,
    quantityAtoms,
    notionalAtoms,
    feeAtoms,
    realizedPnlAtoms: effect.realizedPnlAtoms,
    remainingAtoms: it.remainingAtoms,
    isComplete: it.isComplete,
    accountReservedAtoms: account.reservedAtoms,
  });
  postCash(account, 'margin_release', effect.releasedMarginAtoms, emit);
  if (effect.deficitAtoms > 0) coverFromDeficit(state, account, effect.deficitAtoms, emit);
  postCash(account, 'realized_pnl', effect.realizedPnlAtoms, emit);
  payFee(state, account, feeAtoms, emit);
  postCash(account, 'margin_lock', minus(ZERO_QUOTE, locked), emit);
  applyFillEffect(position, side, effect, locked);
  position.ordinal = position.signedBaseAtoms === 0 ? (0 as PositionOrdinal) : ordinal;
  emitPositionChanges(match, position, side, effect, closedOrdinal, ordinal, feeAtoms, emit);
}

/** One event, or two where a fill closes one episode and opens the next. */
function emitPositionChanges(
  match: Match,
  position: Position,
  side: Side,
  effect: FillEffect,
  closedOrdinal: PositionOrdinal,
  ordinal: PositionOrdinal,
  feeAtoms: QuoteAtoms,
  emit: EmitEvent,
): void {
  const isFlip = effect.closedBaseAtoms > 0 && effect.openedBaseAtoms > 0;
  const sign = side === 'buy' ? 1 : -1;
  const closedFee = isFlip ? feeShare(feeAtoms, effect.closedBaseAtoms, match.quantityAtoms) : feeAtoms;
  const { account, market } = position;
  if (effect.closedBaseAtoms > 0) {
    emit({
      type: 'PositionChanged',
      position: closedOrdinal,
      account,
      market,
      trade: match.trade,
      signedBaseAtoms: isFlip ? (0 as BaseAtoms) : position.signedBaseAtoms,
      entryNotionalAtoms: isFlip ? ZERO_QUOTE : position.entryNotionalAtoms,
      marginAtoms: isFlip ? ZERO_QUOTE : position.marginAtoms,
      changedBaseAtoms: (sign * effect.closedBaseAtoms) as BaseAtoms,
      changedNotionalAtoms: effect.closedNotionalAtoms,
      realizedPnlAtoms: effect.realizedPnlAtoms,
      feeAtoms: closedFee,
    });
  }
  if (effect.openedBaseAtoms > 0) {
    emit({
      type: 'PositionChanged',
      position: ordinal,
      account,
      market,
      trade: match.trade,
      signedBaseAtoms: position.signedBaseAtoms,
      entryNotionalAtoms: position.entryNotionalAtoms,
      marginAtoms: position.marginAtoms,
      changedBaseAtoms: (sign * effect.openedBaseAtoms) as BaseAtoms,
      changedNotionalAtoms: effect.openedNotionalAtoms,
      realizedPnlAtoms: ZERO_QUOTE,
      feeAtoms: isFlip ? minus(feeAtoms, closedFee) : feeAtoms,
    });
  }
}

/** The closing episode's part of a flip's fee, rounded toward zero; the new episode has the rest. */
function feeShare(feeAtoms: QuoteAtoms, part: BaseAtoms, whole: BaseAtoms): QuoteAtoms {
  return feeAtoms < 0
    ? minus(ZERO_QUOTE, mulDivDown(minus(ZERO_QUOTE, feeAtoms), part, whole))
    : mulDivDown(feeAtoms, part, whole);
}
