/** How far a thread has come with the records that it is told of, in memory that it shares with others. */
import type { ThreadBlocking } from '#time/thread-blocking.ts';
import { sharedMs } from './relayed-clock.ts';

const SEQUENCE = 0;
const MICROSECONDS = 1;
const FAILED = -1n;

export class FoldProgress {
  readonly shared: BigInt64Array<SharedArrayBuffer>;

  /** Of `shared`, on the other side. */
  constructor(shared = new BigInt64Array(new SharedArrayBuffer(2 * BigInt64Array.BYTES_PER_ELEMENT))) {
    this.shared = shared;
  }

  /** The newest record that is folded; below zero after a defect. */
  get sequence(): number {
    return Number(Atomics.load(this.shared, SEQUENCE));
  }

  /** When it was, by {@link sharedMs}. */
  get atMs(): number {
    return Number(Atomics.load(this.shared, MICROSECONDS)) / 1_000;
  }

  reach(sequence: number): void {
    Atomics.store(this.shared, MICROSECONDS, BigInt(Math.floor(sharedMs() * 1_000)));
    this.#tell(BigInt(sequence));
  }

  /** Nothing is folded any more. */
  fail(): void {
    this.#tell(FAILED);
  }

  /** Blocks this thread until there is progress beyond `sequence`, or a defect. Returns false if there is none for so long. */
  waitBeyond(sequence: number, ms: number, blocking: Pick<ThreadBlocking, 'whileEqual'>): boolean {
    return blocking.whileEqual(this.shared, SEQUENCE, BigInt(sequence), ms);
  }

  #tell(sequence: bigint): void {
    Atomics.store(this.shared, SEQUENCE, sequence);
    Atomics.notify(this.shared, SEQUENCE);
  }
}
