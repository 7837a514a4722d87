/** Limits the commands per second of all market makers together: a token bucket with a burst of one second. */
import type { Time } from '#time/time.ts';
import { sleep } from '#time/timers.ts';

export class Pace {
  readonly #perSecond: number;
  readonly #time: Omit<Time, 'clock'>;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, time: Omit<Time, 'clock'>) {
    this.#perSecond = perSecond;
    this.#time = time;
    this.#tokens = perSecond;
    this.#filledAtMs = time.steadyClock.elapsedMs();
  }

  /** Resolves when a command may be sent. Rejects when the signal aborts. */
  async take(signal: AbortSignal): Promise<void> {
    this.#fill();
    this.#tokens -= 1;
    if (this.#tokens < 0) await sleep(this.#time.timers, (-this.#tokens / this.#perSecond) * 1_000, { signal });
  }

  #fill(): void {
    const nowMs = this.#time.steadyClock.elapsedMs();
    const earned = ((nowMs - this.#filledAtMs) / 1_000) * this.#perSecond;
    this.#tokens = Math.min(this.#perSecond, this.#tokens + earned);
    this.#filledAtMs = nowMs;
  }
}
