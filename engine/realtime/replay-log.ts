/**
 * The replay log: the latest changes in files, so that a start can replay earlier changes. Written behind publishing, which never
 * waits for it. Losing it costs only replays: what does not lead up to the start is discarded.
 */
import { lstatSync, mkdirSync, readdirSync, statSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import type { CoveringGroup } from '#projection/record-changes.ts';
import { SCHEMA_DIGEST } from '#projection/schema.ts';
import { sleep, type Timers, withTimeout } from '#time/timers.ts';
import { quarantine, quarantineUnlessFile } from '#writer/journal/quarantine.ts';
import type { Columns } from './packed-changes.ts';
import type { ReplayBuffer } from './replay-buffer.ts';
import { ReplayLogFile } from './replay-log-file.ts';
import { type JournalPoint, readReplayLog } from './replay-log-reader.ts';

/** Version of the file layout: `replay-log-layout.test.ts` fails if the layout changes without it. */
export const REPLAY_LOG_LAYOUT = 5;
/** Includes the schema: another version may have other rows. */
const FORMAT = `${REPLAY_LOG_LAYOUT} ${SCHEMA_DIGEST}`;

/** The window is spread over this many files, beside the one that is written to. */
const FILES_IN_WINDOW = 4;
/** Bounds the number of small files: each start creates one. */
const MAX_FILES = 32;
/** Changes within this time, or while the disk is writing, are written together. */
const BATCH_MS = 10;
/** The delay after a failed write. */
const RETRY_MS = 1_000;
/** How long a close waits for the disk. */
const CLOSE_TIMEOUT_MS = 1_000;
const FILE_NAME = /^[0-9]{12}\.changes$/;

/** If more waits for the disk, the log is discarded: memory is bounded, and publishing does not wait. */
const MAX_BUFFERED_BYTES = 33_554_432;

export interface ReplayLogPorts extends Pick<RealtimeLimits, 'replayWindowBytes'> {
  /** Created if missing; used by this object alone. */
  readonly directory: string;
  readonly timers: Timers;
  /** Called with the newest record whose write was tried, successfully or not. */
  readonly onReplayLogOpened: (sequence: number) => void;
  /** Receives log lines. */
  readonly log: (line: string) => void;
  /** Receives errors that the disk did not cause. */
  readonly onInternalError: (error: unknown) => void;
}

export class ReplayLog {
  readonly #ports: ReplayLogPorts;
  /** Oldest first. */
  #files: ReplayLogFile[] = [];
  /** The last of the files, once something was added. */
  #current: ReplayLogFile | undefined;
  /** Files to be removed. */
  readonly #old: ReplayLogFile[] = [];
  /** Number of the newest file. */
  #number = 0;
  #newestSequence = 0;
  #writing: Promise<void> | undefined;
  #hasFailed = false;

  constructor(ports: ReplayLogPorts) {
    this.#ports = ports;
  }

  /**
   * Restores the changes up to the journal's `at` into `recent`. Discards files that do not lead up to it, and logs that. Call it
   * before `add`.
   */
  restore(at: JournalPoint, recent: Pick<ReplayBuffer, 'restore' | 'oldest'>): void {
    try {
      const isNew = !this.#ensureDirectory();
      const asides = this.#find();
      const paths = this.#files.map(({ path }) => path);
      const { records, problem, unusablePaths } = readReplayLog(paths, FORMAT, at);
      if (records !== undefined) recent.restore(records);
      this.#discard(unusablePaths);
      // A start at the first record misses nothing.
      const isMissing = problem !== undefined && at.sequence > 0 && !isNew;
      const lacks = `updates before record ${recent.oldest + 1} cannot be replayed: ${problem}`;
      const news = [...(isMissing ? [lacks] : []), ...asides];
      if (news.length > 0) this.#ports.log(`realtime: ${news.join('; ')}`);
    } catch (error) {
      // Whatever is wrong with the files: the venue can start without them.
      this.#fail(String(error));
    }
  }

  /** `record` is packed, in the current columns. */
  add(sequence: number, group: CoveringGroup, record: Buffer, columns: Columns): void {
    const isFull = (this.#current?.bytes ?? 0) >= this.#ports.replayWindowBytes / FILES_IN_WINDOW;
    if (this.#current === undefined || isFull) this.#current = this.#currentFile();
    this.#current.add(sequence, group, record, columns);
    this.#newestSequence = sequence;
    if (this.#waitingBytes > MAX_BUFFERED_BYTES) this.#fail('the disk is too slow');
    this.#wake();
  }

  /** Waits until all added changes are written, up to a limit. */
  async close(): Promise<void> {
    if (this.#writing !== undefined) await withTimeout(this.#ports.timers, this.#writing, CLOSE_TIMEOUT_MS, { ref: false });
  }

  /** Sets aside anything else that is in its place. */
  #ensureDirectory(): boolean {
    const { directory, log } = this.#ports;
    const found = statSync(directory, { throwIfNoEntry: false }) ?? lstatSync(directory, { throwIfNoEntry: false });
    if (found === undefined || found.isDirectory()) return found !== undefined;
    const before = `was not a directory and was replaced by one (it is now ${quarantine(directory)})`;
    log(`realtime: ${directory} ${before}: earlier updates cannot be replayed`);
    return false;
  }

  /** Returns log texts about entries that were set aside because they have the name of a file and are not files. */
  #find(): readonly string[] {
    const { directory } = this.#ports;
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const names = readdirSync(directory)
      .filter((name) => FILE_NAME.test(name))
      .sort();
    const asides: string[] = [];
    for (const name of names) {
      const path = join(directory, name);
      const aside = quarantineUnlessFile(path);
      if (aside !== undefined) asides.push(`${name} ${aside}`);
      else {
        this.#files.push(new ReplayLogFile(path, FORMAT, statSync(path).size));
        this.#number = Number.parseInt(name, 10);
      }
    }
    return asides;
  }

  async #remove(path: string): Promise<void> {
    const aside = quarantineUnlessFile(path);
    if (aside === undefined) await rm(path, { force: true });
    else this.#ports.log(`realtime: ${basename(path)} ${aside}`);
  }

  #currentFile(): ReplayLogFile {
    this.#number += 1;
    const name = `${String(this.#number).padStart(12, '0')}.changes`;
    const file = new ReplayLogFile(join(this.#ports.directory, name), FORMAT);
    this.#files.push(file);
    this.#old.push(...this.#files.splice(0, this.#countOfOld()));
    return file;
  }

  /** The number of oldest files without which the rest still covers the window. */
  #countOfOld(): number {
    const files = this.#files;
    const { replayWindowBytes } = this.#ports;
    let count = Math.max(0, files.length - MAX_FILES);
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
      await sleep(this.#ports.timers, this.#hasFailed ? RETRY_MS : BATCH_MS);
      const sequence = this.#newestSequence;
      try {
        for (const { path } of this.#old.splice(0)) await this.#remove(path);
        for (const file of this.#files.filter(({ waitingBytes }) => waitingBytes > 0)) await file.write();
        this.#hasFailed = false;
      } catch (error) {
        this.#fail(error instanceof Error ? error.message : String(error));
        if (!isFaultOfDisk(error)) this.#ports.onInternalError(error);
      }
      this.#ports.onReplayLogOpened(sequence);
    } while (this.#waitingBytes > 0);
    this.#writing = undefined;
  }

  /** Discards the files: a start would stop at the gap, so everything before it is useless. */
  #fail(reason: string): void {
    this.#discard();
    if (!this.#hasFailed) this.#ports.log(`realtime: updates before now cannot be replayed after a restart: ${reason}`);
    this.#hasFailed = true;
  }

  #discard(paths: readonly string[] = this.#files.map(({ path }) => path)): void {
    this.#old.push(...this.#files.filter(({ path }) => paths.includes(path)));
    this.#files = this.#files.filter(({ path }) => !paths.includes(path));
    this.#current = undefined;
    if (this.#old.length > 0) this.#wake();
  }
}

function isFaultOfDisk(error: unknown): boolean {
  return error instanceof Error && 'code' in error;
}
