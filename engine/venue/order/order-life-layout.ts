/**
 * What a snapshot appends about open orders: their arrival, their fills, whether they are post-only, and when
 * they expire; and about timers that cancel orders.
 */
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { longList } from '#venue/record/long-list.ts';
import type { VenueState } from '#venue/state.ts';
import type { Requeue } from './order-table.ts';

const NEVER = 0 as EpochMs;

/** Whether a state has any of it. A state of earlier rules has none. */
export function hasOrderLife({ orders, cancelTimers }: VenueState): boolean {
  if (!cancelTimers.isInitial || orders.requeues().last > 0) return true;
  return orders.slotsByAge().some((slot) => orders.isAmendable(slot));
}

/** The requeues come first: they decide the order of the orders that follow. */
export function orderLifeLayout(io: Cursor, { orders, expiries, cancelTimers }: VenueState): void {
  const { last, open } = orders.requeues();
  orders.restoreRequeues({ last: io.int(last), open: longList(io, open, requeueLayout) });
  for (const slot of orders.slotsByAge()) {
    const order = orders.orderOf(slot);
    const life = {
      isAmendable: io.flag(orders.isAmendable(slot)),
      postOnly: io.flag(orders.isPostOnly(slot)),
      filledAtoms: io.int(orders.filledOf(slot)),
      expiresAtEpochMs: io.int(expiries.timeOf(order) ?? NEVER),
    };
    orders.setLife(slot, life);
    if (life.expiresAtEpochMs > 0) expiries.set(order, life.expiresAtEpochMs);
  }
  cancelTimers.layout(io);
}

function requeueLayout(io: Cursor, it: Requeue): Requeue {
  return { order: io.int(it.order), newest: io.int(it.newest), number: io.int(it.number) };
}
