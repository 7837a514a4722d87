/** A clock of another thread: it goes on from the last time that thread sent, as fast as the machine's does. */

import type { Clock } from '#time/clock.ts';
import { systemTime } from '#time/system-time.ts';
import type { EpochMs } from '#units/money.ts';

export interface RelayedTime {
  readonly epochMs: EpochMs;
  /** When that was, on a scale that all threads share. */
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

  /** How long ago the time was told. */
  get ageMs(): number {
    return sharedMs() - this.#time.atMs;
  }

  now(): EpochMs {
    return Math.floor(this.#time.epochMs + this.ageMs) as EpochMs;
  }
}

/** The machine's steady clock, whoever owns the time of this thread: it counts from the same moment in all threads of a process. */
export function sharedMs(): number {
  return systemTime.steadyClock.elapsedMs();
}
