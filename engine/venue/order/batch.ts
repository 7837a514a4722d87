/**
 * Several orders in one turn: each is placed or cancelled as if it had come alone, in order, and nothing comes between.
 * Every entry leaves its own first event: the order it became, or why it was refused.
 */
import type { OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { CancelOrders, PlaceOrders } from '#venue/command.ts';
import { MAX_BATCH_ENTRIES } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { commitCancellation, planCancellation } from './cancellation.ts';
import type { PlacementPlan } from './placement.ts';
import { commitPlacement, planPlacement } from './placement.ts';

/** A batch is refused as a whole only for its own faults: its account, its length. */
export function planBatch(state: VenueState, command: PlaceOrders | CancelOrders): Refusal | undefined {
  const length = command.type === 'PlaceOrders' ? command.entries.length : command.orders.length;
  if (state.account(command.account) === undefined) return { code: 'account_not_found' };
  return length < 1 || length > MAX_BATCH_ENTRIES ? { code: 'batch_size_invalid', bound: MAX_BATCH_ENTRIES } : undefined;
}

export function commitPlacements(
  state: VenueState,
  { account, entries, idempotencyKey }: PlaceOrders,
  now: EpochMs,
  plan: PlacementPlan,
  events: EventWriter,
): void {
  for (const [index, entry] of entries.entries()) {
    const command = { type: 'PlaceOrder', account, ...entry, idempotencyKey } as const;
    const refusal = planPlacement(state, command, now, plan);
    if (refusal === undefined) commitPlacement(state, command, now, plan, events);
    else refuseEntry(index, refusal, events);
  }
}

export function commitCancellations(state: VenueState, { account, orders }: CancelOrders, events: EventWriter): void {
  for (const [index, order] of orders.entries()) {
    const command = { type: 'CancelOrder', account, order } as const;
    const refusal = planCancellation(state, command);
    if (refusal === undefined) commitCancellation(state, command, events);
    else refuseEntry(index, refusal, events);
  }
}

function refuseEntry(index: number, { code, order = 0 as OrderOrdinal, bound = 0 }: Refusal, events: EventWriter): void {
  events.entryRefused({ index, code, order, bound });
}
