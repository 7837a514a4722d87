/**
 * One of the files that recent changes are kept in. It can be read without those before it: it says first what its records are written like,
 * and of each group what it is.
 */
import { constants } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { ENTRY, recordEntry, textEntry } from './kept-entries.ts';
import type { KeptHead } from './kept-reader.ts';
import type { Columns } from './packed-changes.ts';

/** One that was taken away is not made again: without its head nobody could read it. */
const GO_ON = constants.O_WRONLY | constants.O_APPEND;

export class KeptFile {
  readonly path: string;
  /** What waits to be written too. */
  bytes: number;
  /** Of those, what the disk has not taken yet. */
  waitingBytes = 0;
  readonly #format: string;
  #waiting: Buffer[] = [];
  #isMade = false;
  #columns: Columns | undefined;
  #group: number | undefined;

  /** One that was found has so many bytes, and nothing is added to it. */
  constructor(path: string, format: string, bytes = 0) {
    this.path = path;
    this.#format = format;
    this.bytes = bytes;
  }

  /** `record` is packed, in columns as they are now. */
  add(sequence: number, group: CoveringGroup, record: Buffer, columns: Columns): void {
    if (columns !== this.#columns)
      this.#put(textEntry(ENTRY.head, JSON.stringify({ format: this.#format, columns } satisfies KeptHead)));
    if (group.number !== this.#group) this.#put(textEntry(ENTRY.group, JSON.stringify(group)));
    this.#put(recordEntry(sequence, record));
    this.#columns = columns;
    this.#group = group.number;
  }

  /** All that waits now. Rejects where the disk does not take it. */
  async write(): Promise<void> {
    const bytes = Buffer.concat(this.#waiting.splice(0));
    if (!this.#isMade) await mkdir(dirname(this.path), { recursive: true, mode: 0o700 });
    await appendFile(this.path, bytes, { flag: this.#isMade ? GO_ON : 'wx', mode: 0o600 });
    this.#isMade = true;
    this.waitingBytes -= bytes.length;
  }

  #put(entry: Buffer): void {
    this.#waiting.push(entry);
    this.bytes += entry.length;
    this.waitingBytes += entry.length;
  }
}
