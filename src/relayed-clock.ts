/** A clock of another thread: it goes on from the last time that thread told, as fast as the machine's does. */
import type { EpochMs } from '#units/money.ts';
import type { Clock } from '#writer/clock.ts';

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

/** Steady, and the same in all threads of a process; `performance` counts in each from when it was started, by a clock that may be set. */
export function sharedMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}
