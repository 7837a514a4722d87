/**
 * A journal of real files and a projection that follows it, with time that the test controls: a venue's projection thread without
 * the thread.
 */
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel } from 'node:worker_threads';
import { expect, vi } from 'vitest';
import { receiveLiveRows } from '#host/live-rows-channel.ts';
import { type ProjectionCondition, ProjectionFollower } from '#host/projection-follower.ts';
import type { LiveRows } from '#projection/projection.ts';
import { History } from '#simulation/history.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { EpochMs } from '#units/money.ts';
import { auditDifferences } from '#venue/audit/state-audit.ts';
import type { Venue } from '#venue/venue.ts';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import type { StorageFile } from '#writer/journal/files.ts';
import { nodeFiles, readableNodeFiles } from '#writer/journal/node-files.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import { temporaryDirectory } from './test-venue.ts';

export class JournalFollower {
  readonly #directory = temporaryDirectory();
  readonly path = this.#directory.path;
  readonly file = join(this.path, 'projection.sqlite');
  readonly time = new ManualTime();
  readonly history = History.begin(2);
  readonly conditions: ProjectionCondition[] = [];
  readonly internalErrors: [error: unknown, isContradiction: boolean][] = [];
  lines: string[] = [];
  /** Negative after an internal error. */
  folded = 0;
  refusedReads = 0;
  /** The number of records of the history in the journal. */
  submitted = 0;
  /** The newest record that was published to the follower. */
  publishedSequence = 0;
  /** Runs before a journal file is opened for reading, and before it is closed. */
  beforeOpen = () => Promise.resolve();
  beforeClose = () => {};
  readonly #undo: (() => unknown)[] = [this.#directory.remove];
  #nowEpochMs = this.history.records[0]!.epochMs;
  #received = () => {};
  #writer: Writer<Venue> | undefined;
  follower = this.#opened();

  static async open(): Promise<JournalFollower> {
    const journal = new JournalFollower();
    journal.trade(30);
    await journal.#openWriter();
    journal.#goLive();
    return journal;
  }

  async close(): Promise<void> {
    await this.follower.close().catch(() => {});
    for (const step of this.#undo.splice(0).reverse()) await step();
  }

  /** Adds rounds to the history. */
  trade(rounds: number): void {
    for (let round = 0; round < rounds; round += 1) {
      this.history.limit(1, 'buy', 9_990 - (round % 30), 100);
      this.history.limit(1, 'sell', 10_010 + (round % 30), 100);
      this.history.market(2, round % 2 === 0 ? 'sell' : 'buy', 30);
    }
  }

  /** Submits the next commands of the history and publishes them to the follower. */
  async submit(count: number): Promise<void> {
    const next = this.history.records.slice(this.submitted, this.submitted + count);
    this.submitted += next.length;
    for (const { command, epochMs } of next) {
      this.#nowEpochMs = epochMs;
      await this.#writer!.submit({ command });
    }
  }

  /** Reopens after the follower was closed. It has not folded earlier records yet. */
  reopen(): void {
    this.follower = this.#opened();
  }

  /** Reopens with the earlier records folded. */
  reopenLive(): void {
    this.reopen();
    this.#goLive();
  }

  /** Expects that reads show the state of the venue. */
  expectTruth(): void {
    const shown = this.follower.projection;
    expect(shown.sequence).toBe(this.#writer!.status().sequence);
    const audit = this.#writer!.peek((venue) => venue.audit());
    expect(auditDifferences(audit, shown.audit())).toEqual([]);
  }

  get isReadable(): boolean {
    return this.follower.responses !== undefined;
  }

  /** The sequence in the file. */
  savedSequence(): unknown {
    const database = new DatabaseSync(this.file, { readOnly: true });
    const row = database.prepare('SELECT sequence FROM checkpoint').get();
    database.close();
    return row?.sequence;
  }

  /** Requests the rows of the live state. */
  requestRows(): Promise<LiveRows> {
    const { port1, port2 } = new MessageChannel();
    this.follower.sendRows(port1);
    return receiveLiveRows(port2);
  }

  /** The projection receives an event that it cannot fold, once. */
  plantContradiction(): void {
    vi.spyOn(this.follower.projection, 'follow').mockImplementationOnce(() => {
      throw new Error('an event names order 7, which does not exist');
    });
  }

  /** Resolves once `holds` returns true; checked after each log line of the follower. */
  until(holds: () => boolean): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#received = () => {
      try {
        if (holds()) resolve();
      } catch (failure) {
        reject(failure);
      }
    };
    this.#received();
    return promise;
  }

  rebuilt(): Promise<void> {
    return this.until(() => {
      expect(this.internalErrors).toEqual([]);
      return this.lines.some((line) => /folded again up to record/.test(line));
    });
  }

  stopped(): Promise<void> {
    return this.until(() => this.internalErrors.length > 0);
  }

  #goLive(): void {
    this.follower.live({ now: () => this.#nowEpochMs as EpochMs }, () => 0);
  }

  #opened(): ProjectionFollower {
    const journal = readableNodeFiles(join(this.path, 'journal'));
    return new ProjectionFollower({
      path: this.file,
      mayReplace: true,
      journal: { list: journal.list, open: (name) => this.#openToRead(() => journal.open(name)) },
      progress: { reach: (sequence) => (this.folded = sequence), fail: () => (this.folded = -1) },
      replayable: { sequence: Number.POSITIVE_INFINITY },
      steadyClock: this.time,
      timers: this.time,
      log: (line) => {
        this.lines.push(line);
        this.#received();
      },
      onCondition: (condition) => this.conditions.push(condition),
      refuseReads: () => (this.refusedReads += 1),
      onFatalError: (...error) => {
        this.internalErrors.push(error);
        this.#received();
      },
    });
  }

  async #openToRead(open: () => Promise<StorageFile>): Promise<StorageFile> {
    await this.beforeOpen();
    const file = await open();
    const close = () => {
      this.beforeClose();
      return file.close();
    };
    return { ...file, close };
  }

  async #openWriter(): Promise<void> {
    const lock = lockDirectory(this.path);
    this.#undo.push(() => lock.release());
    const writer = await openWriter({
      files: await nodeFiles(lock, 'journal'),
      clock: { now: () => this.#nowEpochMs as EpochMs },
      steadyClock: { elapsedMs: () => this.#nowEpochMs },
      timers: this.time,
      rules: venueRules,
      follow: ({ stored, records }) => {
        this.publishedSequence = records.at(-1)?.sequence ?? this.publishedSequence;
        this.follower.take([new Uint8Array(stored!.bytes)]);
      },
      followFrom: { sequence: 0 as never, chainDigest: '' },
      onHalt: (halt) => this.internalErrors.push([halt, false]),
      limits: { segmentBytes: 8_192 },
    });
    this.#undo.push(() => writer.close());
    this.#writer = writer;
  }
}

export function sqliteFault(message: string, errcode: number): Error {
  return Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });
}

/** SQLite rolls back the next commits, as on a full disk. */
export function fillDisk(): { empty: () => void; tries: () => number } {
  const real = DatabaseSync.prototype.exec;
  let tries = 0;
  const full = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql !== 'COMMIT') return real.call(this, sql);
    tries += 1;
    real.call(this, 'ROLLBACK');
    throw sqliteFault('database or disk is full', 13);
  });
  return { empty: () => full.mockRestore(), tries: () => tries };
}
