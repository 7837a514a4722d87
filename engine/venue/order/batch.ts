/**
 * Several orders in one turn: each is placed or cancelled as if it had come alone, in order, and nothing comes between.
 * Every entry leaves its own first event: the order it became, or why it was refused.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { CancelOrders, PlaceOrders } from '#venue/command.ts';
import { MAX_BATCH_ENTRIES } from '#venue/command.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { commitCancellation, planCancellation } from './cancellation.ts';
import { commitPlacement, planPlacement } from './placement.ts';

/** A batch is refused as a whole only for its own faults: its account, its length. */
export function planBatch(turn: Turn, command: PlaceOrders | CancelOrders): Refusal | undefined {
  const length = command.type === 'PlaceOrders' ? command.entries.length : command.orders.length;
  if (turn.state.account(command.account) === undefined) return { code: 'account_not_found' };
  return length < 1 || length > MAX_BATCH_ENTRIES ? { code: 'batch_size_invalid', bound: MAX_BATCH_ENTRIES } : undefined;
}

export function commitPlacements(turn: Turn, { account, entries, idempotencyKey }: PlaceOrders): void {
  for (const [index, entry] of entries.entries()) {
    const command = { type: 'PlaceOrder', account, ...entry, idempotencyKey } as const;
    const refusal = planPlacement(turn, command);
    if (refusal === undefined) commitPlacement(turn, command);
    else refuseEntry(turn, index, refusal);
  }
}

export function commitCancellations(turn: Turn, { account, orders }: CancelOrders): void {
  for (const [index, order] of orders.entries()) {
    const command = { type: 'CancelOrder', account, order } as const;
    const refusal = planCancellation(turn, command);
    if (refusal === undefined) commitCancellation(turn, command);
    else refuseEntry(turn, index, refusal);
  }
}

function refuseEntry(turn: Turn, index: number, { code, order = 0 as OrderOrdinal, bound = 0 }: Refusal): void {
  turn.events.entryRefused({ index, code, order, bound });
}
