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

  now(): EpochMs {
    return Math.floor(this.#time.epochMs + Math.max(0, sharedMs() - this.#time.atMs)) as EpochMs;
  }
}

function sharedMs(): number {
  return performance.timeOrigin + performance.now();
}
