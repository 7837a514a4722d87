/**
 * Detects damage of the database file by the CRC-32 of every page, in a file next to it, because SQLite has no page checksums. The sums are
 * those of the database with its log, so they do not change when pages of the log are copied to the database file.
 */
import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { SUMS_SUFFIX } from './checkpoint.ts';
import { isDiskFault } from './disk-fault.ts';
import { type CommittedPages, LogTail, PAGE_BYTES, type PageCrcs } from './log-frames.ts';
import { appendedSums, type Commit, FileDamaged, PageList, readSums, writeSums } from './page-sums-file.ts';

const BATCH_PAGES = 256;
/** The file of sums is rewritten when the appended sums exceed this plus twice the number of pages. */
const FEW_APPENDED = 100_000;

export class PageSums {
  readonly #path: string;
  readonly #fileId: string;
  /** The newest commit whose pages are noted. */
  #number: number;
  readonly #tail: LogTail;
  /** Commits in the log whose pages are not noted yet. */
  #unreadCommits = 0;
  readonly #sums: PageList;
  /** A handle on the database file that stays open: closing any handle of this process on the file releases SQLite's locks. */
  readonly #database: number;
  /** The handle on the file of sums. */
  #appending: number | undefined;
  #appendedCount = 0;
  /** Not all sums could be written. */
  #isOutdated = false;
  /** Pages whose newest content may be only in the log, with the offset of its frame. */
  readonly #inLog = new Map<number, number>();
  #verifiedPage = 0;

  private constructor(path: string, { fileId, number }: Commit, sums: PageList) {
    this.#path = path;
    this.#fileId = fileId;
    this.#number = number;
    this.#sums = sums;
    this.#tail = new LogTail(path);
    this.#database = openSync(path, 'r');
  }

  /** For a new database with an empty log. */
  static begin(path: string, commit: Commit): PageSums {
    const sums = new PageSums(path, commit, new PageList());
    for (const [page, crc] of pagesIn(sums.#database, 1)) sums.#sums.set(page, crc);
    sums.#writeAll();
    return sums;
  }

  /** Verifies every page of an open database at this commit. Throws {@link FileDamaged} if a page is damaged. */
  static verified(path: string, commit: Commit): PageSums {
    const { sums, number, isAll } = readSums(path + SUMS_SUFFIX, commit);
    const verified = new PageSums(path, commit, sums);
    try {
      const log = verified.#tail.recovered();
      if (number + (log?.commitCount ?? 0) < commit.number) throw new FileDamaged('is newer than its page sums');
      verified.#refuseDamage(log?.pages ?? new Map(), log?.pageCount ?? sums.count);
      if (log !== undefined) verified.#note(log);
      if (log !== undefined || !isAll) verified.#writeAll();
      return verified;
    } catch (cause) {
      verified.close();
      throw cause;
    }
  }

  /** The length of the log. */
  get logBytes(): number {
    return this.#tail.bytes;
  }

  /** Call after every commit. Does not sync, and leaves disk faults to {@link sync}. Throws {@link FileDamaged}. */
  committed(): void {
    this.#unreadCommits += 1;
    try {
      this.#readCommits();
    } catch (fault) {
      // The commits stay in the log until it is copied, which starts with a sync.
      if (!isDiskFault(fault)) throw fault;
    }
  }

  /**
   * Returns when the sums of all commits are durable. Must run before pages of the log are copied to the database file and overwritten. Throws
   * faults of the disk.
   */
  sync(): void {
    this.#readCommits();
    const isLong = this.#appendedCount > FEW_APPENDED + 2 * this.#sums.count;
    if (this.#isOutdated || isLong) this.#writeAll();
    else if (this.#appending !== undefined) fdatasyncSync(this.#appending);
  }

  /** Call when the whole log is copied to the database file. */
  logIsCopied(): void {
    this.#inLog.clear();
  }

  /**
   * Verifies the next pages, in a cycle. Reads each where SQLite reads it: in the database file or in the log, whose checksums SQLite does not
   * verify on reads. Throws {@link FileDamaged}.
   */
  verifySome(pageCount: number): void {
    const first = this.#verifiedPage + 1;
    const end = first + pageCount;
    let next = first;
    for (const [page, crc] of pagesIn(this.#database, first, pageCount)) {
      if (!this.#inLog.has(page) && crc !== this.#sums.get(page)) throw damagedPage(page);
      next = page + 1;
    }
    this.#refuseMissing(next, Math.min(end - 1, this.#sums.count), this.#inLog);
    this.#verifyLog(first, end);
    this.#verifiedPage = next < end && end > this.#sums.count ? 0 : end - 1;
  }

  /** Like {@link sync}, before the database is closed. */
  settle(): void {
    this.#readCommits();
    if (this.#isOutdated || this.#appendedCount > 0) this.#writeAll();
  }

  /** Call after the database is closed. */
  close(): void {
    this.#stopAppending();
    closeSync(this.#database);
  }

  #refuseDamage(inLog: PageCrcs, pageCount: number): void {
    let next = 1;
    for (const [page, crc] of pagesIn(this.#database, 1)) {
      if (page > pageCount || (!inLog.has(page) && crc !== this.#sums.get(page))) throw damagedPage(page);
      next = page + 1;
    }
    this.#refuseMissing(next, pageCount, inLog);
  }

  /** Verifies the pages in the log from `first` up to, but not including, `end`. */
  #verifyLog(first: number, end: number): void {
    const offsets = new Map<number, number>();
    for (let page = first; page < end; page += 1) {
      const offset = this.#inLog.get(page);
      if (offset !== undefined) offsets.set(page, offset);
    }
    const crcs = offsets.size === 0 ? undefined : this.#tail.crcsAt(offsets);
    if (crcs === undefined) return;
    for (const page of offsets.keys()) if (crcs.get(page) !== this.#sums.get(page)) throw damagedPage(page);
  }

  /** Throws if a page after the end of the file is not in the log. */
  #refuseMissing(first: number, pageCount: number, inLog: Pick<PageCrcs, 'has'>): void {
    for (let page = first; page <= pageCount; page += 1)
      if (!inLog.has(page)) throw new FileDamaged(`lacks page ${page} of ${pageCount}`);
  }

  #writeAll(): void {
    this.#stopAppending();
    // A power cut could lose commits that are not synced; the sums would then not match the file.
    this.#tail.sync();
    writeSums(this.#path + SUMS_SUFFIX, { fileId: this.#fileId, number: this.#number }, this.#sums);
    this.#appendedCount = 0;
    this.#isOutdated = false;
  }

  #readCommits(): void {
    for (; this.#unreadCommits > 0; this.#unreadCommits -= 1) {
      const commit = this.#tail.next();
      if (commit === undefined) throw new FileDamaged('has lost its log');
      this.#number += 1;
      this.#note(commit);
      this.#append(commit.pages);
    }
  }

  #append(pages: PageCrcs): void {
    this.#appendedCount += pages.size;
    if (this.#isOutdated) return;
    try {
      this.#appending ??= openSync(this.#path + SUMS_SUFFIX, 'a');
      writeFully(this.#appending, appendedSums(this.#number, pages));
    } catch {
      this.#isOutdated = true;
    }
  }

  #note({ pages, offsets, isLogStart }: CommittedPages): void {
    if (isLogStart) this.#inLog.clear();
    for (const [page, crc] of pages) this.#sums.set(page, crc);
    for (const [page, offset] of offsets) this.#inLog.set(page, offset);
  }

  #stopAppending(): void {
    if (this.#appending !== undefined) closeSync(this.#appending);
    this.#appending = undefined;
  }
}

/** At most `count` pages of a file with their CRC-32. A partial page at the end counts as a page. */
function* pagesIn(file: number, first: number, count = Number.POSITIVE_INFINITY): Generator<[page: number, crc: number]> {
  const memory = Buffer.alloc(Math.min(count, BATCH_PAGES) * PAGE_BYTES);
  const end = first + count;
  for (let page = first; page < end; ) {
    const byteCount = Math.min(memory.length, (end - page) * PAGE_BYTES);
    const length = readSync(file, memory, 0, byteCount, (page - 1) * PAGE_BYTES);
    if (length === 0) return;
    for (let at = 0; at < length; at += PAGE_BYTES) {
      yield [page, crc32(memory.subarray(at, Math.min(at + PAGE_BYTES, length)))];
      page += 1;
    }
  }
}

function damagedPage(page: number): FileDamaged {
  return new FileDamaged(`is not as it was written (page ${page})`);
}

function writeFully(file: number, bytes: Buffer): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done);
}
