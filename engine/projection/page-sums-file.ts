/**
 * The file of page sums: magic · file id · commit f64 · count u32 · sums u32 × count · CRC-32 of all before u32; then for each later commit:
 * number f64 · count u32 · (page u32, sum u32) × count · CRC-32 u32. An incomplete commit at the end is a torn write.
 */
import { readFileSync } from 'node:fs';
import { endianness } from 'node:os';
import { crc32 } from 'node:zlib';
import { replaceFile } from '#writer/journal/atomic-file.ts';
import type { PageCrcs } from './log-frames.ts';

/** A commit of a database, as stored in the database. */
export interface Commit {
  /** Random, created with the database, so that databases are not confused. */
  readonly fileId: string;
  /** Increases by 1 with each commit. */
  readonly number: number;
}

/** The database differs from what was written. The message follows the name of the file. */
export class FileDamaged extends Error {
  override readonly name = 'FileDamaged';
}

export const FILE_ID_BYTES = 16;
const MAGIC = 'OPPGSUM1';
const FILE_ID_AT = MAGIC.length;
const NUMBER_AT = FILE_ID_AT + FILE_ID_BYTES;
const COUNT_AT = NUMBER_AT + 8;
const SUMS_AT = COUNT_AT + 4;
const CRC_BYTES = 4;
const COMMIT_HEAD_BYTES = 12;
const PAIR_COUNT_AT = 8;
const PAIR_BYTES = 8;

/** The sums of pages, from page 1 on. */
export class PageList {
  #sums: Uint32Array;
  count: number;

  constructor(sums = new Uint32Array(1_024), count = 0) {
    this.#sums = sums;
    this.count = count;
  }

  /** `undefined` for a page after the last one. */
  get(page: number): number | undefined {
    return page <= this.count ? this.#sums[page - 1] : undefined;
  }

  set(page: number, sum: number): void {
    if (page > this.#sums.length) {
      const longer = new Uint32Array(Math.max(page, 2 * this.#sums.length));
      longer.set(this.#sums);
      this.#sums = longer;
    }
    this.#sums[page - 1] = sum;
    this.count = Math.max(this.count, page);
  }

  bytes(): Buffer {
    const sums = this.#sums.subarray(0, this.count);
    const bytes = Buffer.from(sums.buffer, sums.byteOffset, sums.byteLength);
    return endianness() === 'LE' ? bytes : Buffer.from(bytes).swap32();
  }
}

/** Returns when the sums are durable. */
export function writeSums(path: string, { fileId, number }: Commit, sums: PageList): void {
  const head = Buffer.alloc(SUMS_AT);
  head.write(MAGIC, 0, 'latin1');
  head.write(fileId, FILE_ID_AT, FILE_ID_BYTES, 'latin1');
  head.writeDoubleLE(number, NUMBER_AT);
  head.writeUInt32LE(sums.count, COUNT_AT);
  const list = sums.bytes();
  const end = Buffer.alloc(CRC_BYTES);
  end.writeUInt32LE(crc32(list, crc32(head)));
  replaceFile(path, head, list, end);
}

/** The sums of a commit's pages, in the form that is appended to the file. */
export function appendedSums(number: number, pages: PageCrcs): Buffer {
  const bytes = Buffer.allocUnsafe(COMMIT_HEAD_BYTES + pages.size * PAIR_BYTES + CRC_BYTES);
  bytes.writeDoubleLE(number, 0);
  bytes.writeUInt32LE(pages.size, PAIR_COUNT_AT);
  let at = COMMIT_HEAD_BYTES;
  for (const [page, sum] of pages) {
    bytes.writeUInt32LE(page, at);
    bytes.writeUInt32LE(sum, at + 4);
    at += PAIR_BYTES;
  }
  bytes.writeUInt32LE(crc32(bytes.subarray(0, at)), at);
  return bytes;
}

export interface SavedSums {
  readonly sums: PageList;
  /** The commit of the sums. */
  readonly number: number;
  /** The file has no later commits. */
  readonly isAll: boolean;
}

/** The sums of the newest commit up to the given one. Throws {@link FileDamaged} if the file does not have them. */
export function readSums(path: string, { fileId, number: last }: Commit): SavedSums {
  const bytes = readOrRefuse(path);
  const count = bytes.length < SUMS_AT ? 0 : bytes.readUInt32LE(COUNT_AT);
  const listEnd = SUMS_AT + count * CRC_BYTES;
  if (bytes.length < listEnd + CRC_BYTES || crc32(bytes.subarray(0, listEnd)) !== bytes.readUInt32LE(listEnd))
    throw new FileDamaged('cannot be verified: its page sums are damaged');
  if (bytes.toString('latin1', 0, NUMBER_AT) !== MAGIC + fileId)
    throw new FileDamaged('cannot be verified: its page sums are of another file');
  let number = bytes.readDoubleLE(NUMBER_AT);
  if (number > last) throw new FileDamaged('is older than its page sums');
  const list = new Uint8Array(bytes.subarray(SUMS_AT, listEnd)).buffer;
  if (endianness() !== 'LE') Buffer.from(list).swap32();
  const sums = new PageList(new Uint32Array(list), count);
  let at = listEnd + CRC_BYTES;
  for (let end = commitEnd(bytes, at); end !== undefined && number < last; end = commitEnd(bytes, at)) {
    for (let pair = at + COMMIT_HEAD_BYTES; pair < end - CRC_BYTES; pair += PAIR_BYTES)
      sums.set(bytes.readUInt32LE(pair), bytes.readUInt32LE(pair + 4));
    number = bytes.readDoubleLE(at);
    at = end;
  }
  return { sums, number, isAll: listEnd + CRC_BYTES === bytes.length };
}

function readOrRefuse(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new FileDamaged(`cannot be verified: its page sums cannot be read (${code})`, { cause });
  }
}

/** The end of the commit at an offset; `undefined` if there is no complete commit. */
function commitEnd(bytes: Buffer, at: number): number | undefined {
  if (at + COMMIT_HEAD_BYTES > bytes.length) return undefined;
  const crcAt = at + COMMIT_HEAD_BYTES + bytes.readUInt32LE(at + PAIR_COUNT_AT) * PAIR_BYTES;
  if (crcAt + CRC_BYTES > bytes.length || crc32(bytes.subarray(at, crcAt)) !== bytes.readUInt32LE(crcAt)) return undefined;
  return crcAt + CRC_BYTES;
}
