/**
 * Distinguishes a torn write from damage at a place without a whole group. Only one group at a time is written, over zeros; a
 * power cut keeps some of its sectors and drops others, or keeps its first bytes. A torn group therefore lacks its end or has a
 * blank sector that was not blank. A complete group that is wrong was whole once and may have been acknowledged. A group with one
 * flipped bit stays complete, wherever the bit is.
 */

import {
  GROUP_HEADER_BYTES,
  hadNoBlankSector,
  isBlank,
  paddedLength,
  readGroupHeader,
  recordsEndOf,
  SECTOR_BYTES,
} from './group.ts';
import { validRecordLength } from './record.ts';
import type { GroupHeader } from './stored-group.ts';

/** A range of a segment that starts where a group could start, contains no whole group, and is followed only by zeros. */
export interface BadRecord {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly end: number;
}

/** Whether a power cut may have left this of the last group. */
export function isTorn({ bytes, offset, end }: BadRecord): boolean {
  const header = readGroupHeader(bytes, offset);
  return (
    (header === undefined ? isMissingHeader(bytes, offset, end) : isMissingBody(bytes, offset, end, header)) &&
    !hasHeader(bytes, offset, end)
  );
}

/** The first byte of a header is 0xff: if it is 0, its sector was not written, or was already being cut. */
function isMissingHeader(bytes: Uint8Array, offset: number, end: number): boolean {
  return bytes[offset] === 0 || end < offset + GROUP_HEADER_BYTES;
}

function isMissingBody(bytes: Uint8Array, offset: number, end: number, header: GroupHeader): boolean {
  const groupEnd = offset + header.byteLength;
  if (groupEnd > bytes.length) return false; // A group is never started in a segment that cannot hold it: the file was cut.
  if (end < groupEnd) return true;
  if (!hadNoBlankSector(bytes, groupEnd)) return false;
  for (let sector = offset; sector < groupEnd; sector += SECTOR_BYTES) {
    if (isBlank(bytes, sector, sector + SECTOR_BYTES)) return end <= offset + paddedLength(header.byteLength);
  }
  return false;
}

/** Whether a group starts after the bad place: then it was followed by intact data. */
function hasHeader(bytes: Uint8Array, offset: number, end: number): boolean {
  for (let sector = offset + SECTOR_BYTES; sector < end; sector += SECTOR_BYTES) {
    if (readGroupHeader(bytes, sector) !== undefined) return true;
  }
  return false;
}

/** Locates the damage at a place that is not torn, as closely as possible. `index` counts the group's records from 0. */
export function findBadRecord({ bytes, offset, end }: BadRecord): { offset: number; index: number; what: string } {
  const header = readGroupHeader(bytes, offset);
  if (header === undefined) return { offset, index: 0, what: 'the header of a commit group is wrong, or the group is missing' };
  let at = offset + GROUP_HEADER_BYTES;
  for (let index = 0; index < header.recordCount; index += 1) {
    const length = validRecordLength(bytes, at, Math.min(end, recordsEndOf(offset, header)));
    if (length === undefined) return { offset: at, index, what: 'the check sum of the record is wrong' };
    at += length;
  }
  return { offset: at, index: header.recordCount - 1, what: 'the digest of its commit group is wrong' };
}
