/** The clocks of a test world: a wall clock that may be set, and a steady one that starts over with the machine. */
import type { EpochMs } from '#units/money.ts';
import type { Clock, SteadyClock } from '#writer/clock.ts';

const BEGINS_AT_EPOCH_MS = 1_700_000_000_000;

export class WorldClock implements Clock, SteadyClock {
  #passedMs = 0;
  #setByMs = 0;
  #startedAtMs = 0;

  now(): EpochMs {
    return (this.trueEpochMs + this.#setByMs) as EpochMs;
  }

  /** What a clock shows that nobody sets. */
  get trueEpochMs(): number {
    return BEGINS_AT_EPOCH_MS + this.#passedMs;
  }

  elapsedMs(): number {
    return this.#passedMs - this.#startedAtMs;
  }

  pass(ms: number): void {
    this.#passedMs += ms;
  }

  /** Sets the wall clock forward or back. */
  setBy(ms: number): void {
    this.#setByMs += ms;
  }

  /** Somebody has looked at the wall clock and put it right. */
  putRight(): void {
    this.#setByMs = 0;
  }

  startMachine(): void {
    this.#startedAtMs = this.#passedMs;
  }
}
