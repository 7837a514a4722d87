/**
 * A read that many ask for at once: one is under way at a time, for all of them. What it came to may be taken by who comes soon after; a
 * failure is told to those whom it was for, and who comes then has it read again.
 */
import type { SteadyClock } from '#time/clock.ts';

/** How old what is taken may be, and so how seldom reads that succeed are made, whoever asks however often. */
const PAUSE_MS = 1_000;

export class SharedRead<Value> {
  readonly #read: () => Promise<Value>;
  readonly #steadyClock: SteadyClock;
  #latest: Promise<Value> | undefined;
  #isUnderWay = false;
  #beganAtMs = 0;

  constructor(read: () => Promise<Value>, steadyClock: SteadyClock) {
    this.#read = read;
    this.#steadyClock = steadyClock;
  }

  /** What the latest read came to, or the next one comes to where that began a pause ago or failed. */
  recent(): Promise<Value> {
    const isOld = this.#steadyClock.elapsedMs() - this.#beganAtMs >= PAUSE_MS;
    return this.#latest === undefined || isOld ? this.next() : this.#latest;
  }

  /** What the read comes to that is under way, or one that begins now. */
  next(): Promise<Value> {
    if (this.#latest === undefined || !this.#isUnderWay) {
      this.#beganAtMs = this.#steadyClock.elapsedMs();
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
