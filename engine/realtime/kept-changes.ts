/**
 * Recent changes in files, so that a start can replay what was before it. They are written behind what is told and never waited for, and
 * nothing is lost with them but that: what does not lead up to where a start begins is thrown away.
 */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { SCHEMA_DIGEST } from '#projection/schema.ts';
import { sleep, type Timers, withTimeout } from '#time/timers.ts';
import { setAside, setAsideUnlessFile } from '#writer/journal/set-aside.ts';
import { KeptFile } from './kept-file.ts';
import { type JournalPlace, readKept } from './kept-reader.ts';
import type { Columns } from './packed-changes.ts';
import type { RecentChanges } from './recent-changes.ts';

/** What the files are written like: `kept-layout.test.ts` tells when it is another. */
export const KEPT_LAYOUT = 2;
/** Another version's rows may be others. */
const FORMAT = `${KEPT_LAYOUT} ${SCHEMA_DIGEST}`;

/** The window is in so many files, beside the one that is written to. */
const FILES_IN_WINDOW = 4;
/** However small they are: each start begins one. */
const MOST_FILES = 32;
/** What comes within this, and while the disk has something to write, is written at once. */
const GATHERED_MS = 10;
/** After the disk took nothing. */
const TRIED_AGAIN_MS = 1_000;
/** A disk that has not taken the last of it by then is not waited for. */
const CLOSING_MS = 1_000;
const FILE_NAME = /^[0-9]{12}\.changes$/;

/** With more that waits for the disk that is dropped: memory is bounded, and nobody waits for this. */
const MOST_WAITING_BYTES = 33_554_432;

export interface KeptPorts extends Pick<RealtimeLimits, 'replayWindowBytes'> {
  /** Made if need be; it is this object's alone. */
  readonly directory: string;
  readonly timers: Timers;
  /** Hears up to which record the disk has been asked to take: whether it has or not, there is nothing more to wait for. */
  readonly onKept: (sequence: number) => void;
  /** Takes lines for people. */
  readonly log: (line: string) => void;
  /** Takes what is no fault of the disk. */
  readonly onInternalError: (error: unknown) => void;
}

export class KeptChanges {
  readonly #ports: KeptPorts;
  /** The oldest first. */
  #files: KeptFile[] = [];
  /** Of those the last, once something was added. */
  #current: KeptFile | undefined;
  /** To be removed. */
  readonly #old: KeptFile[] = [];
  /** That of the newest file. */
  #number = 0;
  #newestSequence = 0;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(ports: KeptPorts) {
    this.#ports = ports;
  }

  /** Puts there what was kept up to where the journal is. What does not lead up to it is thrown away, with a line. Before anything is kept. */
  restore(at: JournalPlace, recent: Pick<RecentChanges, 'restore' | 'oldest'>): void {
    try {
      const isNew = !this.#hasFolder();
      const asides = this.#find();
      const paths = this.#files.map(({ path }) => path);
      const { kept, problem, useless } = readKept(paths, FORMAT, at);
      if (kept !== undefined) recent.restore(kept);
      this.#throwAway(useless);
      // A start at the first record lacks nothing.
      const isLacking = problem !== undefined && at.sequence > 0 && !isNew;
      const lacks = `what was before record ${recent.oldest + 1} cannot be replayed: ${problem}`;
      const news = [...(isLacking ? [lacks] : []), ...asides];
      if (news.length > 0) this.#ports.log(`realtime: ${news.join('; ')}`);
    } catch (error) {
      // Whatever is wrong with them: no venue stays away for what it can do without.
      this.#fail(String(error));
    }
  }

  /** `record` is packed, in columns as they are now. */
  add(sequence: number, group: CoveringGroup, record: Buffer, columns: Columns): void {
    const isFull = (this.#current?.bytes ?? 0) >= this.#ports.replayWindowBytes / FILES_IN_WINDOW;
    if (this.#current === undefined || isFull) this.#current = this.#begunFile();
    this.#current.add(sequence, group, record, columns);
    this.#newestSequence = sequence;
    if (this.#waitingBytes > MOST_WAITING_BYTES) this.#fail('the disk is behind');
    this.#wake();
  }

  /** What was added is written, if the disk takes it. */
  async close(): Promise<void> {
    if (this.#writing !== undefined) await withTimeout(this.#ports.timers, this.#writing, CLOSING_MS, { ref: false });
  }

  /** What else stands in its place is set aside. */
  #hasFolder(): boolean {
    const { directory, log } = this.#ports;
    const found = statSync(directory, { throwIfNoEntry: false }) ?? lstatSync(directory, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return found !== undefined;
    const before = `was no folder and is one again (what it was is in ${setAside(directory)})`;
    log(`realtime: ${directory} ${before}: what was before now cannot be replayed`);
    return false;
  }

  /** Returns what was set aside, for people: what is no file, in the place of one. */
  #find(): readonly string[] {
    const { directory } = this.#ports;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = readdirSync(directory)
      .filter((name) => FILE_NAME.test(name))
      .sort();
    const asides: string[] = [];
    for (const name of names) {
      const path = join(directory, name);
      const aside = setAsideUnlessFile(path);
      if (aside !== undefined) asides.push(`${name} ${aside}`);
      else {
        this.#files.push(new KeptFile(path, FORMAT, statSync(path).size));
        this.#number = Number.parseInt(name, 10);
      }
    }
    return asides;
  }

  async #remove(path: string): Promise<void> {
    const aside = setAsideUnlessFile(path);
    if (aside === undefined) await rm(path, { force: true });
    else this.#ports.log(`realtime: ${basename(path)} ${aside}`);
  }

  #begunFile(): KeptFile {
    this.#number += 1;
    const name = `${String(this.#number).padStart(12, '0')}.changes`;
    const file = new KeptFile(join(this.#ports.directory, name), FORMAT);
    this.#files.push(file);
    this.#old.push(...this.#files.splice(0, this.#countOfOld()));
    return file;
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

  get #waitingBytes(): number {
    return this.#files.reduce((sum, { waitingBytes }) => sum + waitingBytes, 0);
  }

  #wake(): void {
    this.#writing ??= this.#write();
  }

  async #write(): Promise<void> {
    do {
      await sleep(this.#ports.timers, this.#hasFailed ? TRIED_AGAIN_MS : GATHERED_MS);
      const sequence = this.#newestSequence;
      try {
        for (const { path } of this.#old.splice(0)) await this.#remove(path);
        for (const file of this.#files.filter(({ waitingBytes }) => waitingBytes > 0)) await file.write();
        this.#hasFailed = false;
      } catch (error) {
        this.#fail(error instanceof Error ? error.message : String(error));
        if (!isFaultOfDisk(error)) this.#ports.onInternalError(error);
      }
      this.#ports.onKept(sequence);
    } while (this.#waitingBytes > 0);
    this.#writing = undefined;
  }

  /** A start would see the gap: with what is dropped all is useless that was before it. */
  #fail(reason: string): void {
    this.#throwAway();
    if (!this.#hasFailed) this.#ports.log(`realtime: a start will not replay what was before now: ${reason}`);
    this.#hasFailed = true;
  }

  #throwAway(paths: readonly string[] = this.#files.map(({ path }) => path)): void {
    this.#old.push(...this.#files.filter(({ path }) => paths.includes(path)));
    this.#files = this.#files.filter(({ path }) => !paths.includes(path));
    this.#current = undefined;
    if (this.#old.length > 0) this.#wake();
  }
}

function isFaultOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
