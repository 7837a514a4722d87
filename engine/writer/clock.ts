/**
 * The clocks: everything outside the core that needs the time is given these ports, so that tests can own the time. What
 * the journal makes of them is in `journal-time.ts`.
 */
import { uptime } from 'node:os';
import type { EpochMs } from '#units/money.ts';

export interface Clock {
  /** Milliseconds since the Unix epoch. May be set forward and back: the writer keeps the journal's time from following. */
  now(): EpochMs;
}

/** What cannot be set. */
export interface SteadyClock {
  /** Milliseconds since some moment in the past. Goes on while the machine sleeps, as the wall clock does. */
  elapsedMs(): number;
}

/** The machine's clock. */
export const systemClock: Clock = { now: () => Date.now() as EpochMs };

/** The time since the machine was started: unlike the process's own, it counts the time that the machine sleeps. */
export const systemSteadyClock: SteadyClock = { elapsedMs: () => uptime() * 1000 };
