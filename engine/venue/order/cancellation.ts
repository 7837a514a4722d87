/** Cancelling an order at its owner's wish: an order that is unknown, another's or already done is refused. */
import type { CancelOrder } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { NO_SLOT } from './order-table.ts';
import { cancelResting } from './resting.ts';

export function planCancellation(state: VenueState, command: CancelOrder): Refusal | undefined {
  if (state.account(command.account) === undefined) return { code: 'account_not_found' };
  if (command.order < 1 || command.order > state.lastOrder) return { code: 'order_not_found' };
  const slot = state.orders.slotOf(command.order);
  if (slot === NO_SLOT) return { code: 'order_not_open', order: command.order };
  return state.orders.accountOf(slot) === command.account ? undefined : { code: 'order_not_found' };
}

export function commitCancellation(state: VenueState, command: CancelOrder, events: EventWriter): void {
  cancelResting(state, state.orders.slotOf(command.order), 'user', events);
}
