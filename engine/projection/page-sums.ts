/**
 * Whether the database file is what SQLite wrote: the CRC-32 of every page, in a file beside it, for SQLite has none of its own. They are of the
 * database as a read sees it, its log included: it makes no difference when pages of the log go to the database file.
 */
import { closeSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { SUMS_SUFFIX } from './checkpoint.ts';
import { isDiskFault } from './disk-fault.ts';
import { type CommittedPages, LogTail, PAGE_BYTES, type PageCrcs } from './log-frames.ts';
import { appendedSums, type Commit, FileDamaged, PageList, readSums, writeSums } from './page-sums-file.ts';

const PAGES_AT_ONCE = 256;
/** With more appended than this and twice the pages there are, the file of the sums is written anew. */
const FEW_APPENDED = 100_000;

export class PageSums {
  readonly #path: string;
  readonly #fileId: string;
  /** Of the newest commit whose pages are noted. */
  #number: number;
  readonly #tail: LogTail;
  /** They are in the log, and their pages are not noted. */
  #unreadCommits = 0;
  readonly #sums: PageList;
  /** Of the database file. To close any other handle on it would let go of SQLite's locks. */
  readonly #database: number;
  /** Of the sums' own file. */
  #appending: number | undefined;
  #appendedCount = 0;
  /** The disk has not taken all of the sums. */
  #isBehind = false;
  /** Pages whose newest content may be in the log alone, with the offset of its frame. */
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

  /** For a database that was made just now, whose log is empty. */
  static begin(path: string, commit: Commit): PageSums {
    const begun = new PageSums(path, commit, new PageList());
    for (const [page, crc] of pagesIn(begun.#database, 1)) begun.#sums.set(page, crc);
    begun.#writeAll();
    return begun;
  }

  /** Looks at every page of a database that is open and as of this commit. Throws {@link FileDamaged} where one is not as it was written. */
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

  /** How long the log is. */
  get logBytes(): number {
    return this.#tail.bytes;
  }

  /** To be called after every commit. Waits for no disk; what that does not give or take now is for {@link sync}. Throws {@link FileDamaged}. */
  committed(): void {
    this.#unreadCommits += 1;
    try {
      this.#readCommits();
    } catch (fault) {
      // The log keeps them until it is copied, which begins with a sync.
      if (!isDiskFault(fault)) throw fault;
    }
  }

  /**
   * Returns when the sums of all commits are durable: before pages of the log are copied to the database file and overwritten in the log. Throws
   * what the disk says.
   */
  sync(): void {
    this.#readCommits();
    const isLong = this.#appendedCount > FEW_APPENDED + 2 * this.#sums.count;
    if (this.#isBehind || isLong) this.#writeAll();
    else if (this.#appending !== undefined) fdatasyncSync(this.#appending);
  }

  /** All that the log holds is in the database file too. */
  logIsCopied(): void {
    this.#inLog.clear();
  }

  /**
   * Compares the next pages, and after the last the first again, with their sums: where SQLite reads each, in the database file or in the log, whose
   * check sums SQLite does not verify when it reads. Throws {@link FileDamaged}.
   */
  verifySome(pageCount: number): void {
    const first = this.#verifiedPage + 1;
    const end = first + pageCount;
    let next = first;
    for (const [page, crc] of pagesIn(this.#database, first, pageCount)) {
      if (!this.#inLog.has(page) && crc !== this.#sums.get(page)) throw damagedPage(page);
      next = page + 1;
    }
    this.#refuseLack(next, Math.min(end - 1, this.#sums.count), this.#inLog);
    this.#verifyLog(first, end);
    this.#verifiedPage = next < end && end > this.#sums.count ? 0 : end - 1;
  }

  /** Like {@link sync}, for a database that is to be closed. */
  settle(): void {
    this.#readCommits();
    if (this.#isBehind || this.#appendedCount > 0) this.#writeAll();
  }

  /** Once the database is closed. */
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
    this.#refuseLack(next, pageCount, inLog);
  }

  /** Compares those of the pages from `first` to before `end` that are in the log. */
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

  /** The file ends before a page: the log alone may hold that and those after it. */
  #refuseLack(first: number, pageCount: number, inLog: Pick<PageCrcs, 'has'>): void {
    for (let page = first; page <= pageCount; page += 1)
      if (!inLog.has(page)) throw new FileDamaged(`lacks page ${page} of ${pageCount}`);
  }

  #writeAll(): void {
    this.#stopAppending();
    // Sums of commits that a power cut may take would be those of another file.
    this.#tail.sync();
    writeSums(this.#path + SUMS_SUFFIX, { fileId: this.#fileId, number: this.#number }, this.#sums);
    this.#appendedCount = 0;
    this.#isBehind = false;
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
    if (this.#isBehind) return;
    try {
      this.#appending ??= openSync(this.#path + SUMS_SUFFIX, 'a');
      writeFully(this.#appending, appendedSums(this.#number, pages));
    } catch {
      this.#isBehind = true;
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

/** The pages of a file with their CRC-32, so many at most. A part of a page at its end is one too. */
function* pagesIn(file: number, first: number, count = Number.POSITIVE_INFINITY): Generator<[page: number, crc: number]> {
  const memory = Buffer.alloc(Math.min(count, PAGES_AT_ONCE) * PAGE_BYTES);
  const end = first + count;
  for (let page = first; page < end; ) {
    const wanted = Math.min(memory.length, (end - page) * PAGE_BYTES);
    const length = readSync(file, memory, 0, wanted, (page - 1) * PAGE_BYTES);
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
