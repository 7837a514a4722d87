/**
 * The bytes of the ledger's log. A frame is what one write appends: whole sectors, each with a check sum and its place in the file,
 * chained to the frame before by a digest. A sector that a power cut lost lacks its first or its last mark; a flipped bit does not
 * remove a mark.
 *
 * Sector: mark 0xff · first 1 or later 2 u8 · zeros 2 · crc32 u32 (of the payload and the mark after it, seeded with the sector's
 * number and kind) · payload · mark 0xff. The payloads of a frame together: sectors u32 · length of the body u32 · sha256 of
 * (digest before · body) · body · zeros.
 */
import { createHash } from 'node:crypto';
import { crc32 } from 'node:zlib';

export const SECTOR_BYTES = 512;
const PAYLOAD_AT = 8;
const PAYLOAD_BYTES = SECTOR_BYTES - PAYLOAD_AT - 1;
const MARK = 0xff;
const DIGEST_BYTES = 32;
const HEAD_BYTES = 8 + DIGEST_BYTES;
const FIRST = 1;
const LATER = 2;

/** The digest before the first frame. */
export const NO_DIGEST: Uint8Array = new Uint8Array(DIGEST_BYTES);

export interface Frame {
  readonly body: Buffer;
  readonly digest: Uint8Array;
  /** The number of sectors. */
  readonly sectors: number;
}

/** The bytes of a frame that is written at sector `start`, and its digest. */
export function encodeFrame(body: Buffer, start: number, before: Uint8Array): { bytes: Buffer; digest: Uint8Array } {
  const sectors = Math.ceil((HEAD_BYTES + body.length) / PAYLOAD_BYTES);
  const digest = digestOf(before, body);
  const head = Buffer.alloc(8);
  head.writeUInt32LE(sectors, 0);
  head.writeUInt32LE(body.length, 4);
  const payload = Buffer.concat([head, digest, body]);
  const bytes = Buffer.alloc(sectors * SECTOR_BYTES);
  for (let index = 0; index < sectors; index += 1) {
    const sector = bytes.subarray(index * SECTOR_BYTES, (index + 1) * SECTOR_BYTES);
    sector[0] = MARK;
    sector[1] = index === 0 ? FIRST : LATER;
    sector[SECTOR_BYTES - 1] = MARK;
    payload.copy(sector, PAYLOAD_AT, index * PAYLOAD_BYTES, (index + 1) * PAYLOAD_BYTES);
    sector.writeUInt32LE(checkSum(sector, start + index), 4);
  }
  return { bytes, digest };
}

export type SectorState = 'first' | 'later' | 'lost' | 'wrong';

/** What is at a sector of the file. `lost`: not or not completely written, or already being blanked. */
export function sectorState(file: Buffer, number: number): SectorState {
  const sector = file.subarray(number * SECTOR_BYTES, (number + 1) * SECTOR_BYTES);
  if (sector.length < SECTOR_BYTES || sector[0] === 0 || sector[SECTOR_BYTES - 1] === 0) return 'lost';
  const isIntact = sector[0] === MARK && sector.readUInt16LE(2) === 0 && sector.readUInt32LE(4) === checkSum(sector, number);
  if (!isIntact) return 'wrong';
  return sector[1] === FIRST ? 'first' : 'later';
}

/** How many sectors the frame has whose first sector is at `start`. */
export function sectorsOf(file: Buffer, start: number): number {
  return file.readUInt32LE(start * SECTOR_BYTES + PAYLOAD_AT);
}

/** The frame at `start`, whose sectors are all intact; undefined if its digest does not follow the one before. */
export function decodeFrame(file: Buffer, start: number, before: Uint8Array): Frame | undefined {
  const sectors = sectorsOf(file, start);
  const payload = Buffer.concat(
    Array.from({ length: sectors }, (_, index) => {
      const at = (start + index) * SECTOR_BYTES;
      return file.subarray(at + PAYLOAD_AT, at + PAYLOAD_AT + PAYLOAD_BYTES);
    }),
  );
  const length = payload.readUInt32LE(4);
  const digest = payload.subarray(8, HEAD_BYTES);
  const body = payload.subarray(HEAD_BYTES, HEAD_BYTES + length);
  return digestOf(before, body).equals(digest) ? { body, digest, sectors } : undefined;
}

function digestOf(before: Uint8Array, body: Uint8Array): Buffer {
  return createHash('sha256').update(before).update(body).digest();
}

function checkSum(sector: Buffer, number: number): number {
  return crc32(sector.subarray(PAYLOAD_AT), crc32(sector.subarray(1, 2), number));
}
