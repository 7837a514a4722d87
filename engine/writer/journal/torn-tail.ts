/**
 * Tells a torn write from damage, at a place where the journal holds no whole group. Only one group is ever being
 * written, over zeros; a power cut keeps some of its sectors and drops others, or keeps its first bytes. So a torn group
 * has no end, or a blank sector that was none; a group that is all there and yet wrong was whole once, and may have been
 * acknowledged. Wherever one bit is flipped in a whole group, it stays all there.
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
import { soundRecordLength } from './record.ts';
import type { GroupHeader } from './stored-group.ts';

/** A stretch of a segment that begins where a group could, holds none, and has nothing but zeros after it. */
export interface BadPlace {
  readonly bytes: Uint8Array;
  readonly offset: number;
  readonly end: number;
}

/** The place is what a power cut may leave of the last group. */
export function isTorn({ bytes, offset, end }: BadPlace): boolean {
  const header = readGroupHeader(bytes, offset);
  return (
    (header === undefined ? lacksHeader(bytes, offset, end) : lacksBody(bytes, offset, end, header)) &&
    !hasHeader(bytes, offset, end)
  );
}

/** The first byte of a header is 0xff: where it is 0, its sector was not written, or was being cut off already. */
function lacksHeader(bytes: Uint8Array, offset: number, end: number): boolean {
  return bytes[offset] === 0 || end < offset + GROUP_HEADER_BYTES;
}

function lacksBody(bytes: Uint8Array, offset: number, end: number, header: GroupHeader): boolean {
  const groupEnd = offset + header.byteLength;
  if (groupEnd > bytes.length) return false; // Nobody starts a group that its segment cannot hold: the file was cut.
  if (end < groupEnd) return true;
  if (!hadNoBlankSector(bytes, groupEnd)) return false;
  for (let sector = offset; sector < groupEnd; sector += SECTOR_BYTES) {
    if (isBlank(bytes, sector, sector + SECTOR_BYTES)) return end <= offset + paddedLength(header.byteLength);
  }
  return false;
}

/** A group begins after the place did: then what is bad here was followed by something good. */
function hasHeader(bytes: Uint8Array, offset: number, end: number): boolean {
  for (let sector = offset + SECTOR_BYTES; sector < end; sector += SECTOR_BYTES) {
    if (readGroupHeader(bytes, sector) !== undefined) return true;
  }
  return false;
}

/** What is wrong at a place that is not torn, as closely as it can be told: `index` counts the group's records from 0. */
export function findBadRecord({ bytes, offset, end }: BadPlace): { offset: number; index: number; what: string } {
  const header = readGroupHeader(bytes, offset);
  if (header === undefined) return { offset, index: 0, what: 'the header of a commit group is wrong, or the group is missing' };
  let at = offset + GROUP_HEADER_BYTES;
  for (let index = 0; index < header.recordCount; index += 1) {
    const length = soundRecordLength(bytes, at, Math.min(end, recordsEndOf(offset, header)));
    if (length === undefined) return { offset: at, index, what: 'the check sum of the record is wrong' };
    at += length;
  }
  return { offset: at, index: header.recordCount - 1, what: 'the digest of its commit group is wrong' };
}
