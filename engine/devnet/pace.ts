/**
 * Holds the house to a number of commands per second, all its clients together: a bucket that fills at that rate and
 * never holds more than one second of it.
 */
import { setTimeout as sleep } from 'node:timers/promises';

export class Pace {
  readonly #perSecond: number;
  readonly #nowEpochMs: () => number;
  #tokens: number;
  #filledAtEpochMs: number;

  constructor(perSecond: number, nowEpochMs: () => number) {
    this.#perSecond = perSecond;
    this.#nowEpochMs = nowEpochMs;
    this.#tokens = perSecond;
    this.#filledAtEpochMs = nowEpochMs();
  }

  /** Resolves when one more command may go out. Rejects when the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    this.#fill();
    this.#tokens -= 1;
    if (this.#tokens < 0) await sleep((-this.#tokens / this.#perSecond) * 1_000, undefined, { signal });
  }

  #fill(): void {
    const nowEpochMs = this.#nowEpochMs();
    const earned = (Math.max(0, nowEpochMs - this.#filledAtEpochMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + earned);
    this.#filledAtEpochMs = nowEpochMs;
  }
}
