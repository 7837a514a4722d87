/**
 * One record of the journal: a command with its place, its time and its events. Layout, integers little-endian:
 * crc32 u32 (of all that follows) · length u32 (of the whole record) · sequence int · epochMs int · rulesVersion u32 ·
 * keyed flag [account int · key digest 32 · body digest 32] · command length u32 · command · event count u32 · events.
 */
import { crc32 } from 'node:zlib';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import type { VenueEvent } from '#venue/event.ts';
import { readCommand } from '#venue/record/command-record.ts';
import type { ByteWriter } from '#venue/record/cursor.ts';
import { ByteReader, MalformedRecord } from '#venue/record/cursor.ts';
import { readEvent } from '#venue/record/event-record.ts';
import type { CommittedRecord, Idempotency } from './submit.ts';

/** The length of a SHA-256. */
export const DIGEST_BYTES = 32;
/** What must be read of a record to know how long it is. */
export const RECORD_PREFIX_BYTES = 8;
const COVERED_FROM = 4;
const LENGTH_AT = 4;
/** The least that a record takes: its fixed fields, no command, no event. */
const MIN_RECORD_BYTES = 37;

/** An idempotency key as the journal keeps it. Account 0 stands for commands that belong to no account. */
export interface RecordKey extends Idempotency {
  readonly account: number;
}

export interface RecordHead {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
  readonly rulesVersion: number;
  readonly key: RecordKey | undefined;
}

/** A record as it lies in the journal. Its bytes are views: they live as long as what they were read from. */
export interface StoredRecord extends RecordHead {
  readonly commandBytes: Uint8Array;
  readonly eventCount: number;
  readonly eventBytes: Uint8Array;
}

/** Begins a record; its events are to be written next, then {@link closeRecord}. Answers what that needs. */
export function openRecord(bytes: ByteWriter, head: RecordHead, command: Uint8Array): { start: number; countAt: number } {
  const start = bytes.length;
  bytes.u32(0);
  bytes.u32(0);
  bytes.int(head.sequence);
  bytes.int(head.epochMs);
  bytes.u32(head.rulesVersion);
  if (bytes.flag(head.key !== undefined) && head.key !== undefined) {
    bytes.int(head.key.account);
    bytes.bytes(head.key.keyDigest);
    bytes.bytes(head.key.bodyDigest);
  }
  bytes.u32(command.length);
  bytes.bytes(command);
  const countAt = bytes.length;
  bytes.u32(0);
  return { start, countAt };
}

export function closeRecord(bytes: ByteWriter, opened: { start: number; countAt: number }, eventCount: number): void {
  bytes.patchU32(opened.countAt, eventCount);
  bytes.patchU32(opened.start + LENGTH_AT, bytes.length - opened.start);
  bytes.patchU32(opened.start, crc32(bytes.written(opened.start + COVERED_FROM)));
}

/** The length of the record at `offset`, or `undefined` where its CRC is wrong or it would not end by `end`. */
export function soundRecordLength(bytes: Uint8Array, offset: number, end: number): number | undefined {
  if (offset + MIN_RECORD_BYTES > end) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const length = view.getUint32(offset + LENGTH_AT, true);
  if (length < MIN_RECORD_BYTES || offset + length > end) return undefined;
  const isSound = crc32(bytes.subarray(offset + COVERED_FROM, offset + length)) === view.getUint32(offset, true);
  return isSound ? length : undefined;
}

/** Reads the record that the reader stands at, without looking at its CRC. */
export function readRecord(bytes: ByteReader): StoredRecord {
  const start = bytes.offset;
  bytes.u32();
  const length = bytes.u32();
  const sequence = bytes.int<Sequence>();
  const epochMs = bytes.int<EpochMs>();
  const rulesVersion = bytes.u32();
  const key = bytes.flag()
    ? { account: bytes.int(), keyDigest: bytes.bytes(DIGEST_BYTES), bodyDigest: bytes.bytes(DIGEST_BYTES) }
    : undefined;
  const commandBytes = bytes.bytes(bytes.u32());
  const eventCount = bytes.u32();
  const rest = start + length - bytes.offset;
  if (rest < 0) throw new MalformedRecord(`record ${sequence} is longer than it says`);
  return { sequence, epochMs, rulesVersion, key, commandBytes, eventCount, eventBytes: bytes.bytes(rest) };
}

/** What a record says, as objects of their own. */
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
