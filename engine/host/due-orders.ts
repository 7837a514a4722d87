/**
 * The venue's timer for orders: submits `EndDueOrders` when the writer's state has something due, one turn after the other until nothing
 * is. What was due while the venue was down is due at its first tick.
 */
import type { OpenOrders } from '#reads/open-orders.ts';
import type { Timers } from '#time/timers.ts';
import { type Submit, VenueHalted, WriterBusy } from '#writer/port/submit.ts';

/** How late the first turn may be, besides the queue of the writer. */
export const DUE_CHECK_MS = 50;

export interface DueOrdersParts {
  readonly openOrders: Pick<OpenOrders, 'isDue'>;
  readonly submit: Submit;
  readonly timers: Timers;
  /** Receives an internal error with one turn: the next tick tries again. */
  readonly onInternalError: (error: unknown) => void;
}

/** Returns a function that stops the timer and resolves when no command of it is in progress. */
export function startDueOrders({ openOrders, submit, timers, onInternalError }: DueOrdersParts): () => Promise<void> {
  let hasEnded = false;
  let ending: Promise<void> | undefined;
  const isDue = () => !hasEnded && openOrders.isDue();
  const endDue = async () => {
    try {
      while (isDue()) await submit({ command: { type: 'EndDueOrders' } });
    } catch (error) {
      if (error instanceof VenueHalted) hasEnded = true;
      else if (!(error instanceof WriterBusy)) onInternalError(error);
    }
    ending = undefined;
  };
  const timer = timers.setInterval(() => {
    if (ending === undefined && isDue()) ending = endDue();
  }, DUE_CHECK_MS);
  return async () => {
    hasEnded = true;
    timer.cancel();
    await ending;
  };
}
