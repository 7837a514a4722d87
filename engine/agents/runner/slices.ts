/**
 * Runs short pieces of work one after the other, owners in turn, and lets the event loop run between slices. A deployment has at most one
 * piece waiting, so an owner's slow ones delay another's by one piece each.
 */
import type { SteadyClock } from '#time/clock.ts';
import { sleep, type Timers, yieldToEventLoop } from '#time/timers.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { FairQueue } from './fair-queue.ts';

/** A slice ends after the piece that exceeds it. */
const SLICE_MS = 2;

export interface SliceParts {
  readonly steadyClock: SteadyClock;
  readonly timers: Timers;
  /** How many milliseconds pass without work for each one of work: leaves the thread to others. By default none. */
  readonly restPerMs?: number;
}

export class Slices {
  readonly #parts: SliceParts;
  readonly #waiting = new FairQueue<() => void>();
  #isRunning = false;
  #dueRestMs = 0;

  constructor(parts: SliceParts) {
    this.#parts = parts;
  }

  /** Resolves with the result, or rejects with what the work throws. */
  run<Result>(owner: AccountOrdinal, work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(owner, () => {
        try {
          resolve(work());
        } catch (error) {
          reject(error);
        }
      });
      if (!this.#isRunning) void this.#runAll();
    });
  }

  async #runAll(): Promise<void> {
    this.#isRunning = true;
    while (!this.#waiting.isEmpty) {
      await this.#leaveThread();
      this.#runSlice();
    }
    this.#isRunning = false;
  }

  #runSlice(): void {
    const { steadyClock, restPerMs = 0 } = this.#parts;
    const startedMs = steadyClock.elapsedMs();
    let elapsedMs = 0;
    do {
      this.#waiting.shift()?.();
      elapsedMs = steadyClock.elapsedMs() - startedMs;
    } while (!this.#waiting.isEmpty && elapsedMs < SLICE_MS);
    this.#dueRestMs += elapsedMs * restPerMs;
  }

  /** A timer is too coarse for the rest of a short piece, so that rests are taken together. */
  async #leaveThread(): Promise<void> {
    const { timers } = this.#parts;
    if (this.#dueRestMs < SLICE_MS) return yieldToEventLoop(timers);
    const restMs = this.#dueRestMs;
    this.#dueRestMs = 0;
    return sleep(timers, restMs);
  }
}
