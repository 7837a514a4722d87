/** The machine's time, which a test can move ahead: for a venue with threads of its own, whose timers use the machine's time. */
import type { Clock, SteadyClock } from '#time/clock.ts';
import { systemTime } from '#time/system-time.ts';
import type { Time } from '#time/time.ts';
import type { EpochMs } from '#units/money.ts';

export class RunningTime implements Time {
  readonly clock: Clock = { now: () => (systemTime.clock.now() + this.#elapsedMs + this.#setByMs) as EpochMs };
  readonly steadyClock: SteadyClock = { elapsedMs: () => systemTime.steadyClock.elapsedMs() + this.#elapsedMs };
  readonly timers = systemTime.timers;
  #elapsedMs = 0;
  #setByMs = 0;

  /** Moves both clocks ahead. No timer fires earlier. */
  pass(ms: number): void {
    this.#elapsedMs += ms;
  }

  /** Sets the wall clock forward or back. */
  setClockBy(ms: number): void {
    this.#setByMs += ms;
  }
}
