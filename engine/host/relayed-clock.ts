/** A clock of another thread: it continues from the last time that thread sent, at the speed of the machine's steady clock. */

import type { Clock } from '#time/clock.ts';
import { systemTime } from '#time/system-time.ts';
import type { EpochMs } from '#units/money.ts';

export interface RelayedTime {
  readonly epochMs: EpochMs;
  /** When it was sent, on a scale that all threads share. */
  readonly atMs: number;
}

export function relayed(clock: Clock): RelayedTime {
  return { epochMs: clock.now(), atMs: sharedMs() };
}

export class RelayedClock implements Clock {
  #time: RelayedTime;

  constructor(time: RelayedTime) {
    this.#time = time;
  }

  set(time: RelayedTime): void {
    this.#time = time;
  }

  /** How long ago the time was sent. */
  get ageMs(): number {
    return sharedMs() - this.#time.atMs;
  }

  now(): EpochMs {
    return Math.floor(this.#time.epochMs + this.ageMs) as EpochMs;
  }
}

/** The machine's steady clock, independent of this thread's time: it has the same origin in all threads of a process. */
export function sharedMs(): number {
  return systemTime.steadyClock.elapsedMs();
}
