/** When a projection may be rebuilt: at once, later each time that a rebuilt one does not last, and not beyond a count. */
import type { Time } from '#time/time.ts';
import { sleep } from '#time/timers.ts';

const FIRST_WAIT_MS = 1_000;
const WAIT_GROWTH = 4;
/** The waits before them add up to some six minutes. */
const MAX_REBUILDS = 6;
/** A rebuilt projection that is sound for so long has lasted: the count starts over. */
const LASTING_MS = 3_600_000;

export class RebuildPace {
  readonly #time: Pick<Time, 'steadyClock' | 'timers'>;
  #count = 0;
  #endedAtMs = 0;

  constructor(time: Pick<Time, 'steadyClock' | 'timers'>) {
    this.#time = time;
  }

  /** Resolves when the next rebuild may begin. Rejects if the last ones did not last, and with the signal's reason if it is aborted meanwhile. */
  async next(signal: AbortSignal): Promise<void> {
    const { steadyClock, timers } = this.#time;
    if (steadyClock.elapsedMs() - this.#endedAtMs > LASTING_MS) this.#count = 0;
    if (this.#count === MAX_REBUILDS) throw new Error(`it was folded again ${MAX_REBUILDS} times, and none of them lasted`);
    this.#count += 1;
    if (this.#count > 1) await sleep(timers, FIRST_WAIT_MS * WAIT_GROWTH ** (this.#count - 2), { signal });
  }

  /** A rebuild is over, or has failed. */
  ended(): void {
    this.#endedAtMs = this.#time.steadyClock.elapsedMs();
  }
}
