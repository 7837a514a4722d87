/**
 * Entries of the replay log's files: length u32 · CRC-32 of what follows u32 · kind u8 · payload. A file may end in the middle of
 * an entry if its process ended during a write: the valid entries before that count.
 */
import { crc32 } from 'node:zlib';

export const ENTRY = { head: 1, group: 2, record: 3 } as const;
export type EntryKind = (typeof ENTRY)[keyof typeof ENTRY];

export interface Entry {
  readonly kind: number;
  readonly payload: Buffer;
}

const CRC_AT = 4;
const KIND_AT = 8;
const PAYLOAD_AT = 9;
const SEQUENCE_BYTES = 8;

/** A header or a group. */
export function textEntry(kind: EntryKind, text: string): Buffer {
  const byteLength = Buffer.byteLength(text);
  const entry = Buffer.allocUnsafe(PAYLOAD_AT + byteLength);
  entry.write(text, PAYLOAD_AT);
  return sealed(entry, kind);
}

export function recordEntry(sequence: number, record: Buffer): Buffer {
  const entry = Buffer.allocUnsafe(PAYLOAD_AT + SEQUENCE_BYTES + record.length);
  entry.writeDoubleLE(sequence, PAYLOAD_AT);
  record.copy(entry, PAYLOAD_AT + SEQUENCE_BYTES);
  return sealed(entry, ENTRY.record);
}

export function recordIn(payload: Buffer): { readonly sequence: number; readonly record: Buffer } {
  return { sequence: payload.readDoubleLE(0), record: payload.subarray(SEQUENCE_BYTES) };
}

/** The valid entries up to the first invalid one. */
export function* entriesIn(bytes: Buffer): Generator<Entry> {
  let at = 0;
  while (at + PAYLOAD_AT <= bytes.length) {
    const end = at + PAYLOAD_AT + bytes.readUInt32LE(at);
    if (end > bytes.length || crc32(bytes.subarray(at + KIND_AT, end)) !== bytes.readUInt32LE(at + CRC_AT)) return;
    yield { kind: bytes.readUInt8(at + KIND_AT), payload: bytes.subarray(at + PAYLOAD_AT, end) };
    at = end;
  }
}

function sealed(entry: Buffer, kind: EntryKind): Buffer {
  entry.writeUInt32LE(entry.length - PAYLOAD_AT, 0);
  entry.writeUInt8(kind, KIND_AT);
  entry.writeUInt32LE(crc32(entry.subarray(KIND_AT)), CRC_AT);
  return entry;
}
