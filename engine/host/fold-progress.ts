/** How far another thread has folded the published records, in shared memory. */
import type { ThreadBlocking } from '#time/thread-blocking.ts';
import { sharedMs } from './relayed-clock.ts';

const SEQUENCE = 0;
const MICROSECONDS = 1;
const FAILED = -1n;

export class FoldProgress {
  readonly shared: BigInt64Array<SharedArrayBuffer>;

  /** `shared` of the other thread's instance, if any. */
  constructor(shared = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  /** The newest folded record; negative after an internal error. */
  get sequence(): number {
    return Number(Atomics.load(this.shared, SEQUENCE));
  }

  /** The time of the last fold, by {@link sharedMs}. */
  get atMs(): number {
    return Number(Atomics.load(this.shared, MICROSECONDS)) / 1_000;
  }

  reach(sequence: number): void {
    Atomics.store(this.shared, MICROSECONDS, BigInt(Math.floor(sharedMs() * 1_000)));
    this.#notify(BigInt(sequence));
  }

  /** Folding has ended after an internal error. */
  fail(): void {
    this.#notify(FAILED);
  }

  /**
   * Blocks this thread until there is progress beyond `sequence`, or an internal error. Returns false after `ms` without either.
   */
  waitUntilAfter(sequence: number, ms: number, blocking: Pick<ThreadBlocking, 'whileEqual'>): boolean {
    return blocking.whileEqual(this.shared, SEQUENCE, BigInt(sequence), ms);
  }

  #notify(sequence: bigint): void {
    Atomics.store(this.shared, SEQUENCE, sequence);
    Atomics.notify(this.shared, SEQUENCE);
  }
}
