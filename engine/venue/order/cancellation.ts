/** Cancelling an order at its owner's wish: an order that is unknown, another's or already done is refused. */
import type { CancelOrder } from '#venue/command.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_SLOT } from './order-table.ts';
import { cancelResting } from './resting.ts';

export function planCancellation(turn: Turn, command: CancelOrder): Refusal | undefined {
  if (turn.state.account(command.account) === undefined) return { code: 'account_not_found' };
  if (command.order < 1 || command.order > turn.state.lastOrder) return { code: 'order_not_found' };
  const slot = turn.state.orders.slotOf(command.order);
  if (slot === NO_SLOT) return { code: 'order_not_open', order: command.order };
  return turn.state.orders.accountOf(slot) === command.account ? undefined : { code: 'order_not_found' };
}

export function commitCancellation(turn: Turn, command: CancelOrder): void {
  cancelResting(turn, turn.state.orders.slotOf(command.order), 'user');
}
