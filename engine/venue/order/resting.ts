/**
 * Adds orders to the book, reduces and removes them. Only this file changes the book, the account's list of orders and its
 * reservation, always together.
 */
import type { BaseAtoms } from '#units/money.ts';
import { minus, plus, ZERO_BASE, ZERO_QUOTE } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { CancelReason } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import { endEntry } from '#venue/trigger/legs.ts';
import type { Turn } from '#venue/turn.ts';
import type { MatchTerms } from './match.ts';
import type { RestingOrder, Slot } from './order-table.ts';
import { NO_SLOT } from './order-table.ts';
import { reservationOf } from './reservation.ts';

/** Adds an order that crosses nothing to the book, and reserves its margin and fee. */
export function restOrder(state: VenueState, market: Market, account: Account, it: RestingOrder): void {
  const reserved = it.reduceOnly ? ZERO_QUOTE : reservationOf(market, it, it.remainingAtoms);
  const slot = state.orders.add(it, reserved);
  market.book.add(slot);
  if (it.expiresAtEpochMs > 0) state.expiries.set(it.order, it.expiresAtEpochMs);
  const position = account.positionIn(it.market);
  linkOwn(state, position, slot);
  position.openOrders += 1;
  if (it.reduceOnly) {
    position.reduceOnlyOrders += 1;
    position.reduceOnlyBaseAtoms = plus(position.reduceOnlyBaseAtoms, it.remainingAtoms);
  } else {
    position.restingBaseAtoms = plus(position.restingBaseAtoms, it.remainingAtoms);
    position.restingNotionalAtoms = plus(position.restingNotionalAtoms, market.notional(it.priceAtoms, it.remainingAtoms));
  }
  account.openOrders += 1;
  account.reservedAtoms = plus(account.reservedAtoms, reserved);
}

/** Subtracts a quantity from a resting order, and its share from the reservation. Removes the order if nothing is left. */
export function shrinkOrder(turn: Turn, market: Market, account: Account, slot: Slot, quantity: BaseAtoms): BaseAtoms {
  const remaining = turn.state.orders.remainingOf(slot);
  const left = minus(remaining, quantity);
  release(turn, market, account, slot, remaining, left);
  if (left === 0) removeOrder(turn.state, market, account, slot);
  else market.book.resize(slot, left);
  return left;
}

/** Cancels a resting order and emits the event with the reason. */
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
  endEntry(turn, order);
}

/** Takes a resting order out of the book without ending it. The caller emits what happens to it. */
export function takeOut(turn: Turn, market: Market, account: Account, slot: Slot): void {
  release(turn, market, account, slot, turn.state.orders.remainingOf(slot), ZERO_BASE);
  removeOrder(turn.state, market, account, slot);
}

/** Cuts the quantity of a resting reduce-only order by less than its remainder, and emits the event. It keeps its place in the book. */
export function cutResting(turn: Turn, market: Market, account: Account, slot: Slot, cutAtoms: BaseAtoms): void {
  const { orders } = turn.state;
  turn.events.emit({
    type: 'OrderReduced',
    order: orders.orderOf(slot),
    account: account.ordinal,
    market: market.ordinal,
    side: orders.sideOf(slot),
    wasResting: true,
    priceAtoms: orders.priceOf(slot),
    cutAtoms,
    remainingAtoms: shrinkOrder(turn, market, account, slot, cutAtoms),
  });
}

/** Cancels all orders of an account in a market. */
export function cancelAllIn(turn: Turn, position: Position, reason: CancelReason): void {
  for (let slot = position.firstOwnOrder; slot !== NO_SLOT; slot = position.firstOwnOrder) {
    cancelResting(turn, slot, reason);
  }
}

/** Cancels the account's reduce-only orders in a market. Called when they have nothing left to reduce. */
export function cancelReduceOnly(turn: Turn, position: Position): void {
  let slot = position.firstOwnOrder;
  while (slot !== NO_SLOT && position.reduceOnlyOrders > 0) {
    const next = turn.state.orders.ownAfter[slot]! as Slot;
    if (turn.state.orders.isReduceOnly(slot)) cancelResting(turn, slot, 'reduce_only');
    slot = next;
  }
}

/** Copies the opening terms of an open order into `into`. */
export function readOpeningTerms({ orders }: VenueState, slot: Slot, into: MatchTerms): void {
  into.side = orders.sideOf(slot);
  into.priceAtoms = orders.priceOf(slot);
  into.markPriceAtoms = orders.markOf(slot);
  into.leverageHundredths = orders.leverageOf(slot);
  into.initialMarginBps = orders.initialMarginBpsOf(slot);
}

/** Releases the reservation for the part of an order that has filled, is cut or cancelled. */
function release(turn: Turn, market: Market, account: Account, slot: Slot, remaining: BaseAtoms, left: BaseAtoms): void {
  const { orders } = turn.state;
  const position = account.positionIn(market.ordinal);
  if (orders.isReduceOnly(slot)) {
    position.reduceOnlyBaseAtoms = minus(position.reduceOnlyBaseAtoms, minus(remaining, left));
    return;
  }
  let freed = orders.reservedOf(slot);
  if (left > 0) {
    const { terms } = turn;
    readOpeningTerms(turn.state, slot, terms);
    const stillReserved = reservationOf(market, terms, left);
    freed = minus(freed, stillReserved);
    orders.setReserved(slot, stillReserved);
  }
  account.reservedAtoms = minus(account.reservedAtoms, freed);
  const freedNotional = market.notional(turn.state.orders.priceOf(slot), minus(remaining, left));
  position.restingBaseAtoms = minus(position.restingBaseAtoms, minus(remaining, left));
  position.restingNotionalAtoms = minus(position.restingNotionalAtoms, freedNotional);
}

function removeOrder(state: VenueState, market: Market, account: Account, slot: Slot): void {
  const position = account.positionIn(market.ordinal);
  market.book.remove(slot);
  if (state.orders.mayExpire(slot)) state.expiries.delete(state.orders.orderOf(slot));
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
