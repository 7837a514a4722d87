/**
 * What a snapshot appends about open orders: their arrival, their fills, whether they are post-only, and when
 * they expire; and about timers that cancel orders.
 */
import type { EpochMs } from '#units/money.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import type { VenueState } from '#venue/state.ts';

const NEVER = 0 as EpochMs;

/** Whether a state has any of it. A state of earlier rules has none. */
export function hasOrderLife({ orders, cancelTimers }: VenueState): boolean {
  if (!cancelTimers.isInitial || !orders.late.isInitial) return true;
  return orders.slotsByAge().some((slot) => orders.isAmendable(slot));
}

/** The late arrivals come first: they decide the order of the orders that follow. */
export function orderLifeLayout(io: Cursor, { orders, expiries, cancelTimers }: VenueState): void {
  orders.late.layout(io);
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
