/** Adds waiting orders, makes them live and ends them. Only this file changes the lists of waiting orders, always together. */
import type { OrderOrdinal, PositionOrdinal } from '#units/ids.ts';
import type { Account } from '#venue/account/account.ts';
import type { CancelReason } from '#venue/event.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import type { WaitingTrigger } from './waiting-trigger.ts';

export function addWaiting(state: VenueState, trigger: WaitingTrigger): void {
  state.triggers.add(trigger);
  const { triggers } = state.market(trigger.market)!;
  triggers.count += 1;
  if (trigger.isLive) triggers.watch(trigger);
}

/** Lets a leg wait for its price. */
export function makeLive(state: VenueState, leg: WaitingTrigger): void {
  leg.liveNumber = state.triggers.nextLive();
  state.market(leg.market)!.triggers.watch(leg);
}

/** Lets a leg wait for its entry order again. */
export function makeDormant(state: VenueState, leg: WaitingTrigger): void {
  state.market(leg.market)!.triggers.unwatch(leg);
  leg.liveNumber = 0;
}

/** Takes an order that is triggered or ends out of all lists, and frees the order that it is linked with. */
export function removeWaiting(state: VenueState, trigger: WaitingTrigger): void {
  const { triggers } = state.market(trigger.market)!;
  triggers.unwatch(trigger);
  triggers.count -= 1;
  state.triggers.remove(trigger);
  const linked = state.triggers.find(trigger.linked);
  if (linked !== undefined) linked.linked = 0 as OrderOrdinal;
}

/** Cancels a waiting order and emits the event with the reason. */
export function cancelWaiting(turn: Turn, trigger: WaitingTrigger, reason: CancelReason): void {
  removeWaiting(turn.state, trigger);
  emitEnd(turn, trigger, reason);
}

/** Emits the end of a waiting order that is in no list any more. */
export function emitEnd(turn: Turn, trigger: WaitingTrigger, reason: CancelReason): void {
  turn.events.orderCancelled({
    order: trigger.order,
    account: trigger.account,
    market: trigger.market,
    side: trigger.side,
    reason,
    wasResting: false,
    priceAtoms: trigger.priceAtoms,
    remainingAtoms: trigger.quantityAtoms,
    accountReservedAtoms: turn.state.account(trigger.account)!.reservedAtoms,
  });
}

/** Ends the orders that reduce a position, which has ended. A leg whose entry order is open waits for that order again. */
export function endOfPosition(turn: Turn, account: Account, market: WaitingTrigger['market'], position: PositionOrdinal): void {
  const { triggers } = turn.state;
  if (triggers.isEmpty) return;
  for (const trigger of [...triggers.of(account.ordinal, market)]) {
    if (trigger.position !== position) continue;
    if (trigger.entry === 0) cancelWaiting(turn, trigger, 'position_ended');
    else resetLeg(turn, trigger);
  }
}

function resetLeg(turn: Turn, leg: WaitingTrigger): void {
  makeDormant(turn.state, leg);
  leg.quantityAtoms = 0 as WaitingTrigger['quantityAtoms'];
  leg.position = 0 as PositionOrdinal;
  emitLeg(turn, leg);
}

/** Emits the state of a leg after a change of its quantity. */
export function emitLeg(turn: Turn, leg: WaitingTrigger): void {
  turn.events.emit({
    type: 'LegChanged',
    order: leg.order,
    account: leg.account,
    market: leg.market,
    position: leg.position,
    quantityAtoms: leg.quantityAtoms,
  });
}
