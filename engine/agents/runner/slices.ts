/**
 * Runs short pieces of work one after the other, in the order of their requests, and lets the event loop run between slices. A deployment
 * has at most one piece waiting, so a slow one delays the others by one piece.
 */
import type { SteadyClock } from '#time/clock.ts';
import { type Timers, yieldToEventLoop } from '#time/timers.ts';

/** A slice ends after the piece that exceeds it. */
const SLICE_MS = 2;

export class Slices {
  readonly #steadyClock: SteadyClock;
  readonly #timers: Timers;
  #waiting: (() => void)[] = [];
  #isRunning = false;

  constructor({ steadyClock, timers }: { readonly steadyClock: SteadyClock; readonly timers: Timers }) {
    this.#steadyClock = steadyClock;
    this.#timers = timers;
  }

  /** Resolves with the result, or rejects with what the work throws. */
  run<Result>(work: () => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(() => {
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
    while (this.#waiting.length > 0) {
      await yieldToEventLoop(this.#timers);
      const batch = this.#waiting;
      this.#waiting = [];
      const startedMs = this.#steadyClock.elapsedMs();
      let count = 0;
      while (count < batch.length && (count === 0 || this.#steadyClock.elapsedMs() - startedMs < SLICE_MS)) batch[count++]!();
      this.#waiting = [...batch.slice(count), ...this.#waiting];
    }
    this.#isRunning = false;
  }
}
