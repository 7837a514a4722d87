/**
 * Reads SQLite's write-ahead log (https://www.sqlite.org/fileformat2.html#walformat) as SQLite does: finds its pages up to the last complete
 * commit.
 */
import { closeSync, fdatasyncSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { LOG_SUFFIX } from './checkpoint.ts';

/** SQLite's default. The venue creates no file with another page size. */
export const PAGE_BYTES = 4_096;

/** The CRC-32 of each page's last committed content, by page number. */
export type PageCrcs = ReadonlyMap<number, number>;
/** The offset in the log of each page's newest frame, by page number. */
export type PageOffsets = ReadonlyMap<number, number>;

export interface CommittedPages {
  readonly pages: PageCrcs;
  readonly offsets: PageOffsets;
  /** The page count of the database after these commits. */
  readonly pageCount: number;
  readonly commitCount: number;
  /** The commits are at the start of the log, so all earlier commits are in the database file. */
  readonly isLogStart: boolean;
}

const HEADER_BYTES = 32;
/** The part of the header that its checksum covers. */
const HEADER_COVERED_BYTES = 24;
const FRAME_HEADER_BYTES = 24;
const FRAME_BYTES = FRAME_HEADER_BYTES + PAGE_BYTES;
const BATCH_FRAMES = 256;
/** The last bit gives the byte order of the checksums. */
const MAGIC = 0x377f0682;
const MAGIC_AT = 0;
const PAGE_BYTES_AT = 8;
const SALTS_AT = 16;
const HEADER_SUMS_AT = 24;
/** Offsets in the header of a frame. */
const PAGE_AT = 0;
const PAGE_COUNT_AT = 4;
const FRAME_SALTS_AT = 8;
const FRAME_SUMS_AT = 16;

/** Follows the log of an open database, commit by commit. */
export class LogTail {
  readonly #databasePath: string;
  #salts = '';
  #end = HEADER_BYTES;

  constructor(databasePath: string) {
    this.#databasePath = databasePath;
  }

  /** The length of the log. */
  get bytes(): number {
    return this.#end;
  }

  /** The pages that a recovery by SQLite finds in the log; `undefined` if there are no pages. `next` continues after them. */
  recovered(): CommittedPages | undefined {
    const log = OpenLog.open(this.#databasePath);
    if (log === undefined) return undefined;
    try {
      return log.recovered();
    } finally {
      this.#leave(log);
    }
  }

  /** The pages of the next commit, which this process has written. `undefined` if the log does not have it. */
  next(): CommittedPages | undefined {
    const log = OpenLog.open(this.#databasePath);
    if (log === undefined) return undefined;
    try {
      return log.commitAt(log.salts === this.#salts ? this.#end : HEADER_BYTES);
    } finally {
      this.#leave(log);
    }
  }

  /**
   * The CRC-32 of committed pages as they are now in the log; pages that are not in the log are left out. `undefined` if SQLite restarted the
   * log since the last commit that was read: the pages are then in the database file.
   */
  crcsAt(offsets: PageOffsets): PageCrcs | undefined {
    const log = OpenLog.open(this.#databasePath);
    try {
      return log === undefined || log.salts === this.#salts ? new Map(log?.crcsAt(offsets)) : undefined;
    } finally {
      log?.close();
    }
  }

  /** Returns when all commits are durable. */
  sync(): void {
    const log = OpenLog.open(this.#databasePath);
    log?.sync();
    log?.close();
  }

  #leave(log: OpenLog): void {
    this.#salts = log.salts;
    this.#end = log.committedEnd;
    log.close();
  }
}

class OpenLog {
  readonly salts: string;
  /** The end of the last commit that was read. */
  committedEnd = HEADER_BYTES;
  readonly #handle: number;
  readonly #header: Buffer;
  readonly #isLittleEndian: boolean;
  readonly #memory = Buffer.alloc(BATCH_FRAMES * FRAME_BYTES);

  private constructor(handle: number, header: Buffer) {
    this.#handle = handle;
    this.#header = header;
    this.#isLittleEndian = header.readUInt32BE(MAGIC_AT) === MAGIC;
    this.salts = saltsAt(header, SALTS_AT);
  }

  /** `undefined` if there is no log that SQLite would read. */
  static open(databasePath: string): OpenLog | undefined {
    let handle: number;
    try {
      handle = openSync(databasePath + LOG_SUFFIX, 'r');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw cause;
    }
    const header = Buffer.alloc(HEADER_BYTES);
    const length = readSync(handle, header, 0, HEADER_BYTES, 0);
    const isLog =
      length === HEADER_BYTES &&
      header.readUInt32BE(MAGIC_AT) >>> 1 === MAGIC >>> 1 &&
      header.readUInt32BE(PAGE_BYTES_AT) === PAGE_BYTES;
    const log = isLog ? new OpenLog(handle, header) : undefined;
    if (log?.isHeaderWhole() === true) return log;
    closeSync(handle);
    return undefined;
  }

  close(): void {
    closeSync(this.#handle);
  }

  sync(): void {
    fdatasyncSync(this.#handle);
  }

  isHeaderWhole(): boolean {
    const sums = this.#summed([0, 0], this.#header.subarray(0, HEADER_COVERED_BYTES));
    return hasChecksums(this.#header, HEADER_SUMS_AT, sums);
  }

  /** All commits: frames from the first on with a valid cumulative checksum, up to the last commit frame. */
  recovered(): CommittedPages | undefined {
    const pages = new Map<number, number>();
    const offsets = new Map<number, number>();
    let pending: LogFrame[] = [];
    let pageCount = 0;
    let commitCount = 0;
    let sums: Sums = this.#summed([0, 0], this.#header.subarray(0, HEADER_COVERED_BYTES));
    for (const { frame, end } of this.#frames(HEADER_BYTES)) {
      sums = this.#summed(this.#summed(sums, frame.subarray(0, FRAME_SALTS_AT)), frame.subarray(FRAME_HEADER_BYTES));
      if (!hasChecksums(frame, FRAME_SUMS_AT, sums)) break;
      pending.push(frameOf(frame, end));
      const committed = frame.readUInt32BE(PAGE_COUNT_AT);
      if (committed === 0) continue;
      for (const { page, crc, offset } of pending) {
        pages.set(page, crc);
        offsets.set(page, offset);
      }
      pending = [];
      pageCount = committed;
      commitCount += 1;
      this.committedEnd = end;
    }
    return commitCount === 0 ? undefined : { pages, offsets, pageCount, commitCount, isLogStart: true };
  }

  /** The commit that starts at an offset. Its checksums are not verified, because this process has just written it. */
  commitAt(start: number): CommittedPages | undefined {
    const pages = new Map<number, number>();
    const offsets = new Map<number, number>();
    for (const { frame, end } of this.#frames(start)) {
      const { page, crc, offset } = frameOf(frame, end);
      pages.set(page, crc);
      offsets.set(page, offset);
      const pageCount = frame.readUInt32BE(PAGE_COUNT_AT);
      if (pageCount === 0) continue;
      this.committedEnd = end;
      return { pages, offsets, pageCount, commitCount: 1, isLogStart: start === HEADER_BYTES };
    }
    return undefined;
  }

  *crcsAt(offsets: PageOffsets): Generator<[page: number, crc: number]> {
    const frame = this.#memory.subarray(0, FRAME_BYTES);
    for (const [page, offset] of offsets) {
      const isWhole = readSync(this.#handle, frame, 0, FRAME_BYTES, offset) === FRAME_BYTES;
      if (isWhole && frame.readUInt32BE(PAGE_AT) === page) yield [page, crcOf(frame)];
    }
  }

  /** The frames of the current log from an offset on. Each is valid until the next one is read. */
  *#frames(from: number): Generator<{ readonly frame: Buffer; readonly end: number }> {
    for (let offset = from; ; ) {
      const length = readSync(this.#handle, this.#memory, 0, this.#memory.length, offset);
      if (length < FRAME_BYTES) return;
      for (let at = 0; at + FRAME_BYTES <= length; at += FRAME_BYTES) {
        const frame = this.#memory.subarray(at, at + FRAME_BYTES);
        if (saltsAt(frame, FRAME_SALTS_AT) !== this.salts || frame.readUInt32BE(PAGE_AT) === 0) return;
        offset += FRAME_BYTES;
        yield { frame, end: offset };
      }
    }
  }

  #summed([first, second]: Sums, bytes: Buffer): Sums {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    let [s0, s1] = [first, second];
    for (let at = 0; at < bytes.length; at += 8) {
      s0 = (s0 + view.getUint32(at, this.#isLittleEndian) + s1) >>> 0;
      s1 = (s1 + view.getUint32(at + 4, this.#isLittleEndian) + s0) >>> 0;
    }
    return [s0, s1];
  }
}

type Sums = readonly [number, number];

function hasChecksums(bytes: Buffer, at: number, [first, second]: Sums): boolean {
  return bytes.readUInt32BE(at) === first && bytes.readUInt32BE(at + 4) === second;
}

function saltsAt(bytes: Buffer, at: number): string {
  return bytes.toString('latin1', at, at + 8);
}

interface LogFrame {
  readonly page: number;
  readonly crc: number;
  readonly offset: number;
}

function frameOf(frame: Buffer, end: number): LogFrame {
  return { page: frame.readUInt32BE(PAGE_AT), crc: crcOf(frame), offset: end - FRAME_BYTES };
}

function crcOf(frame: Buffer): number {
  return crc32(frame.subarray(FRAME_HEADER_BYTES));
}
