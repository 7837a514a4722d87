/**
 * Shares one read among concurrent callers. Callers within a second after it get the same result; a failure goes to its waiting
 * callers only, and the next caller reads again.
 */
import type { SteadyClock } from '#time/clock.ts';

/** Maximum age of a shared result, and so the minimum interval between successful reads. */
const PAUSE_MS = 1_000;

export class SharedRead<Value> {
  readonly #read: () => Promise<Value>;
  readonly #steadyClock: SteadyClock;
  #latest: Promise<Value> | undefined;
  #isUnderWay = false;
  #startedAtMs = 0;

  constructor(read: () => Promise<Value>, steadyClock: SteadyClock) {
    this.#read = read;
    this.#steadyClock = steadyClock;
  }

  /** Resolves with the latest result, or reads again if it is too old or failed. */
  recent(): Promise<Value> {
    const isOld = this.#steadyClock.elapsedMs() - this.#startedAtMs >= PAUSE_MS;
    return this.#latest === undefined || isOld ? this.next() : this.#latest;
  }

  /** Resolves with the read that is under way, or starts one. */
  next(): Promise<Value> {
    if (this.#latest === undefined || !this.#isUnderWay) {
      this.#startedAtMs = this.#steadyClock.elapsedMs();
      this.#isUnderWay = true;
      this.#latest = this.#whole();
    }
    return this.#latest;
  }

  async #whole(): Promise<Value> {
    try {
      return await this.#read();
    } catch (thrown) {
      this.#latest = undefined;
      throw thrown;
    } finally {
      this.#isUnderWay = false;
    }
  }
}
