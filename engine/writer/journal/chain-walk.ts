/**
 * Walks the groups of a journal in order, segment by segment. Checks of each its digest and that it follows the previous one.
 * Stops at the first place without a whole group; the caller decides what that means.
 */
import type { Sequence } from '#units/ids.ts';
import { writtenByOlderVersion } from '#writer/recovery/older-rules.ts';
import {
  CHAIN_START,
  isBlank,
  isOlderGroup,
  lastWritten,
  paddedLength,
  readGroup,
  readGroupHeader,
  SECTOR_BYTES,
} from './group.ts';
import { JournalDamaged } from './journal-fault.ts';
import { segmentContent } from './segment.ts';
import type { StoredGroup } from './stored-group.ts';
import type { BadRecord } from './torn-tail.ts';
import { findBadRecord } from './torn-tail.ts';

/** A group and its position. */
export interface ScannedGroup extends StoredGroup {
  readonly segment: number;
  readonly offset: number;
  /** `firstSequence - 1` if the group has no record. */
  readonly lastSequence: Sequence;
}

/** The place that a group follows: the previous group and the chain digest there. */
export interface ChainPosition {
  readonly groupNumber: number;
  readonly sequence: Sequence;
  readonly digest: Uint8Array;
}

/** The place that the first group follows. */
export const CHAIN_START_POSITION: ChainPosition = { groupNumber: 0, sequence: 0 as Sequence, digest: CHAIN_START };

export class ChainWalk {
  #position: ChainPosition;
  #segment: number;

  /** Starts at a segment, whose first group follows that place. */
  constructor(segment: number, position: ChainPosition) {
    this.#segment = segment;
    this.#position = position;
  }

  /** The place that the next group has to follow. */
  get position(): ChainPosition {
    return this.#position;
  }

  /**
   * Passes the groups of the next segment to `onGroup`; `bytes` is the whole file. Returns the data after the last group unless it
   * is all zeros. Throws {@link JournalDamaged}, or `RecoveryRefused` for a layout that is no longer read.
   */
  walk(segment: number, bytes: Uint8Array, onGroup: (group: ScannedGroup) => void): BadRecord | undefined {
    this.enter(segment, bytes);
    const whole = segmentContent(segment, bytes);
    const content = whole ?? bytes;
    const offset = this.#takeGroups(segment, content, onGroup);
    if (whole === undefined) throw this.#cut(segment, bytes, offset);
    const end = lastWritten(content, offset, content.length) + 1;
    return end > 0 ? { bytes: content, offset, end } : undefined;
  }

  /**
   * Enters the next segment, given its first bytes. Throws {@link JournalDamaged}, or `RecoveryRefused` for a layout that is no
   * longer read.
   */
  enter(segment: number, bytes: Uint8Array): void {
    this.expect(segment);
    if (isOlderGroup(bytes, 0)) throw writtenByOlderVersion(segment);
    this.#segment += 1;
  }

  /**
   * Passes the group at `at` in `bytes` to `onGroup`; it lies at `offset` in the segment. Returns its padded length, or 0 if there
   * is no whole group.
   */
  takeGroup(segment: number, offset: number, bytes: Uint8Array, at: number, onGroup: (group: ScannedGroup) => void): number {
    if (at + SECTOR_BYTES > bytes.length || isBlank(bytes, at, at + SECTOR_BYTES)) return 0;
    const header = readGroupHeader(bytes, at);
    const group = header && readGroup(bytes, at, header);
    if (group === undefined) return 0;
    this.#follow(segment, offset, group, onGroup);
    return paddedLength(group.header.byteLength);
  }

  /** Throws {@link JournalDamaged} if a segment is missing before this one. */
  expect(segment: number): void {
    if (segment !== this.#segment)
      throw JournalDamaged.at(this.#segment, 0, this.#position.sequence + 1, 'the segment is missing');
  }

  /** The error for a place that cannot be a torn tail. */
  damageAt(segment: number, position: BadRecord): JournalDamaged {
    const bad = findBadRecord(position);
    return this.damage(segment, bad.offset, bad.what, bad.index);
  }

  /** `index` counts the records after the last whole group from 0. */
  damage(segment: number, offset: number, what: string, index = 0): JournalDamaged {
    return JournalDamaged.at(segment, offset, this.#position.sequence + 1 + index, what);
  }

  /** Returns the offset where the groups end. */
  #takeGroups(segment: number, bytes: Uint8Array, onGroup: (group: ScannedGroup) => void): number {
    let offset = 0;
    for (let length = -1; length !== 0; offset += length) length = this.takeGroup(segment, offset, bytes, offset, onGroup);
    return offset;
  }

  #follow(segment: number, offset: number, group: StoredGroup, onGroup: (group: ScannedGroup) => void): void {
    const { previousDigest, firstSequence, recordCount, number } = group.header;
    if (Buffer.compare(previousDigest, this.#position.digest) !== 0) {
      throw this.damage(segment, offset, 'it does not follow the group before it: groups are missing or out of place');
    }
    const lastSequence = (firstSequence + recordCount - 1) as Sequence;
    this.#position = { groupNumber: number, sequence: lastSequence, digest: group.digest };
    onGroup({ header: group.header, bytes: group.bytes, digest: group.digest, segment, offset, lastSequence });
  }

  /**
   * The file is shorter than it was made. `offset` is where the whole groups end; the error names the first record after that.
   */
  #cut(segment: number, bytes: Uint8Array, offset: number): JournalDamaged {
    const where = `at byte ${bytes.length}`;
    const what =
      bytes.length % SECTOR_BYTES === 0
        ? `the file ends ${where} without the mark of a segment's end: it was cut short, or its last sector is damaged`
        : `the file ends within a sector, ${where}: it was cut short`;
    if (readGroupHeader(bytes, offset) === undefined) return this.damage(segment, offset, what);
    const bad = findBadRecord({ bytes, offset, end: bytes.length });
    return this.damage(segment, bad.offset, what, bad.index);
  }
}
