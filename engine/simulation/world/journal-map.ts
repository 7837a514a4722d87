/** The places of a journal's groups and records, to damage one on purpose and to verify the chain. */

import { hex, paddedLength, readGroup, readGroupHeader, recordsOf } from '#writer/journal/group.ts';
import type { StoredGroup } from '#writer/journal/stored-group.ts';

const SEGMENT = /^(?:archive\/)?segment-([0-9]{8})\.journal$/;
const SECTOR_BYTES = 512;

export interface MappedGroup {
  /** The file's name, the place in it, and the length with its padding. */
  readonly segment: string;
  readonly offset: number;
  readonly byteLength: number;
  readonly firstSequence: number;
  readonly lastSequence: number;
  /** The chain's digests after and before this group, in hex. */
  readonly digest: string;
  readonly previousDigest: string;
  /** Where each record begins, counted from the start of the file; the last one ends where the footer begins. */
  readonly recordOffsets: readonly number[];
  readonly recordsEnd: number;
}

/** All whole groups, in the order of the segments' names. */
export function mapJournal(contents: ReadonlyMap<string, Uint8Array>): MappedGroup[] {
  return segmentsOf(contents).flatMap((segment) => groupsOf(segment, contents.get(segment)!));
}

/** The names of the journal's files, archived or not, in their order. */
export function segmentsOf(contents: ReadonlyMap<string, Uint8Array>): string[] {
  return [...contents.keys()].filter((name) => SEGMENT.test(name)).sort((left, right) => segmentOf(left) - segmentOf(right));
}

/** The number of a segment, by the name of its file. */
export function segmentOf(name: string): number {
  return Number(SEGMENT.exec(name)?.[1]);
}

function groupsOf(segment: string, bytes: Uint8Array): MappedGroup[] {
  const groups: MappedGroup[] = [];
  for (let offset = 0; offset + SECTOR_BYTES <= bytes.length; ) {
    const header = readGroupHeader(bytes, offset);
    const group = header === undefined ? undefined : readGroup(bytes, offset, header);
    if (group === undefined) return groups;
    groups.push(mapped(segment, offset, group));
    offset += paddedLength(group.header.byteLength);
  }
  return groups;
}

function mapped(segment: string, offset: number, group: StoredGroup): MappedGroup {
  const { firstSequence, recordCount, byteLength, previousDigest } = group.header;
  const records = [...recordsOf(group)];
  const last = records.at(-1)!;
  return {
    segment,
    offset,
    byteLength: paddedLength(byteLength),
    firstSequence,
    lastSequence: firstSequence + recordCount - 1,
    digest: hex(group.digest),
    previousDigest: hex(previousDigest),
    recordOffsets: records.map((record) => offset + record.offset),
    recordsEnd: last.record.eventBytes.byteOffset + last.record.eventBytes.length - group.bytes.byteOffset + offset,
  };
}
