/** What the thread of the projection does where the disk takes nothing, and where the projection contradicts the journal. */
import { readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MessageChannel } from 'node:worker_threads';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { gathered, type LiveRows, openProjection } from '#projection/projection.ts';
import { History } from '#simulation/history.ts';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { EpochMs } from '#units/money.ts';
import { auditDifferences } from '#venue/audit/state-audit.ts';
import type { Venue } from '#venue/venue.ts';
import { lockDirectory } from '#writer/directory-lock.ts';
import type { ReadableFiles, StorageFile } from '#writer/files.ts';
import { nodeFiles, readableNodeFiles } from '#writer/node-files.ts';
import { venueRules } from '#writer/venue-rules.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import { receiveLiveRows } from './live-rows-channel.ts';
import { type ProjectionCondition, ProjectionFollower } from './projection-follower.ts';
import { temporaryDirectory } from './testing/test-venue.ts';

const undo: (() => unknown)[] = [];
let path: string;
let file: string;
let history: History;
let writer: Writer<Venue>;
let follower: ProjectionFollower;
let time: ManualTime;
let lines: string[];
let conditions: ProjectionCondition[];
let defects: [defect: unknown, isContradiction: boolean][];
let folded: number;
let heard: () => void;
let refusedReads: number;
/** Runs before a file of the journal is opened to be read, and before it is closed. */
let beforeOpen: () => Promise<void>;
let beforeClose: () => void;
/** How many records of the history are in the journal. */
let submitted: number;
/** The newest record that the follower was told of. */
let told: number;
let nowEpochMs: number;

beforeEach(async () => {
  const directory = temporaryDirectory();
  path = directory.path;
  file = join(path, 'projection.sqlite');
  undo.push(directory.remove);
  history = trading();
  heard = () => {};
  beforeOpen = () => Promise.resolve();
  beforeClose = () => {};
  [lines, conditions, defects] = [[], [], []];
  [submitted, told, folded, refusedReads, nowEpochMs] = [0, 0, 0, 0, history.records[0]!.epochMs];
  time = new ManualTime();
  const lock = lockDirectory(path);
  undo.push(() => lock.release());
  writer = await openWriter({
    files: await nodeFiles(lock, 'journal'),
    clock: { now: () => nowEpochMs as EpochMs },
    steadyClock: { elapsedMs: () => nowEpochMs },
    timers: time,
    rules: venueRules,
    follow: ({ stored, records }) => {
      told = records.at(-1)?.sequence ?? told;
      follower.take([new Uint8Array(stored!.bytes)]);
    },
    followFrom: { sequence: 0 as never, chainDigest: '' },
    onHalt: (halt) => defects.push([halt, false]),
    limits: { segmentBytes: 8_192 },
  });
  undo.push(() => writer.close());
  follower = opened();
  follower.live({ now: () => nowEpochMs as EpochMs }, () => 0);
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const step of undo.splice(0).reverse()) await step();
});

function trading(): History {
  const history = History.begin(2);
  trade(history, 30);
  return history;
}

function trade(history: History, rounds: number): void {
  for (let round = 0; round < rounds; round += 1) {
    history.limit(1, 'buy', 9_990 - (round % 30), 100);
    history.limit(1, 'sell', 10_010 + (round % 30), 100);
    history.market(2, round % 2 === 0 ? 'sell' : 'buy', 30);
  }
}

function opened(): ProjectionFollower {
  const journal = readableNodeFiles(join(path, 'journal'));
  const made = new ProjectionFollower({
    path: file,
    mayReplace: true,
    journal: { list: journal.list, open: (name) => openToRead(journal, name) },
    progress: { reach: (sequence) => (folded = sequence), fail: () => (folded = -1) },
    replayable: { sequence: Number.POSITIVE_INFINITY },
    steadyClock: time,
    timers: time,
    log: (line) => {
      lines.push(line);
      heard();
    },
    onCondition: (condition) => conditions.push(condition),
    refuseReads: () => (refusedReads += 1),
    onDefect: (...defect) => {
      defects.push(defect);
      heard();
    },
  });
  undo.push(() => made.close().catch(() => {}));
  return made;
}

async function openToRead(journal: ReadableFiles, name: string): Promise<StorageFile> {
  await beforeOpen();
  const file = await journal.open(name);
  const close = () => {
    beforeClose();
    return file.close();
  };
  return { ...file, close };
}

/** Resolves once that holds, which is looked at whenever the follower has something to say. */
function until(holds: () => boolean): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  heard = () => {
    try {
      if (holds()) resolve();
    } catch (failure) {
      reject(failure);
    }
  };
  heard();
  return promise;
}

/** The next commands of the history, which the follower is told of. */
async function submit(count: number): Promise<void> {
  const next = history.records.slice(submitted, submitted + count);
  submitted += next.length;
  for (const { command, epochMs } of next) {
    nowEpochMs = epochMs;
    await writer.submit({ command });
  }
}

/** Reads show the state of the venue. */
function expectTruth(): void {
  expect(follower.projection.sequence).toBe(writer.status().sequence);
  expect(
    auditDifferences(
      writer.peek((venue) => venue.audit()),
      follower.projection.audit(),
    ),
  ).toEqual([]);
}

const isReadable = () => follower.answers !== undefined;
const rebuilt = () =>
  until(() => {
    expect(defects).toEqual([]);
    return lines.some((line) => /folded again up to record/.test(line));
  });
const stopped = () => until(() => defects.length > 0);

/** The projection meets an event that it cannot fold, once. */
function plantContradiction(): void {
  vi.spyOn(follower.projection, 'follow').mockImplementationOnce(() => {
    throw new Error('an event names order 7, which was never made');
  });
}

/** SQLite rolls the next commits back, as it does on a full disk. */
function fillDisk(): { empty: () => void; tries: () => number } {
  const real = DatabaseSync.prototype.exec;
  let tries = 0;
  const full = vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementation(function (this: DatabaseSync, sql) {
    if (sql !== 'COMMIT') return real.call(this, sql);
    tries += 1;
    real.call(this, 'ROLLBACK');
    throw Object.assign(new Error('database or disk is full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
  });
  return { empty: () => full.mockRestore(), tries: () => tries };
}

test('folds again from the journal where an event contradicts what is folded, while the venue goes on', async () => {
  await submit(40);
  plantContradiction();
  await submit(1);
  expect(isReadable()).toBe(false);
  await submit(30);
  await rebuilt();
  expect(isReadable()).toBe(true);
  expectTruth();
  await submit(20);
  expectTruth();
  expect(lines).toEqual([
    `projection: ${file} contradicts the journal and is folded again from it, reads are refused until then: an event names order 7, which was never made`,
    expect.stringMatching(/^projection: folded again up to record \d+, reads go on$/),
  ]);
  expect(conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: false, rebuildCount: 1, writeFaultCount: 0 });
  expect(defects).toEqual([]);
  await follower.close();
  const again = openProjection(file, (line) => lines.push(line));
  expect(again.sequence).toBe(submitted);
  again.close();
  expect(lines).toHaveLength(2);
});

test('folds again while the journal goes on into segments that are made meanwhile', async () => {
  await submit(40);
  trade(history, 400);
  // More than a segment holds, each time after the segments were listed.
  let last = Promise.resolve();
  beforeOpen = () => (last = last.then(() => submit(25)));
  plantContradiction();
  await submit(1);
  await rebuilt();
  await last;
  expect(readdirSync(join(path, 'journal')).filter((name) => name.startsWith('segment-')).length).toBeGreaterThan(1);
  expectTruth();
});

test('shows no older state when the disk is full right after it folded again', async () => {
  await submit(40);
  plantContradiction();
  await submit(1);
  await rebuilt();
  const disk = fillDisk();
  await submit(1);
  await time.advance(3_000);
  expect(disk.tries()).toBeGreaterThan(0);
  expectTruth();
  disk.empty();
  await time.advance(60_000);
  await submit(1);
  expectTruth();
  expect(defects).toEqual([]);
});

test('sends the rows as of the record at which they were asked for, though that is folded again later', async () => {
  await submit(40);
  plantContradiction();
  await submit(1);
  const { port1, port2 } = new MessageChannel();
  follower.sendRows(port1);
  const rows = receiveLiveRows(port2);
  await submit(20);
  await rebuilt();
  expect((await rows).sequence).toBe(41);
  expectTruth();
});

/** Asks for the rows that can still change. */
function rowsWanted(): Promise<LiveRows> {
  const { port1, port2 } = new MessageChannel();
  follower.sendRows(port1);
  return receiveLiveRows(port2);
}

/** The next time that rows are read, the first piece comes, and then that. */
function plantInRows(fault: () => never): void {
  const { projection } = follower;
  const real = projection.livePieces;
  const failing = function* () {
    for (const piece of real(1).pieces) {
      yield piece;
      fault();
    }
  };
  vi.spyOn(projection, 'livePieces').mockImplementationOnce(() => ({ ...real(), pieces: failing() }));
}

const sqliteFault = (message: string, errcode: number) =>
  Object.assign(new Error(message), { code: 'ERR_SQLITE_ERROR', errcode });

async function expectSound(rows: Promise<LiveRows>): Promise<void> {
  expect(await rows).toEqual(structuredClone(gathered(follower.projection.livePieces())));
}

test('sends the rows once it is folded again if they turn out damaged while they are sent', async () => {
  await submit(40);
  plantInRows(() => {
    throw sqliteFault('database disk image is malformed', 11);
  });
  const rows = rowsWanted();
  expect(isReadable()).toBe(false);
  await rebuilt();
  await expectSound(rows);
  expect(defects).toEqual([]);
});

test('sends the rows later if the disk does not give them', async () => {
  await submit(40);
  plantInRows(() => {
    throw sqliteFault('disk I/O error', 10);
  });
  const rows = rowsWanted();
  await time.advance(5_000);
  await expectSound(rows);
  expect(conditions.at(-1)?.rebuildCount ?? 0).toBe(0);
});

test('folds what SQLite has rolled back while rows were sent, and sends them', async () => {
  await submit(20);
  await time.advance(3_000);
  const begin = vi.spyOn(DatabaseSync.prototype, 'exec');
  await submit(20);
  const database = begin.mock.contexts.at(-1) as DatabaseSync;
  plantInRows(() => {
    database.exec('ROLLBACK');
    throw sqliteFault('database or disk is full', 13);
  });
  const rows = rowsWanted();
  await time.advance(5_000);
  await expectSound(rows);
  expectTruth();
  expect(conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: false, rebuildCount: 0, writeFaultCount: 1 });
});

test('sends rows that are requested at any time of folding again', async () => {
  await submit(40);
  trade(history, 60);
  beforeOpen = () => submit(25);
  const requested: { readonly told: number; readonly rows: Promise<LiveRows> }[] = [];
  const request = () => requested.push({ told, rows: rowsWanted() });
  beforeClose = request;
  plantContradiction();
  await submit(1);
  request();
  await rebuilt();
  expect(requested.length).toBeGreaterThan(3);
  for (const { told, rows } of requested) expect((await rows).sequence).toBeGreaterThanOrEqual(told);
});

test('sends no rows that are older than what was published before they were requested', async () => {
  await submit(40);
  await time.advance(3_000);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await submit(20);
  expect(follower.projection.sequence).toBe(40);
  const rows = rowsWanted();
  other.exec('ROLLBACK');
  other.close();
  await time.advance(10_000);
  expect((await rows).sequence).toBe(60);
});

test('closes at once while folding again waits for the disk', async () => {
  await submit(40);
  const disk = fillDisk();
  plantContradiction();
  await submit(1);
  await until(() => conditions.at(-1)!.isUnwritten);
  await follower.close();
  disk.empty();
  expect(defects).toEqual([]);
  follower = opened();
  expect(follower.projection.sequence).toBe(0);
});

test('closes without keeping what contradicts the journal', async () => {
  await submit(40);
  await time.advance(3_000);
  await submit(10);
  plantContradiction();
  const closed = Promise.withResolvers<void>();
  beforeOpen = async () => closed.resolve(follower.close());
  await submit(1);
  await closed.promise;
  expect(openedSequence()).toBe(40);
  expect(defects).toEqual([]);
});

test('says how far it is while folding again takes long', async () => {
  await submit(40);
  const disk = fillDisk();
  plantContradiction();
  await submit(1);
  await until(() => conditions.at(-1)!.isUnwritten);
  await time.advance(30_000);
  expect(lines.at(-1)).toBe('projection: 0 of 41 records are folded again');
  disk.empty();
  await time.advance(60_000);
  await rebuilt();
  expectTruth();
});

test('refuses the reads that are under way when it finds a contradiction', async () => {
  await submit(40);
  plantContradiction();
  expect(refusedReads).toBe(0);
  await submit(1);
  expect(refusedReads).toBe(1);
});

test('waits longer before each time that it folds again, and stops the venue if that does not last', async () => {
  await submit(1);
  const waits = [0, 1_000, 4_000, 16_000, 64_000, 256_000];
  for (const [index, waitMs] of waits.entries()) {
    lines = [];
    plantContradiction();
    await submit(1);
    if (waitMs > 0) await time.advance(waitMs - 1);
    expect(conditions.at(-1)).toMatchObject({ isRebuilding: true, rebuildCount: index + 1 });
    await time.advance(1);
    await rebuilt();
    expectTruth();
  }
  plantContradiction();
  await submit(1);
  await stopped();
  expect(String(defects[0]![0])).toMatch(
    /order 7.+ cannot be folded again .+ it was folded again 6 times, and none of them lasted/,
  );
});

test('folds again at once where the last time was long ago', async () => {
  await submit(1);
  for (let count = 1; count <= 7; count += 1) {
    lines = [];
    plantContradiction();
    await submit(1);
    await rebuilt();
    time.pass(3_700_000);
  }
  expect(conditions.at(-1)).toMatchObject({ isRebuilding: false, rebuildCount: 7 });
});

test('stops the venue where the journal contradicts itself as well: that is a defect', async () => {
  await submit(40);
  plantContradiction();
  const prepare = vi.spyOn(DatabaseSync.prototype, 'prepare');
  prepare.mockImplementation(() => {
    throw new TypeError('planted in the fold');
  });
  await submit(1);
  await stopped();
  expect(defects[0]).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/order 7.+ cannot be folded again .+planted/) }),
    false,
  ]);
  expect(folded).toBe(-1);
});

test('stops the venue and leaves the file where the journal does not go back to its first record', async () => {
  await submit(90);
  await time.advance(3_000);
  expect(openedSequence()).toBe(90);
  const journal = join(path, 'journal');
  const [first] = readdirSync(journal)
    .filter((name) => name.startsWith('segment'))
    .sort();
  renameSync(join(journal, first!), join(path, 'away'));
  plantContradiction();
  await submit(1);
  await stopped();
  expect(String(defects[0]![0])).toMatch(/order 7.+ cannot be folded again/);
  expect(openedSequence()).toBe(90);
});

function openedSequence(): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT sequence FROM checkpoint').get();
  database.close();
  return row?.sequence;
}

test('finds a page of the file that is another one while the venue runs, and folds again', async () => {
  await submit(60);
  await follower.close();
  follower = opened();
  follower.live({ now: () => nowEpochMs as EpochMs }, () => 0);
  const bytes = readFileSync(file);
  bytes[bytes.length - 100]! ^= 1;
  writeFileSync(file, bytes);
  await time.advance(1_000);
  await rebuilt();
  expectTruth();
  expect(lines[0]).toMatch(/is not as it was written \(page \d+\)$/);
});

test('folds again where a sector of the file cannot be read, and not where too many files are open', async () => {
  await submit(60);
  const fail = (code: string, syscall: string) =>
    vi.spyOn(follower.projection, 'verifySome').mockImplementationOnce(() => {
      throw Object.assign(new Error(`${code}: ${syscall}`), { code, syscall });
    });
  fail('EMFILE', 'open');
  await time.advance(1_000);
  expect(isReadable()).toBe(true);
  fail('EIO', 'read');
  await time.advance(1_000);
  await rebuilt();
  expectTruth();
  expect(lines[0]).toMatch(/EIO: read$/);
});

test('closes in the middle of folding again, and the next start goes on', async () => {
  await submit(90);
  plantContradiction();
  await submit(1);
  await follower.close();
  expect(defects).toEqual([]);
  follower = opened();
  expect(follower.projection.sequence).toBeLessThan(91);
});

test('at a start says that the projection contradicts the journal, for whoever started it to begin again', async () => {
  await follower.close();
  rmSync(file);
  follower = opened();
  await submit(40);
  plantContradiction();
  await submit(1);
  expect(defects).toEqual([[expect.objectContaining({ message: expect.stringContaining('order 7') }), true]]);
  expect(folded).toBe(-1);
});

test('reads on with what is folded while the disk is full, tries again ever later, and loses nothing', async () => {
  await submit(40);
  await time.advance(3_000);
  const disk = fillDisk();
  await submit(20);
  await time.advance(3_000);
  expect(disk.tries()).toBe(1);
  expectTruth();
  await submit(20);
  expectTruth();
  await time.advance(60_000);
  expect(disk.tries()).toBe(6);
  expect(conditions.at(-1)).toEqual({ isRebuilding: false, isUnwritten: true, rebuildCount: 0, writeFaultCount: 6 });
  expectTruth();
  disk.empty();
  await time.advance(30_000);
  expect(conditions.at(-1)).toMatchObject({ isUnwritten: false });
  await submit(5);
  expectTruth();
  expect(lines).toEqual([
    'projection: the disk does not take what is folded, which is tried again: database or disk is full',
    'projection: the disk takes what is folded again',
  ]);
  await follower.close();
  expect(defects).toEqual([]);
  follower = opened();
  expect(follower.projection.sequence).toBe(85);
});

test('closes on a full disk with what was written before, and the next start folds the rest', async () => {
  await submit(40);
  await time.advance(3_000);
  const disk = fillDisk();
  await submit(20);
  await follower.close();
  disk.empty();
  expect(defects).toEqual([]);
  expect(lines).toEqual([expect.stringMatching(/^projection: the file is not up to date, the next start folds the rest again/)]);
  follower = opened();
  expect(follower.projection.sequence).toBe(40);
});

test('waits for a file that another program has locked, and shows what it has until then', async () => {
  await submit(40);
  await time.advance(3_000);
  const other = new DatabaseSync(file);
  other.exec('BEGIN IMMEDIATE');
  await submit(20);
  expect(follower.projection.sequence).toBe(40);
  expect(folded).toBe(40);
  expect(isReadable()).toBe(true);
  other.exec('ROLLBACK');
  other.close();
  await time.advance(10_000);
  expectTruth();
  expect(conditions.at(-1)).toMatchObject({ isUnwritten: false, rebuildCount: 0 });
  expect(defects).toEqual([]);
});
