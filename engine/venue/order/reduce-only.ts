/**
 * Keeps the reduce-only orders of an account in a market from offering more together than its position. They reserve no margin, so
 * without this rule an account could show any depth. The order that would be met last is cut first: the worst price, then the newest.
 */
import type { BaseAtoms, PriceAtoms } from '#units/money.ts';
import { largerOf, minus, ZERO_BASE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import type { Position } from '#venue/position/position.ts';
import { closableBy } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_SLOT, type OrderTable, type Slot } from './order-table.ts';
import { cancelReduceOnly, cancelResting, cutResting } from './resting.ts';

/** Notes a position that a fill has changed. Its orders are cut at the end of the commit: later steps may still meet them. */
export function noteChange(turn: Turn, position: Position): void {
  if (position.reduceOnlyOrders > 0) turn.changedPositions.push(position);
}

/** Cuts the reduce-only orders of noted positions. */
export function cutChangedReduceOnly(turn: Turn): void {
  const { changedPositions } = turn;
  for (const position of changedPositions) cutReduceOnly(turn, position);
  changedPositions.length = 0;
}

/**
 * Cuts the reduce-only orders of a position by what they offer beyond it, and cancels those of which nothing remains. Visits each order of
 * the account in the market once (at most `MAX_OPEN_ORDERS`), and only if they offer too much.
 */
export function cutReduceOnly(turn: Turn, position: Position): void {
  if (position.reduceOnlyOrders === 0) return;
  const { state, rules } = turn;
  const reducible = reducibleSize(state.orders, position);
  if (reducible === 0) cancelReduceOnly(turn, position);
  else if (rules.cutsReduceOnly && position.reduceOnlyBaseAtoms > reducible) {
    cutExcess(turn, position, minus(position.reduceOnlyBaseAtoms, reducible));
  }
}

/** The maximum number of positions of a state of earlier rules whose orders one turn cuts. */
const MAX_INHERITED_CUTS = 100;

/** Whether a state of earlier rules left reduce-only orders that offer more than their positions. */
export function hasExcess({ positions }: Market): boolean {
  for (let index = 0; index < positions.count; index += 1) if (isExceeded(positions.at(index))) return true;
  return false;
}

/** Cuts the orders that a state of earlier rules left. Called with each price until none is left. */
export function cutInherited(turn: Turn, market: Market): void {
  const { positions } = market;
  let cuts = 0;
  for (let index = 0; index < positions.count && cuts < MAX_INHERITED_CUTS; index += 1) {
    const position = positions.at(index);
    if (!isExceeded(position)) continue;
    cutReduceOnly(turn, position);
    cuts += 1;
  }
  market.hasInheritedExcess = cuts === MAX_INHERITED_CUTS;
}

function isExceeded({ reduceOnlyBaseAtoms, signedBaseAtoms }: Position): boolean {
  return reduceOnlyBaseAtoms > Math.abs(signedBaseAtoms);
}

/**
 * How much a reduce-only order at a price may offer, if the position is `closable`: what the account's reduce-only orders that would be
 * met before it leave, without the order that it replaces. An order at the same price is older, so it is met before.
 */
export function reducibleBeside(
  { orders }: VenueState,
  position: Position,
  priceAtoms: PriceAtoms,
  closable: BaseAtoms,
  replaced: Slot,
): BaseAtoms {
  let left = closable;
  for (const slot of position.reduceOnlyOrders === 0 ? [] : reduceOnlySlots(orders, position)) {
    const behind = orders.sideOf(slot) === 'buy' ? priceAtoms - orders.priceOf(slot) : orders.priceOf(slot) - priceAtoms;
    if (behind <= 0 && slot !== replaced) left = minus(left, orders.remainingOf(slot));
  }
  return largerOf(ZERO_BASE, left);
}

/** All reduce-only orders of a position are on one side: the one that closed the position when they were placed. */
function reducibleSize(orders: OrderTable, position: Position): BaseAtoms {
  let slot = position.firstOwnOrder;
  while (!orders.isReduceOnly(slot)) slot = orders.ownAfter[slot]! as Slot;
  return closableBy(orders.sideOf(slot), position);
}

function cutExcess(turn: Turn, position: Position, excess: BaseAtoms): void {
  const { orders } = turn.state;
  const account = turn.state.account(position.account)!;
  const market = turn.state.market(position.market)!;
  let left = excess;
  for (const slot of reduceOnlySlots(orders, position).sort((one, other) => compareLastMet(orders, one, other))) {
    if (left === 0) return;
    const remaining = orders.remainingOf(slot);
    if (remaining > left) cutResting(turn, market, account, slot, left);
    else cancelResting(turn, slot, 'reduce_only');
    left = remaining > left ? ZERO_BASE : minus(left, remaining);
  }
}

function reduceOnlySlots(orders: OrderTable, { firstOwnOrder, reduceOnlyOrders }: Position): Slot[] {
  const slots: Slot[] = [];
  for (let slot = firstOwnOrder; slot !== NO_SLOT && slots.length < reduceOnlyOrders; slot = orders.ownAfter[slot]! as Slot) {
    if (orders.isReduceOnly(slot)) slots.push(slot);
  }
  return slots;
}

/** The order that would be met last comes first. */
function compareLastMet(orders: OrderTable, one: Slot, other: Slot): number {
  const lower = orders.priceOf(one) - orders.priceOf(other);
  const met = orders.sideOf(one) === 'buy' ? lower : -lower;
  return met === 0 ? orders.compareArrival(other, one) : met;
}
