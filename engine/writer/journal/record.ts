/**
 * One record of the journal: a command with its sequence, its time and its events. Layout, integers little-endian: checksum u32
 * (of all that follows) · length u32 (of the whole record) · sequence int · epochMs int · rulesVersion u32 · event count u32 ·
 * keyed flag [account int · key digest 32 · body digest 32] · command length u32 · command · events.
 */
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { readCommand, writeCommand } from '#venue/record/command-record.ts';
import type { ByteWriter } from '#venue/record/cursor.ts';
import { ByteReader, MalformedRecord } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-reader.ts';
import type { CommittedRecord, Idempotency } from '#writer/port/submit.ts';
import { checksumOf } from './checksum.ts';

/** The length of a SHA-256 digest. */
export const DIGEST_BYTES = 32;
/** How many bytes to read to know a record's length. */
export const RECORD_PREFIX_BYTES = 8;
const COVERED_FROM = 4;
const LENGTH_AT = 4;
const SEQUENCE_AT = 8;
const EPOCH_MS_AT = 16;
const RULES_VERSION_AT = 24;
const COUNT_AT = 28;
const KEYED_AT = 32;
const ACCOUNT_AT = 33;
const KEY_DIGEST_AT = 41;
const BODY_DIGEST_AT = KEY_DIGEST_AT + DIGEST_BYTES;
/** Everything before the command, including its length. */
const UNKEYED_HEAD_BYTES = 37;
const KEYED_HEAD_BYTES = UNKEYED_HEAD_BYTES + 8 + 2 * DIGEST_BYTES;
/** The minimum length of a record: its fixed fields, no command, no event. */
const MIN_RECORD_BYTES = UNKEYED_HEAD_BYTES;

/** An idempotency key as stored in the journal. Account 0 stands for commands without an account. */
export interface RecordKey extends Idempotency {
  readonly account: number;
}

export interface RecordHead {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly rulesVersion: number;
  readonly key: RecordKey | undefined;
}

/** A record as stored in the journal. Its byte arrays are views into the buffer that it was read from. */
export interface StoredRecord extends RecordHead {
  readonly commandBytes: Uint8Array;
  readonly eventCount: number;
  readonly eventBytes: Uint8Array;
}

/**
 * Starts a record; write its events next, then call {@link closeRecord}. Returns its offset. Throws for a command that cannot be
 * encoded, and then leaves the bytes unchanged.
 */
export function openRecord(bytes: ByteWriter, head: RecordHead, command: Command): number {
  const start = bytes.length;
  try {
    writeUpToEvents(bytes, head, command);
  } catch (cause) {
    bytes.truncate(start);
    throw cause;
  }
  return start;
}

/** {@link closeRecord} fills in checksum, length and event count. */
function writeUpToEvents(bytes: ByteWriter, { sequence, epochMs, rulesVersion, key }: RecordHead, command: Command): void {
  const at = bytes.claim(key === undefined ? UNKEYED_HEAD_BYTES : KEYED_HEAD_BYTES);
  const { view } = bytes;
  view.setFloat64(at + SEQUENCE_AT, sequence, true);
  view.setFloat64(at + EPOCH_MS_AT, epochMs, true);
  view.setUint32(at + RULES_VERSION_AT, rulesVersion, true);
  view.setUint8(at + KEYED_AT, key === undefined ? 0 : 1);
  if (key !== undefined) writeKey(bytes, at, key);
  const commandAt = bytes.length;
  writeCommand(bytes, command);
  bytes.patchU32(commandAt - 4, bytes.length - commandAt);
}

function writeKey(bytes: ByteWriter, at: number, { account, keyDigest, bodyDigest }: RecordKey): void {
  const isValid = keyDigest.length === DIGEST_BYTES && bodyDigest.length === DIGEST_BYTES;
  if (!isValid) throw new TypeError(`an idempotency digest has ${DIGEST_BYTES} bytes`);
  bytes.view.setFloat64(at + ACCOUNT_AT, account, true);
  bytes.patchBytes(at + KEY_DIGEST_AT, keyDigest);
  bytes.patchBytes(at + BODY_DIGEST_AT, bodyDigest);
}

/** Ends the record that starts at `start`, after all its events are written. */
export function closeRecord(bytes: ByteWriter, start: number, eventCount: number): void {
  bytes.patchU32(start + COUNT_AT, eventCount);
  bytes.patchU32(start + LENGTH_AT, bytes.length - start);
  bytes.patchU32(start, checksumOf(bytes.view, start + COVERED_FROM, bytes.length));
}

/** The length of the record at `offset`, or `undefined` if its checksum is wrong or it does not end by `end`. */
export function validRecordLength(bytes: Uint8Array, offset: number, end: number): number | undefined {
  if (offset + MIN_RECORD_BYTES > end) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(offset + LENGTH_AT, true);
  if (length < MIN_RECORD_BYTES || offset + length > end) return undefined;
  const isValid = checksumOf(view, offset + COVERED_FROM, offset + length) === view.getUint32(offset, true);
  return isValid ? length : undefined;
}

/** Reads the record at the reader's offset without verifying its checksum. */
export function readRecord(bytes: ByteReader): StoredRecord {
  const start = bytes.offset;
  bytes.u32();
  const length = bytes.u32();
  const sequence = bytes.int<Sequence>();
  const epochMs = bytes.int<EpochMs>();
  const rulesVersion = bytes.u32();
  const eventCount = bytes.u32();
  const key = bytes.flag()
    ? { account: bytes.int(), keyDigest: bytes.bytes(DIGEST_BYTES), bodyDigest: bytes.bytes(DIGEST_BYTES) }
    : undefined;
  const commandBytes = bytes.bytes(bytes.u32());
  const rest = start + length - bytes.offset;
  if (rest < 0) throw new MalformedRecord(`record ${sequence} is longer than it says`);
  return { sequence, epochMs, rulesVersion, key, commandBytes, eventCount, eventBytes: bytes.bytes(rest) };
}

/** What a walk over records needs of each: its head and the offset of its events. One object is reused for all of them. */
export class RecordOffsets {
  sequence = 0 as Sequence;
  epochMs = 0 as EpochMs;
  rulesVersion = 0;
  eventCount = 0;
  eventsAt = 0;
  end = 0;

  /** Reads the record at the reader's offset without verifying its checksum. Leaves the reader at its command. */
  read(bytes: ByteReader): void {
    const start = bytes.offset;
    bytes.u32();
    this.end = start + bytes.u32();
    this.sequence = bytes.int<Sequence>();
    this.epochMs = bytes.int<EpochMs>();
    this.rulesVersion = bytes.u32();
    this.eventCount = bytes.u32();
    if (bytes.flag()) bytes.moveTo(start + KEY_DIGEST_AT + 2 * DIGEST_BYTES);
    const commandBytes = bytes.u32();
    this.eventsAt = bytes.offset + commandBytes;
    if (this.eventsAt > this.end) throw new MalformedRecord(`record ${this.sequence} is longer than it says`);
  }
}

/** Receives a key's account, its record's time, and the offsets of its digest and of its record. */
export type TakeKey = (account: number, epochMs: number, digestAt: number, recordAt: number) => void;

/** Walks records with verified checksums for their keys only, without allocating an object for each: there are millions. */
export function visitKeys(bytes: Uint8Array, offset: number, recordCount: number, take: TakeKey): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let at = offset;
  for (let index = 0; index < recordCount; index += 1) {
    if (bytes[at + KEYED_AT] === 1) {
      take(view.getFloat64(at + ACCOUNT_AT, true), view.getFloat64(at + EPOCH_MS_AT, true), at + KEY_DIGEST_AT, at);
    }
    at += view.getUint32(at + LENGTH_AT, true);
  }
}

/** The time of the record that starts at `offset`. */
export function epochMsAt(bytes: Uint8Array, offset: number): EpochMs {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength).getFloat64(offset + EPOCH_MS_AT, true) as EpochMs;
}

/** Decodes a record into objects of its own. */
export function committedRecord(stored: StoredRecord): CommittedRecord {
  return { sequence: stored.sequence, epochMs: stored.epochMs, command: commandOf(stored), events: eventsOf(stored) };
}

export function commandOf(stored: StoredRecord): Command {
  return readCommand(new ByteReader(stored.commandBytes));
}

function eventsOf(stored: StoredRecord): readonly VenueEvent[] {
  const bytes = new ByteReader(stored.eventBytes);
  return Array.from({ length: stored.eventCount }, () => readEvent(bytes));
}
