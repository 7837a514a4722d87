/**
 * The open segments: the one being written, and the most recently read ones, so that repeated requests do not reopen files. A
 * segment in use is never closed.
 */
import type { Files, StorageFile } from './files.ts';
import { segmentName } from './segment.ts';

/** This many unused segments stay open. */
const MAX_OPEN = 8;

interface OpenFile {
  readonly file: Promise<StorageFile>;
  users: number;
}

export class OpenSegments {
  readonly #files: Files;
  /** By number, least recently used first. */
  readonly #openFiles = new Map<number, OpenFile>();
  readonly #reads = new Set<Promise<unknown>>();

  constructor(files: Files) {
    this.#files = files;
  }

  /** Takes over an open segment, which stays open until {@link release}. */
  retain(segment: number, file: StorageFile): void {
    const known = this.#openFiles.get(segment);
    if (known !== undefined) throw new Error(`segment ${segment} is open already`);
    this.#openFiles.set(segment, { file: Promise.resolve(file), users: 1 });
  }

  /** The segment may be closed from now on. */
  release(segment: number): void {
    const openFile = this.#openFiles.get(segment);
    if (openFile !== undefined) this.#leave(openFile);
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
    for (const { file } of this.#openFiles.values()) await (await file).close();
    this.#openFiles.clear();
  }

  async #read<Result>(segment: number, work: (file: StorageFile) => Promise<Result>): Promise<Result> {
    const openFile = this.#openFiles.get(segment) ?? { file: this.#files.open(segmentName(segment)), users: 0 };
    openFile.users += 1;
    this.#openFiles.delete(segment);
    this.#openFiles.set(segment, openFile);
    try {
      return await work(await this.#opened(segment, openFile));
    } finally {
      this.#leave(openFile);
    }
  }

  async #opened(segment: number, openFile: OpenFile): Promise<StorageFile> {
    try {
      return await openFile.file;
    } catch (cause) {
      if (this.#openFiles.get(segment) === openFile) this.#openFiles.delete(segment);
      throw cause;
    }
  }

  #leave(left: OpenFile): void {
    left.users -= 1;
    for (const [segment, openFile] of this.#openFiles) {
      if (this.#openFiles.size <= MAX_OPEN) return;
      if (openFile.users > 0) continue;
      this.#openFiles.delete(segment);
      // Everything written to it is synced: an error of closing does not matter.
      openFile.file.then((file) => file.close()).catch(() => undefined);
    }
  }
}
