/**
 * The journal's time follows the wall clock within limits set by the steady clock: the two diverge by at most a minute per hour.
 * A wall clock that is set forward by a day therefore does not expire what is promised for a day, and setting it back does not
 * stop the time. A permanent correction is made up slowly. Whether the clock is right at a start cannot be known.
 */

import type { Clock, SteadyClock } from '#time/clock.ts';
import type { EpochMs } from '#units/money.ts';

/** How far the journal's time may diverge from the steady clock within an hour. */
export const CLOCK_TOLERANCE_MS = 60_000;
const HOUR_MS = 60 * 60_000;

export class JournalTime {
  readonly #clock: Clock;
  readonly #steadyClock: SteadyClock;
  /** Both clocks at the start of the hour. */
  #anchor: { readonly epochMs: number; readonly steadyMs: number };
  #epochMs: EpochMs;

  /** `lastEpochMs`: the time of the last record. The time continues from there, wherever the clock is. */
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

  /**
   * By how much the wall clock is ahead of the journal's time (negative: behind it), if the journal's time does not follow it.
   */
  get clockOffByMs(): number {
    const offByMs = this.#clock.now() - this.advance();
    return Math.abs(offByMs) > CLOCK_TOLERANCE_MS ? offByMs : 0;
  }

  /** Reads the clocks. Never decreases. */
  advance(): EpochMs {
    const steadyMs = this.#steadyClock.elapsedMs();
    const expected = this.#anchor.epochMs + (steadyMs - this.#anchor.steadyMs);
    const bounded = Math.min(Math.max(this.#clock.now(), expected - CLOCK_TOLERANCE_MS), expected + CLOCK_TOLERANCE_MS);
    this.#epochMs = Math.max(this.#epochMs, Math.round(bounded)) as EpochMs;
    if (steadyMs - this.#anchor.steadyMs >= HOUR_MS) this.#anchor = { epochMs: this.#epochMs, steadyMs };
    return this.#epochMs;
  }
}
