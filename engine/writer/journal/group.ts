/**
 * A commit group: the records that become durable with one write and one sync, and one link of the journal's chain.
 * Layout: header (magic · byte length u32 · record count u32 · group number int · first sequence int · previous group's digest ·
 * crc32 of the header) · records · footer (SHA-256 of all before it, which is the chain's digest · end mark).
 * A group starts on a sector and is zero-padded to the next one, so that writing it touches no sector of an earlier group. A
 * group without records contains a note instead (`rules-boundary.ts`).
 */
import { hash } from 'node:crypto';
import { crc32 } from 'node:zlib';
import type { Sequence } from '#units/ids.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { ByteReader, ByteWriter } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import { EventWriter } from '#venue/record/event-writer.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import type { RecordHead, StoredRecord } from './record.ts';
import { closeRecord, committedRecord, DIGEST_BYTES, openRecord, readRecord } from './record.ts';
import type { GroupHeader, StoredGroup } from './stored-group.ts';

/** The unit that a disk writes atomically. */
export const SECTOR_BYTES = 512;
/** The digest before the first group. */
export const CHAIN_START: Uint8Array = new Uint8Array(DIGEST_BYTES);

/**
 * 0xff occurs in no UTF-8 text, so nothing that a client wrote into a record looks like a group. The layout differs from every
 * older one in at least two bits: one flipped bit must read as damage, not as an older layout.
 */
const MAGIC = magicOf('4');
/** Groups with another record layout or other checksums. */
const OLDER_MAGICS = ['1', '2'].map(magicOf);
const LENGTH_AT = MAGIC.length;
const COUNT_AT = LENGTH_AT + 4;
const NUMBER_AT = COUNT_AT + 4;
const FIRST_SEQUENCE_AT = NUMBER_AT + 8;
const PREVIOUS_AT = FIRST_SEQUENCE_AT + 8;
const HEADER_CRC_AT = PREVIOUS_AT + DIGEST_BYTES;
export const GROUP_HEADER_BYTES = HEADER_CRC_AT + 4;
/**
 * The end mark of a group in which every sector has at least two bits set: a blank sector was therefore never written. Its last
 * byte is not zero: while it is missing, the group is incomplete. It shares no bit with the other mark.
 */
const END_MARK = 0xa5c35a3c;
/** The end mark of a group with an almost blank sector: there a blank sector proves nothing. */
const SPARSE_END_MARK = 0x5a3ca5c3;
const FOOTER_BYTES = DIGEST_BYTES + 4;
const PADDING = new Uint8Array(SECTOR_BYTES);

function magicOf(layout: string): Uint8Array {
  return Uint8Array.from([0xff, ...Buffer.from(`OPGRP${layout}`), 0xff]);
}

/** The length of a group of `byteLength` with its padding. */
export function paddedLength(byteLength: number): number {
  return Math.ceil(byteLength / SECTOR_BYTES) * SECTOR_BYTES;
}

/** Collects the records of one group in a buffer that is reused for later groups. */
export class GroupBuilder {
  readonly #bytes = new ByteWriter();
  readonly #offsets: number[] = [];
  /** Takes the events of the open record. */
  readonly events = new EventWriter(this.#bytes);
  #digest: Uint8Array = CHAIN_START;
  #length = 0;
  #opened = 0;
  #eventsAt = 0;

  /** Starts over as the group after the one with `previousDigest`. */
  begin(number: number, firstSequence: Sequence, previousDigest: Uint8Array): void {
    this.#bytes.reset();
    this.#offsets.length = 0;
    this.#bytes.bytes(MAGIC);
    this.#bytes.u32(0);
    this.#bytes.u32(0);
    this.#bytes.int(number);
    this.#bytes.int(firstSequence);
    this.#bytes.bytes(previousDigest);
    this.#bytes.u32(0);
  }

  /** Opens a record: `events` takes its events next. Throws for a command that cannot be encoded, and then adds nothing. */
  openRecord(head: RecordHead, command: Command): void {
    this.#opened = openRecord(this.#bytes, head, command);
    this.#eventsAt = this.#bytes.length;
    this.events.restart();
  }

  closeRecord(): void {
    closeRecord(this.#bytes, this.#opened, this.events.count);
    this.#offsets.push(this.#opened);
  }

  /** The current length of the open record. */
  get openLength(): number {
    return this.#bytes.length - this.#opened;
  }

  /** Removes the open record from the group and returns its events. */
  dropRecord(): readonly VenueEvent[] {
    const reader = new ByteReader(this.#bytes.written());
    reader.moveTo(this.#eventsAt);
    const events = Array.from({ length: this.events.count }, () => readEvent(reader));
    this.#bytes.truncate(this.#opened);
    return events;
  }

  /** Makes this a group without records that contains a note of the writer. */
  note(payload: Uint8Array): void {
    this.#bytes.bytes(payload);
  }

  get recordCount(): number {
    return this.#offsets.length;
  }

  get byteLength(): number {
    return this.#bytes.length;
  }

  /** Where each record starts, from the start of the group. */
  get recordOffsets(): readonly number[] {
    return this.#offsets;
  }

  /** Ends the group. Returns the bytes to write, padded to whole sectors: a view, valid until `begin`. */
  seal(): Uint8Array {
    this.#length = this.#bytes.length + FOOTER_BYTES;
    this.#bytes.patchU32(LENGTH_AT, this.#length);
    this.#bytes.patchU32(COUNT_AT, this.#offsets.length);
    this.#bytes.patchU32(HEADER_CRC_AT, crc32(this.#bytes.written().subarray(0, HEADER_CRC_AT)));
    this.#digest = sha256(this.#bytes.written());
    this.#bytes.bytes(this.#digest);
    this.#bytes.u32(END_MARK);
    this.#bytes.bytes(PADDING.subarray(0, paddedLength(this.#length) - this.#length));
    if (hasSparseSector(this.#bytes.written())) this.#bytes.patchU32(this.#length - 4, SPARSE_END_MARK);
    return this.#bytes.written();
  }

  /** The chain digest after the sealed group. */
  get digest(): Uint8Array {
    return this.#digest;
  }

  /** The sealed group, in the form in which it is read back. */
  get sealed(): StoredGroup {
    const bytes = this.#bytes.written().subarray(0, this.#length);
    return { header: readGroupHeader(bytes, 0)!, bytes, digest: this.#digest };
  }
}

/** The header at `offset`, or `undefined` if there is no header with a valid CRC. */
export function readGroupHeader(bytes: Uint8Array, offset: number): GroupHeader | undefined {
  if (offset + GROUP_HEADER_BYTES > bytes.length) return undefined;
  if (Buffer.compare(bytes.subarray(offset, offset + MAGIC.length), MAGIC) !== 0) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset + offset, GROUP_HEADER_BYTES);
  if (crc32(bytes.subarray(offset, offset + HEADER_CRC_AT)) !== view.getUint32(HEADER_CRC_AT, true)) return undefined;
  return {
    byteLength: view.getUint32(LENGTH_AT, true),
    recordCount: view.getUint32(COUNT_AT, true),
    number: view.getFloat64(NUMBER_AT, true),
    firstSequence: view.getFloat64(FIRST_SEQUENCE_AT, true) as Sequence,
    previousDigest: bytes.subarray(offset + PREVIOUS_AT, offset + PREVIOUS_AT + DIGEST_BYTES),
  };
}

/** The group at `offset` if it is complete, its digest valid and its padding blank; else `undefined`. */
export function readGroup(bytes: Uint8Array, offset: number, header: GroupHeader): StoredGroup | undefined {
  const end = offset + header.byteLength;
  const recordsEnd = recordsEndOf(offset, header);
  if (recordsEnd < offset + GROUP_HEADER_BYTES || end > bytes.length) return undefined;
  const digest = sha256(bytes.subarray(offset, recordsEnd));
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (Buffer.compare(bytes.subarray(recordsEnd, recordsEnd + DIGEST_BYTES), digest) !== 0) return undefined;
  const mark = view.getUint32(end - 4, true);
  if ((mark !== END_MARK && mark !== SPARSE_END_MARK) || !isBlank(bytes, end, offset + paddedLength(header.byteLength))) {
    return undefined;
  }
  return { header, bytes: bytes.subarray(offset, end), digest };
}

/** The group that ends before `end` had no blank sector when it was written. Its last byte alone decides: it is never split. */
export function hadNoBlankSector(bytes: Uint8Array, end: number): boolean {
  return bytes[end - 1] === END_MARK >>> 24;
}

/** A group of an older layout starts at `offset`. */
export function isOlderGroup(bytes: Uint8Array, offset: number): boolean {
  const found = bytes.subarray(offset, offset + MAGIC.length);
  return OLDER_MAGICS.some((magic) => Buffer.compare(found, magic) === 0);
}

/** Where the footer of a group starts. */
export function recordsEndOf(offset: number, header: GroupHeader): number {
  return offset + header.byteLength - FOOTER_BYTES;
}

/** The chain digest stored in a group that was found whole. */
export function sealedDigestOf(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.length - FOOTER_BYTES, bytes.length - FOOTER_BYTES + DIGEST_BYTES);
}

/** The note of a group without records. */
export function noteOf({ header, bytes }: StoredGroup): Uint8Array {
  return bytes.subarray(GROUP_HEADER_BYTES, recordsEndOf(0, header));
}

/** Walks the records of a group. `offset` counts from the start of the group. */
export function* recordsOf(group: StoredGroup): Generator<{ readonly record: StoredRecord; readonly offset: number }> {
  const bytes = new ByteReader(group.bytes);
  bytes.bytes(GROUP_HEADER_BYTES);
  for (let index = 0; index < group.header.recordCount; index += 1) {
    const { offset } = bytes;
    yield { record: readRecord(bytes), offset };
  }
}

/** A stored group decoded for subscribers. */
export function committedGroup(group: StoredGroup): CommittedGroup {
  const records = [];
  for (const { record } of recordsOf(group)) records.push(committedRecord(record));
  return { records, chainDigest: hex(group.digest) };
}

/** Whether all bytes from `start` to `end` are zero. */
export function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  return lastWritten(bytes, start, end) < 0;
}

/** The offset of the last non-zero byte between `start` and `end`, or -1. */
export function lastWritten(bytes: Uint8Array, start: number, end: number): number {
  let at = end;
  while (at - SECTOR_BYTES >= start && Buffer.compare(bytes.subarray(at - SECTOR_BYTES, at), PADDING) === 0) at -= SECTOR_BYTES;
  for (at -= 1; at >= start; at -= 1) if (bytes[at] !== 0) return at;
  return -1;
}

/** Whether some sector has at most one bit set. */
function hasSparseSector(bytes: Uint8Array): boolean {
  for (let sector = 0; sector < bytes.length; sector += SECTOR_BYTES) if (isSparse(bytes, sector)) return true;
  return false;
}

function isSparse(bytes: Uint8Array, sector: number): boolean {
  let seen = 0;
  for (let at = sector; at < sector + SECTOR_BYTES; at += 1) {
    const byte = bytes[at]!;
    if (byte === 0) continue;
    if (seen !== 0 || (byte & (byte - 1)) !== 0) return false;
    seen = byte;
  }
  return true;
}

export function hex(digest: Uint8Array): string {
  return Buffer.from(digest.buffer, digest.byteOffset, digest.length).toString('hex');
}

export function sha256(bytes: Uint8Array): Uint8Array {
  return hash('sha256', bytes, 'buffer');
}
