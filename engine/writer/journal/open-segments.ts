/**
 * The segments that are open: the one that is written, and those that were read last, so that a request which comes again
 * costs no opening of a file. A segment that is in use is never closed under its user.
 */
import type { Files, StorageFile } from './files.ts';
import { segmentName } from './segment.ts';

/** So many stay open when nobody uses them. */
const MAX_OPEN = 8;

interface Held {
  readonly file: Promise<StorageFile>;
  users: number;
}

export class OpenSegments {
  readonly #files: Files;
  /** By number, the one that was used last at the end. */
  readonly #held = new Map<number, Held>();
  readonly #reads = new Set<Promise<unknown>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Takes over an open segment, which stays open until it is released. */
  hold(segment: number, file: StorageFile): void {
    const known = this.#held.get(segment);
    if (known !== undefined) throw new Error(`segment ${segment} is open already`);
    this.#held.set(segment, { file: Promise.resolve(file), users: 1 });
  }

  /** The segment may be closed from now on. */
  release(segment: number): void {
    const held = this.#held.get(segment);
    if (held !== undefined) this.#leave(held);
  }

  /** Rejects with what `work` rejects with, or with why the segment cannot be opened: the next call tries again. */
  read<Result>(segment: number, work: (file: StorageFile) => Promise<Result>): Promise<Result> {
    const reading = this.#read(segment, work).finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }

  /** Waits for the reads that are under way, and closes everything. Nothing may be asked for afterwards. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#reads);
    for (const { file } of this.#held.values()) await (await file).close();
    this.#held.clear();
  }

  async #read<Result>(segment: number, work: (file: StorageFile) => Promise<Result>): Promise<Result> {
    const held = this.#held.get(segment) ?? { file: this.#files.open(segmentName(segment)), users: 0 };
    held.users += 1;
    this.#held.delete(segment);
    this.#held.set(segment, held);
    try {
      return await work(await this.#opened(segment, held));
    } finally {
      this.#leave(held);
    }
  }

  async #opened(segment: number, held: Held): Promise<StorageFile> {
    try {
      return await held.file;
    } catch (cause) {
      if (this.#held.get(segment) === held) this.#held.delete(segment);
      throw cause;
    }
  }

  #leave(left: Held): void {
    left.users -= 1;
    for (const [segment, held] of this.#held) {
      if (this.#held.size <= MAX_OPEN) return;
      if (held.users > 0) continue;
      this.#held.delete(segment);
      // Whatever was written to it is synced: nothing hangs on how it closes.
      held.file.then((file) => file.close()).catch(() => undefined);
    }
  }
}
