/**
 * An order's life in the book: it rests, it shrinks, it leaves. Here and nowhere else the book, the account's own list
 * and its reservation change together.
 */
import type { BaseAtoms } from '#units/money.ts';
import { minus, plus, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { CancelReason } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { MatchTerms } from './match.ts';
import type { RestingOrder, Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { reservationOf } from './reservation.ts';

/** Puts an order that crosses nothing into the book and reserves what it needs. */
export function restOrder(state: VenueState, market: Market, account: Account, it: RestingOrder): void {
  const reserved = it.reduceOnly ? ZERO_QUOTE : reservationOf(market, it, it.remainingAtoms);
  const slot = state.orders.add(it, reserved);
  market.book.add(slot);
  const position = account.positionIn(it.market);
  linkOwn(state, position, slot);
  position.openOrders += 1;
  if (it.reduceOnly) position.reduceOnlyOrders += 1;
  else {
    position.restingBaseAtoms = plus(position.restingBaseAtoms, it.remainingAtoms);
    position.restingNotionalAtoms = plus(position.restingNotionalAtoms, market.notional(it.priceAtoms, it.remainingAtoms));
  }
  account.openOrders += 1;
  account.reservedAtoms = plus(account.reservedAtoms, reserved);
}

/** Takes a filled quantity off a resting order and its share off the reservation. An order with nothing left is gone. */
export function shrinkOrder(turn: Turn, market: Market, account: Account, slot: Slot, filled: BaseAtoms): BaseAtoms {
  const remaining = turn.state.orders.remainingOf(slot);
  const left = minus(remaining, filled);
  release(turn, market, account, slot, remaining, left);
  if (left === 0) removeOrder(turn.state, market, account, slot);
  else turn.state.orders.setRemaining(slot, left);
  return left;
}

/** Ends a resting order unfilled, with the reason for it. */
export function cancelResting(turn: Turn, slot: Slot, reason: CancelReason): void {
  const { orders } = turn.state;
  const account = turn.state.account(orders.accountOf(slot))!;
  const market = turn.state.market(orders.marketOf(slot))!;
  const remainingAtoms = orders.remainingOf(slot);
  const order = orders.orderOf(slot);
  const side = orders.sideOf(slot);
  const priceAtoms = orders.priceOf(slot);
  release(turn, market, account, slot, remainingAtoms, ZERO_BASE);
  removeOrder(turn.state, market, account, slot);
  const { orderCancelled: cancelled } = turn.drafts;
  cancelled.order = order;
  cancelled.account = account.ordinal;
  cancelled.market = market.ordinal;
  cancelled.side = side;
  cancelled.reason = reason;
  cancelled.priceAtoms = priceAtoms;
  cancelled.remainingAtoms = remainingAtoms;
  cancelled.accountReservedAtoms = account.reservedAtoms;
  turn.events.orderCancelled(cancelled);
}

/** Ends all orders that an account has in a market. */
export function cancelAllIn(turn: Turn, position: Position, reason: CancelReason): void {
  for (let slot = position.firstOwnOrder; slot !== NO_SLOT; slot = position.firstOwnOrder) {
    cancelResting(turn, slot, reason);
  }
}

/** Ends the account's reduce-only orders in a market, once there is nothing left for them to reduce. */
export function cancelReduceOnly(turn: Turn, position: Position): void {
  let slot = position.firstOwnOrder;
  while (slot !== NO_SLOT && position.reduceOnlyOrders > 0) {
    const next = turn.state.orders.ownAfter[slot]! as Slot;
    if (turn.state.orders.isReduceOnly(slot)) cancelResting(turn, slot, 'reduce_only');
    slot = next;
  }
}

/** Says in `terms` what opening with an open order costs. */
export function readOpeningTerms({ orders }: VenueState, slot: Slot, into: MatchTerms): void {
  into.side = orders.sideOf(slot);
  into.priceAtoms = orders.priceOf(slot);
  into.markPriceAtoms = orders.markOf(slot);
  into.leverageX = orders.leverageOf(slot);
  into.initialMarginBps = orders.initialMarginBpsOf(slot);
}

/** Gives back what an order held for the part that will not fill any more, or has filled. */
function release(turn: Turn, market: Market, account: Account, slot: Slot, remaining: BaseAtoms, left: BaseAtoms): void {
  const { orders } = turn.state;
  if (orders.isReduceOnly(slot)) return;
  let freed = orders.reservedOf(slot);
  if (left > 0) {
    const { terms } = turn;
    readOpeningTerms(turn.state, slot, terms);
    const kept = reservationOf(market, terms, left);
    freed = minus(freed, kept);
    orders.setReserved(slot, kept);
  }
  account.reservedAtoms = minus(account.reservedAtoms, freed);
  const position = account.positionIn(market.ordinal);
  const worth = market.notional(turn.state.orders.priceOf(slot), minus(remaining, left));
  position.restingBaseAtoms = minus(position.restingBaseAtoms, minus(remaining, left));
  position.restingNotionalAtoms = minus(position.restingNotionalAtoms, worth);
}

function removeOrder(state: VenueState, market: Market, account: Account, slot: Slot): void {
  const position = account.positionIn(market.ordinal);
  market.book.remove(slot);
  unlinkOwn(state, position, slot);
  position.openOrders -= 1;
  if (state.orders.isReduceOnly(slot)) position.reduceOnlyOrders -= 1;
  account.openOrders -= 1;
  state.orders.remove(slot);
}

function linkOwn(state: VenueState, position: Position, slot: Slot): void {
  const first = position.firstOwnOrder;
  state.orders.ownBefore[slot] = NO_SLOT;
  state.orders.ownAfter[slot] = first;
  if (first !== NO_SLOT) state.orders.ownBefore[first] = slot;
  position.firstOwnOrder = slot;
}

function unlinkOwn(state: VenueState, position: Position, slot: Slot): void {
  const before = state.orders.ownBefore[slot]! as Slot;
  const after = state.orders.ownAfter[slot]! as Slot;
  if (before === NO_SLOT) position.firstOwnOrder = after;
  else state.orders.ownAfter[before] = after;
  if (after !== NO_SLOT) state.orders.ownBefore[after] = before;
}
