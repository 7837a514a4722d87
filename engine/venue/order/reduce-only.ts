/**
 * Cancels reduce-only orders that have nothing left to reduce. Positions that fills change are noted during a commit and checked
 * at its end, because later steps of the plan may still meet those orders.
 */
import type { Position } from '#venue/position/position.ts';
import { closableBy } from '#venue/position/position.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { Slot } from './order-table.ts';
import { cancelReduceOnly } from './resting.ts';

/** Notes a position that a fill has changed. */
export function noteChange(turn: Turn, position: Position): void {
  if (position.reduceOnlyOrders > 0) turn.changedPositions.push(position);
}

/** Cancels the reduce-only orders of noted positions that have nothing left to reduce. */
export function cancelIdleReduceOnly(turn: Turn): void {
  const { state, changedPositions } = turn;
  for (const position of changedPositions) {
    if (position.reduceOnlyOrders > 0 && !hasReduciblePosition(state, position)) cancelReduceOnly(turn, position);
  }
  changedPositions.length = 0;
}

/** All reduce-only orders of a position are on one side: the one that closed the position when they were placed. */
function hasReduciblePosition(state: VenueState, position: Position): boolean {
  let slot = position.firstOwnOrder;
  while (!state.orders.isReduceOnly(slot)) slot = state.orders.ownAfter[slot]! as Slot;
  return closableBy(state.orders.sideOf(slot), position) > 0;
}
