/** How far a start has read the journal, in bytes of its segments. The unused end of a segment is subtracted once it is read. */
import type { ReadableFiles } from './files.ts';
import { openSegment, type SegmentFile } from './segment.ts';

/** Called after every group read in this thread, and after every segment that another thread has read. */
export type OnRead = (readBytes: number, totalBytes: number) => void;

export class ReadProgress {
  readonly #onRead: OnRead;
  #readBytes = 0;
  #totalBytes: number;

  private constructor(onRead: OnRead, totalBytes: number) {
    this.#onRead = onRead;
    this.#totalBytes = totalBytes;
  }

  /** For the segments that a start reads. Returns `undefined` without `onRead`. */
  static async of(
    files: Pick<ReadableFiles, 'open'>,
    segments: readonly SegmentFile[],
    onRead: OnRead | undefined,
  ): Promise<ReadProgress | undefined> {
    if (onRead === undefined) return undefined;
    let totalBytes = 0;
    for (const place of segments) {
      const file = await openSegment(files, place);
      try {
        totalBytes += await file.size();
      } finally {
        await file.close();
      }
    }
    return new ReadProgress(onRead, totalBytes);
  }

  read(bytes: number): void {
    this.#readBytes += bytes;
    this.#onRead(this.#readBytes, this.#totalBytes);
  }

  /** These bytes hold no groups. */
  leaveOut(bytes: number): void {
    this.#totalBytes -= bytes;
  }
}
