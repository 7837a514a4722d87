/** Polls what is due until it is the owner's turn or nothing is, with growing pauses. */
import { isPassing } from '../venue/venue-error.ts';
import type { Due } from './due.ts';

/** Resolves after the delay; rejects if the signal aborts. */
export type Wait = (delayMs: number, signal: AbortSignal) => Promise<void>;

const FIRST_PAUSE_MS = 400;
const LAST_PAUSE_MS = 8_000;

/** The pause after `polls` polls without a change: grows by half each time. */
export function pauseMs(polls: number): number {
  return Math.min(LAST_PAUSE_MS, Math.round(FIRST_PAUSE_MS * 1.5 ** Math.min(polls, 20)));
}

export interface Polling {
  /** Reads what is due. An error that may pass is reported as a wait, any other ends the polling. */
  readonly poll: () => Promise<Due>;
  /** Called with each result. */
  readonly onDue: (due: Due) => void;
  readonly wait: Wait;
  readonly signal: AbortSignal;
}

/** Resolves when it is the owner's turn, or when nothing is due. Rejects if the signal aborts. */
export async function pollUntilSettled({ poll, onDue, wait, signal }: Polling): Promise<void> {
  let waitsFor: string | undefined;
  for (let polls = 0; ; polls += 1) {
    signal.throwIfAborted();
    const { due, atLeastMs } = await pollOnce(poll);
    signal.throwIfAborted();
    onDue(due);
    if (due.by !== 'venue') return;
    // A change shows that the venue makes progress: the pauses start again.
    if (due.waitsFor !== waitsFor) polls = 0;
    waitsFor = due.waitsFor;
    await wait(Math.max(atLeastMs, pauseMs(polls)), signal);
  }
}

async function pollOnce(poll: Polling['poll']): Promise<{ readonly due: Due; readonly atLeastMs: number }> {
  try {
    return { due: await poll(), atLeastMs: 0 };
  } catch (error) {
    if (!isPassing(error)) throw error;
    return { due: { by: 'venue', waitsFor: `${error.message} Trying again.` }, atLeastMs: error.retryAfterMs ?? 0 };
  }
}
