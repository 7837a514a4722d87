/**
 * One file of the replay log. It can be read without the files before it: it states the format and columns of its records, and
 * the group of each.
 */
import { constants } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CoveringGroup } from '#projection/record-changes.ts';
import type { Columns } from './packed-changes.ts';
import { ENTRY, recordEntry, textEntry } from './replay-log-entries.ts';
import type { ReplayLogHeader } from './replay-log-reader.ts';

/** Opens existing files only: a file that was removed would be recreated without its header, unreadable. */
const APPEND_FLAGS = constants.O_WRONLY | constants.O_APPEND;

export class ReplayLogFile {
  readonly path: string;
  /** Size, including bytes that wait to be written. */
  bytes: number;
  /** The part of it that waits to be written. */
  waitingBytes = 0;
  readonly #format: string;
  #waiting: Buffer[] = [];
  #isMade = false;
  #columns: Columns | undefined;
  #group: number | undefined;

  /** `bytes` is the size of an existing file, to which nothing is added. */
  constructor(path: string, format: string, bytes = 0) {
    this.path = path;
    this.#format = format;
    this.bytes = bytes;
  }

  /** `record` is packed, in the current columns. */
  add(sequence: number, group: CoveringGroup, record: Buffer, columns: Columns): void {
    if (columns !== this.#columns)
      this.#put(textEntry(ENTRY.head, JSON.stringify({ format: this.#format, columns } satisfies ReplayLogHeader)));
    if (group.number !== this.#group) this.#put(textEntry(ENTRY.group, JSON.stringify(group)));
    this.#put(recordEntry(sequence, record));
    this.#columns = columns;
    this.#group = group.number;
  }

  /** Writes all waiting bytes. Rejects if the disk refuses. */
  async write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting.splice(0));
    if (!this.#isMade) await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await appendFile(this.path, bytes, { flag: this.#isMade ? APPEND_FLAGS : 'wx', mode: 0o600 });
    this.#isMade = true;
    this.waitingBytes -= bytes.length;
  }

  #put(entry: Buffer): void {
    this.#waiting.push(entry);
    this.bytes += entry.length;
    this.waitingBytes += entry.length;
  }
}
