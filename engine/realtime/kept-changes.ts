/**
 * Recent changes in files, so that a start can replay what was before it. They are written behind what is told and never waited for, and
 * nothing is lost with them but that: what does not lead up to where a start begins is thrown away.
 */
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { SCHEMA_DIGEST } from '#projection/schema.ts';
import { ENTRY, recordEntry, textEntry } from './kept-entries.ts';
import { type JournalPlace, type KeptHead, readKept } from './kept-reader.ts';
import type { KeptRecords } from './recent-changes.ts';

/** Another version's rows may be others; the number is for what they are packed like. */
const FORMAT = `1 ${SCHEMA_DIGEST}`;

/** The window is in so many files, beside the one that is written to. */
const FILES_IN_WINDOW = 4;
/** However small they are: each start begins one. */
const MOST_FILES = 32;
const WRITE_AFTER_MS = 100;
const WRITE_AFTER_BYTES = 262_144;
const FILE_NAME = /^[0-9]{12}\.changes$/;

/** With more that waits for the disk that is dropped: memory is bounded, and nobody waits for this. A start can come to as much at once. */
const MOST_WAITING_BYTES = 33_554_432;

interface KeptFile {
  readonly path: string;
  bytes: number;
  /** The window is whole without it: nothing is written to it any more. */
  isOld: boolean;
}

export interface KeptPorts extends Pick<RealtimeLimits, 'replayWindowBytes'> {
  /** Made if need be; it is this object's alone. */
  readonly directory: string;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  readonly onDefect: (defect: unknown) => void;
}

export class KeptChanges {
  readonly #ports: KeptPorts;
  /** The oldest first; the last is written to. */
  #files: KeptFile[] = [];
  /** To be removed. */
  #old: KeptFile[] = [];
  #number = 0;
  #columns = '';
  #group: CoveringGroup | undefined;
  /** What is to go into the last file. */
  #gathered: Buffer[] = [];
  #gatheredBytes = 0;
  #queue: { readonly file: KeptFile; readonly bytes: Buffer }[] = [];
  #queuedBytes = 0;
  #writing: Promise<void> | undefined;
  #timer: NodeJS.Timeout | undefined;
  #handle: { readonly file: KeptFile; readonly it: FileHandle } | undefined;
  #hasFailed = false;

  constructor(ports: KeptPorts) {
    this.#ports = ports;
  }

  /** What was kept up to where the journal is; `undefined` where that does not lead up to it, and then it is gone. Before anything is kept. */
  restore(at: JournalPlace): KeptRecords | undefined {
    try {
      this.#find();
      const paths = this.#files.map(({ path }) => path);
      const kept = readKept(paths, FORMAT, at);
      if (kept === undefined) for (const { path } of this.#files.splice(0)) rmSync(path, { force: true });
      return kept;
    } catch (error) {
      this.#fail(faultOfDisk(error));
      return undefined;
    }
  }

  /** `record` is packed, in columns as they are now. */
  add(sequence: number, group: CoveringGroup, record: Buffer, columns: string): void {
    const { replayWindowBytes } = this.#ports;
    const file = this.#files.at(-1);
    const isNewFile = this.#group === undefined || file === undefined || file.bytes >= replayWindowBytes / FILES_IN_WINDOW;
    if (isNewFile) this.#beginFile();
    if (isNewFile || columns !== this.#columns)
      this.#put(textEntry(ENTRY.head, JSON.stringify({ format: FORMAT, columns } satisfies KeptHead)));
    if (isNewFile || group.number !== this.#group?.number) this.#put(textEntry(ENTRY.group, JSON.stringify(group)));
    this.#put(recordEntry(sequence, record));
    this.#columns = columns;
    this.#group = group;
    if (this.#gatheredBytes >= WRITE_AFTER_BYTES) this.#write();
    else this.#timer ??= setTimeout(() => this.#write(), WRITE_AFTER_MS);
  }

  /** Everything that was added is written. */
  async close(): Promise<void> {
    this.#write();
    await this.#writing;
    await this.#handle?.it.close();
  }

  #find(): void {
    const { directory } = this.#ports;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = readdirSync(directory)
      .filter((name) => FILE_NAME.test(name))
      .sort();
    this.#number = Number.parseInt(names.at(-1) ?? '0', 10);
    this.#files = names.map((name) => {
      const path = join(directory, name);
      return { path, bytes: statSync(path).size, isOld: false };
    });
  }

  #beginFile(): void {
    this.#write();
    this.#number += 1;
    const name = `${String(this.#number).padStart(12, '0')}.changes`;
    this.#files.push({ path: join(this.#ports.directory, name), bytes: 0, isOld: false });
    const old = this.#files.splice(0, this.#countOfOld());
    for (const file of old) file.isOld = true;
    this.#old.push(...old);
  }

  /** Those without which the window is whole all the same. */
  #countOfOld(): number {
    const files = this.#files;
    const { replayWindowBytes } = this.#ports;
    let count = Math.max(0, files.length - MOST_FILES);
    let bytes = files.slice(count + 1).reduce((sum, file) => sum + file.bytes, 0);
    for (; bytes >= replayWindowBytes; count += 1) bytes -= files[count + 1]!.bytes;
    return count;
  }

  #put(entry: Buffer): void {
    this.#gathered.push(entry);
    this.#gatheredBytes += entry.length;
    this.#files.at(-1)!.bytes += entry.length;
  }

  #write(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#gathered.length === 0) return;
    const bytes = Buffer.concat(this.#gathered);
    this.#gathered = [];
    this.#gatheredBytes = 0;
    if (this.#queuedBytes + bytes.length > MOST_WAITING_BYTES) {
      this.#fail('the disk is behind');
      return;
    }
    this.#queue.push({ file: this.#files.at(-1)!, bytes });
    this.#queuedBytes += bytes.length;
    this.#writing ??= this.#writeQueue().catch(this.#ports.onDefect);
  }

  async #writeQueue(): Promise<void> {
    for (let next = this.#queue.shift(); next !== undefined; next = this.#queue.shift()) {
      try {
        if (!next.file.isOld) {
          await (await this.#opened(next.file)).appendFile(next.bytes);
          this.#hasFailed = false;
        }
      } catch (error) {
        this.#fail(faultOfDisk(error));
      }
      this.#queuedBytes -= next.bytes.length;
    }
    this.#writing = undefined;
  }

  async #opened(file: KeptFile): Promise<FileHandle> {
    if (this.#handle?.file === file) return this.#handle.it;
    const before = this.#handle;
    this.#handle = undefined;
    await before?.it.close();
    this.#handle = { file, it: await open(file.path, 'a', 0o600) };
    for (const { path } of this.#old.splice(0)) await rm(path, { force: true });
    return this.#handle.it;
  }

  /** What waits is dropped, and another file begun: a start sees the gap. */
  #fail(reason: string): void {
    for (const { bytes } of this.#queue.splice(0)) this.#queuedBytes -= bytes.length;
    this.#group = undefined;
    if (!this.#hasFailed) this.#ports.log(`realtime: a start will not replay what was before now: ${reason}`);
    this.#hasFailed = true;
  }
}

/** Anything else is a defect. */
function faultOfDisk(error: unknown): string {
  if (error instanceof Error && 'code' in error) return error.message;
  throw error;
}
