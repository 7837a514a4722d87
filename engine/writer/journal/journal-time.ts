/**
 * The journal's time. It follows the wall clock, within what the steady one allows: by a minute at most per hour do the
 * two part. A wall clock that is set forward by a day so neither ends what is promised for a day, nor stops the time when
 * it is set back; what it was set by for good is made up for slowly. Whether it is right at a start, nobody can tell.
 */

import type { Clock, SteadyClock } from '#time/clock.ts';
import type { EpochMs } from '#units/money.ts';

/** How far the journal's time may part from the steady clock before the hour is over. */
export const CLOCK_TOLERANCE_MS = 60_000;
const HOUR_MS = 60 * 60_000;

export class JournalTime {
  readonly #clock: Clock;
  readonly #steadyClock: SteadyClock;
  /** Where both stood when the hour began. */
  #anchor: { readonly epochMs: number; readonly steadyMs: number };
  #epochMs: EpochMs;

  /** `lastEpochMs`: the time of the last record. The time goes on from there, wherever the clock is. */
  constructor(clock: Clock, steadyClock: SteadyClock, lastEpochMs: EpochMs) {
    this.#clock = clock;
    this.#steadyClock = steadyClock;
    this.#epochMs = Math.max(lastEpochMs, clock.now()) as EpochMs;
    this.#anchor = { epochMs: this.#epochMs, steadyMs: steadyClock.elapsedMs() };
  }

  /** The time as it was last read. */
  get epochMs(): EpochMs {
    return this.#epochMs;
  }

  /** By how much the wall clock is ahead of the journal's time (below zero: behind it), if it is not being followed. */
  get clockOffByMs(): number {
    const offByMs = this.#clock.now() - this.advance();
    return Math.abs(offByMs) > CLOCK_TOLERANCE_MS ? offByMs : 0;
  }

  /** Reads the clocks. Never goes back. */
  advance(): EpochMs {
    const steadyMs = this.#steadyClock.elapsedMs();
    const expected = this.#anchor.epochMs + (steadyMs - this.#anchor.steadyMs);
    const followed = Math.min(Math.max(this.#clock.now(), expected - CLOCK_TOLERANCE_MS), expected + CLOCK_TOLERANCE_MS);
    this.#epochMs = Math.max(this.#epochMs, Math.round(followed)) as EpochMs;
    if (steadyMs - this.#anchor.steadyMs >= HOUR_MS) this.#anchor = { epochMs: this.#epochMs, steadyMs };
    return this.#epochMs;
  }
}
