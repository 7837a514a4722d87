/**
 * The open segments: the one being written, and the most recently read ones, so that repeated requests do not reopen files. A
 * segment in use is never closed.
 */
import type { Files, StorageFile } from './files.ts';
import { segmentName } from './segment.ts';

/** This many unused segments stay open. */
const MAX_OPEN = 8;

interface Held {
  readonly file: Promise<StorageFile>;
  users: number;
}

export class OpenSegments {
  readonly #files: Files;
  /** By number, least recently used first. */
  readonly #held = new Map<number, Held>();
  readonly #reads = new Set<Promise<unknown>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Takes over an open segment, which stays open until {@link release}. */
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

  /** Rejects with the error of `work`, or of opening the segment: the next call tries again. */
  read<Result>(segment: number, work: (file: StorageFile) => Promise<Result>): Promise<Result> {
    const reading = this.#read(segment, work).finally(() => this.#reads.delete(reading));
    this.#reads.add(reading);
    return reading;
  }

  /** Waits for reads in progress and closes everything. No calls are allowed afterwards. */
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
      // Everything written to it is synced: an error of closing does not matter.
      held.file.then((file) => file.close()).catch(() => undefined);
    }
  }
}
