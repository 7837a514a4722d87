/**
 * The files of the journal, numbered from 1 without gaps. A segment is filled with zeros before it is used: a commit then never
 * changes a file's size, and zeros show what a torn write left out. Its last sector states the file's length, which distinguishes
 * a file that was cut short, for example by an interrupted copy, from one that is not full yet.
 */
import { crc32 } from 'node:zlib';
import type { Files, ReadableFiles, StorageFile } from './files.ts';
import { appear } from './files.ts';
import { paddedLength, SECTOR_BYTES } from './group.ts';
import type { SegmentPace } from './segment-pace.ts';

const NAME = /^(archive\/)?segment-([0-9]{8})\.journal$/;
/** The unit in which a segment is made: small enough that a commit hardly waits for one. */
export const PIECE_BYTES = 64 << 10;
/** The unit if commits are as large: a sync then takes long enough to be worth more bytes. */
const MAX_PIECE_BYTES = 512 << 10;
const ZEROS = new Uint8Array(MAX_PIECE_BYTES);
/** The last sector: magic · segment u32 · length of the file u32 · crc32 of those. The rest is zero. */
const END_MAGIC = Buffer.from('OPSEGEND');
const END_CRC_AT = END_MAGIC.length + 8;

/** `segment-00000007.journal` */
export function segmentName(segment: number): string {
  return `segment-${String(segment).padStart(8, '0')}.journal`;
}

/** The name of an archived segment. */
export function archivedName(segment: number): string {
  return `archive/${segmentName(segment)}`;
}

export interface SegmentFile {
  readonly segment: number;
  readonly name: string;
}

export type SegmentFolder = 'live' | 'archived';

/** The existing segments, ascending: the live or the archived ones. */
export async function listSegments(
  files: Pick<ReadableFiles, 'list'>,
  where: SegmentFolder = 'live',
): Promise<readonly SegmentFile[]> {
  return segmentsAmong(await files.list(), where);
}

export function segmentsAmong(names: readonly string[], where: SegmentFolder = 'live'): readonly SegmentFile[] {
  const found = names.flatMap((name) => {
    const match = NAME.exec(name);
    const isWanted = match !== null && (match[1] === undefined) === (where === 'live');
    return isWanted ? [{ segment: Number(match[2]), name }] : [];
  });
  return found.sort((left, right) => left.segment - right.segment);
}

/** Opens a listed segment. If it has been archived since, opens it in the archive; segments are never moved back. */
export async function openSegment(files: Pick<ReadableFiles, 'open'>, { segment, name }: SegmentFile): Promise<StorageFile> {
  try {
    return await files.open(name);
  } catch (cause) {
    if (!isMissing(cause)) throw cause;
    return files.open(archivedName(segment)).catch((fault) => {
      throw isMissing(fault) ? cause : fault;
    });
  }
}

function isMissing(fault: unknown): boolean {
  return (fault as NodeJS.ErrnoException).code === 'ENOENT';
}

/** The length of a file that has room for `capacity` bytes of groups. */
export function segmentLength(capacity: number): number {
  return paddedLength(capacity) + SECTOR_BYTES;
}

/** How many bytes of groups fit into a file of that length. */
export function segmentCapacity(fileBytes: number): number {
  return fileBytes - SECTOR_BYTES;
}

/**
 * Makes an empty segment with room for at least `capacity` bytes, durable when this resolves: at this pace, or at once. If it is
 * given up, rejects and leaves no file.
 */
export function createSegment(files: Files, segment: number, capacity: number, pace?: SegmentPace): Promise<StorageFile> {
  return appear(files, segmentName(segment), async (file) => {
    const end = segmentLength(capacity);
    // Each piece is synced on its own: a concurrent commit waits for one of them, not for all.
    for (let at = 0; at < end; ) {
      if (at > 0) await file.datasync();
      const next = Math.min(at + PIECE_BYTES, end);
      const allowed = (await pace?.until(Math.min(next, end - SECTOR_BYTES))) ?? end;
      const to = Math.min(Math.max(next, allowed), at + MAX_PIECE_BYTES, end);
      await file.write(to === end ? lastPiece(segment, end - at, end) : ZEROS.subarray(0, to - at), at);
      at = to;
    }
  });
}

function lastPiece(segment: number, length: number, fileBytes: number): Uint8Array {
  const piece = Buffer.alloc(length);
  piece.set(segmentEnd(segment, fileBytes), length - SECTOR_BYTES);
  return piece;
}

function segmentEnd(segment: number, fileBytes: number): Uint8Array {
  const end = Buffer.alloc(SECTOR_BYTES);
  end.set(END_MAGIC);
  end.writeUInt32LE(segment, END_MAGIC.length);
  end.writeUInt32LE(fileBytes, END_MAGIC.length + 4);
  end.writeUInt32LE(crc32(end.subarray(0, END_CRC_AT)), END_CRC_AT);
  return end;
}

/** A segment's bytes without its last sector, or `undefined` if that sector is not the one it was made with. */
export function segmentContent(segment: number, bytes: Uint8Array): Uint8Array | undefined {
  const end = bytes.length - SECTOR_BYTES;
  if (end < 0 || bytes.length % SECTOR_BYTES !== 0) return undefined;
  return Buffer.compare(bytes.subarray(end), segmentEnd(segment, bytes.length)) === 0 ? bytes.subarray(0, end) : undefined;
}

export async function writeZeros(file: StorageFile, start: number, end: number): Promise<void> {
  for (let at = start; at < end; at += MAX_PIECE_BYTES)
    await file.write(ZEROS.subarray(0, Math.min(MAX_PIECE_BYTES, end - at)), at);
}

/** Where a record starts, as one exact integer: its segment's number and the offset in it. */
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
