/** Cancels an order at its owner's request. Refuses if the order is unknown, belongs to another account or is not open. */

import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import { cancelWaiting } from '#venue/trigger/waiting.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_SLOT } from './order-table.ts';
import { cancelResting } from './resting.ts';

export interface CancelOrder {
  readonly type: 'CancelOrder';
  readonly account: AccountOrdinal;
  readonly order: OrderOrdinal;
}

export type CancellationCommand = CancelOrder;

export const CANCELLATION_COMMANDS: CommandRules<CancellationCommand> = {
  CancelOrder: {
    plan: planCancellation,
    commit: commitCancellation,
    layout: {
      tag: 9,
      fields: (io, it) => ({
        type: 'CancelOrder',
        account: io.int(it.account),
        order: io.int(it.order),
      }),
    },
  },
};

export function planCancellation(turn: Turn, command: CancelOrder): Refusal | undefined {
  if (turn.state.account(command.account) === undefined) return { code: 'account_not_found' };
  if (command.order < 1 || command.order > turn.state.lastOrder) return { code: 'order_not_found' };
  const slot = turn.state.orders.slotOf(command.order);
  if (slot === NO_SLOT) {
    const waiting = turn.state.triggers.find(command.order);
    if (waiting === undefined) return { code: 'order_not_open', order: command.order };
    return waiting.account === command.account ? undefined : { code: 'order_not_found' };
  }
  return turn.state.orders.accountOf(slot) === command.account ? undefined : { code: 'order_not_found' };
}

export function commitCancellation(turn: Turn, command: CancelOrder): void {
  const waiting = turn.state.triggers.find(command.order);
  if (waiting === undefined) cancelResting(turn, turn.state.orders.slotOf(command.order), 'user');
  else cancelWaiting(turn, waiting, 'user');
}
