/** The one clock: everything outside the core that needs the time is given this port, so that tests can own the time. */
import type { EpochMs } from '#units/money.ts';

export interface Clock {
  /** Milliseconds since the Unix epoch. May step backwards: the writer sees to it that the journal's time never does. */
  now(): EpochMs;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() as EpochMs };
