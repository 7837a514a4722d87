/**
 * When a projection may be rebuilt: at once, after growing delays if a rebuilt one does not last, and at most a number of times.
 */
import type { Time } from '#time/time.ts';
import { sleep } from '#time/timers.ts';

const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 4;
/** The waits before them add up to some six minutes. */
const MAX_REBUILDS = 6;
/** A rebuilt projection that stays valid for this long resets the count. */
const STABLE_AFTER_MS = 3_600_000;

export class RebuildPace {
  readonly #time: Pick<Time, 'steadyClock' | 'timers'>;
  #count = 0;
  #endedAtMs = 0;

  constructor(time: Pick<Time, 'steadyClock' | 'timers'>) {
    this.#time = time;
  }

  /** Resolves when the next rebuild may start. Rejects if the last ones did not last, or with the signal's reason. */
  async next(signal: AbortSignal): Promise<void> {
    const { steadyClock, timers } = this.#time;
    if (steadyClock.elapsedMs() - this.#endedAtMs > STABLE_AFTER_MS) this.#count = 0;
    if (this.#count === MAX_REBUILDS) throw new Error(`it was folded again ${MAX_REBUILDS} times, and became invalid each time`);
    this.#count += 1;
    if (this.#count > 1) await sleep(timers, FIRST_WAIT_MS * WAIT_GROWTH ** (this.#count - 2), { signal });
  }

  /** Call it when a rebuild has ended or failed. */
  ended(): void {
    this.#endedAtMs = this.#time.steadyClock.elapsedMs();
  }
}
