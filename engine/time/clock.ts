/**
 * The clock ports. All code outside the core reads the time through them, so that a test can control it. How the journal uses
 * them is in `engine/writer/journal/journal-time.ts`.
 */
import type { EpochMs } from '#units/money.ts';

/** The wall clock: dates what clients and the journal see. Never measures how long something takes. */
export interface Clock {
  /** Milliseconds since the Unix epoch. May be set forward and back: the writer keeps the journal's time from following. */
  now(): EpochMs;
}

/** Measures durations: rates, timeouts, ages. It cannot be set. */
export interface SteadyClock {
  /** Milliseconds, fractions included, since some moment in the past. Never decreases, and counts the time that the machine sleeps. */
  elapsedMs(): number;
}
