/**
 * The files of the journal, numbered from 1 without a gap. A segment is written full of zeros before it is used: a
 * commit then changes no file's size, and what a torn write left out is known by its zeros.
 */
import type { Files, StorageFile } from './files.ts';
import { appear } from './files.ts';
import { paddedLength } from './group.ts';

const NAME = /^segment-([0-9]{8})\.journal$/;
const ZEROS = new Uint8Array(1 << 20);

/** `segment-00000007.journal` */
export function segmentName(segment: number): string {
  return `segment-${String(segment).padStart(8, '0')}.journal`;
}

/** The numbers of the segments that there are, ascending. */
export async function listSegments(files: Files): Promise<readonly number[]> {
  const numbers = (await files.list()).flatMap((name) => NAME.exec(name)?.[1] ?? []).map(Number);
  return numbers.sort((left, right) => left - right);
}

/** Makes an empty segment of at least `byteLength`, durable when this resolves. */
export function makeSegment(files: Files, segment: number, byteLength: number): Promise<StorageFile> {
  return appear(files, segmentName(segment), async (file) => {
    const end = paddedLength(byteLength);
    // Each piece is synced on its own: a commit that comes meanwhile waits for one of them, not for all.
    for (let at = 0; at < end; at += ZEROS.length) {
      if (at > 0) await file.datasync();
      await writeZeros(file, at, Math.min(at + ZEROS.length, end));
    }
  });
}

export async function writeZeros(file: StorageFile, start: number, end: number): Promise<void> {
  for (let at = start; at < end; at += ZEROS.length) await file.write(ZEROS.subarray(0, Math.min(ZEROS.length, end - at)), at);
}

/** Where a record begins, as one exact integer: its segment's number and the place in it. */
export type JournalPosition = number;
const POSITIONS_PER_SEGMENT = 2 ** 32;

export function journalPosition(segment: number, offset: number): JournalPosition {
  return segment * POSITIONS_PER_SEGMENT + offset;
}

export function segmentOf(position: JournalPosition): number {
  return Math.floor(position / POSITIONS_PER_SEGMENT);
}

export function offsetOf(position: JournalPosition): number {
  return position % POSITIONS_PER_SEGMENT;
}
