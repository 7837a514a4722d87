/** Bounds how much work goes on at the same time; the rest waits, and owners are served in turn. */
import type { AccountOrdinal } from '#units/ids.ts';
import { FairQueue } from './fair-queue.ts';

export class FairSemaphore {
  #free: number;
  readonly #waiting = new FairQueue<() => void>();

  constructor(count: number) {
    this.#free = count;
  }

  async run<Result>(owner: AccountOrdinal, work: () => Promise<Result>): Promise<Result> {
    if (this.#free > 0) this.#free -= 1;
    else await new Promise<void>((resolve) => this.#waiting.push(owner, resolve));
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#free += 1;
      else next();
    }
  }
}
