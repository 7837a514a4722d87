/** A database file is accepted as SQLite left it at any time, and rejected once a part of it has changed. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { seededRandom } from '#simulation/seeded-random.ts';
import type { Sequence } from '#units/ids.ts';
import { LogTail } from './log-frames.ts';
import { PageSums } from './page-sums.ts';
import { FileDamaged } from './page-sums-file.ts';
import type { TradeRow } from './rows.ts';
import { openStore, type ProjectionStore } from './store.ts';

const PAGE = 4_096;
const SUFFIXES = ['', '-wal', '-sums'] as const;
type Suffix = (typeof SUFFIXES)[number];
/** The files at one time. */
type Scene = Readonly<Record<Suffix, Buffer | undefined>>;

/** Short, so that the log is copied every few commits. */
const LONG_LOG_BYTES = 40 * PAGE;
const COMMITS = 26;

const folder = mkdtempSync(join(tmpdir(), 'page-sums-'));
const path = join(folder, 'projection.sqlite');
/** The rows of the tables at each commit. */
const truth = new Map<number, string>();
/** Times at which the process may end. */
const scenes: Scene[] = [];
/** Times before and after pages of the log are copied to the database file. */
const copies: { before: Scene; after: Scene }[] = [];
/** The durable lengths of the sums and of the log after a power cut. */
const synced = new Map<Scene, { readonly sums: number; readonly log: number }>();

beforeAll(() => {
  let syncedBytes = 0;
  let syncedLogBytes = 0;
  let base = '';
  const take = (): Scene => {
    const scene = Object.fromEntries(
      SUFFIXES.map((suffix) => [suffix, existsSync(path + suffix) ? readFileSync(path + suffix) : undefined]),
    ) as Scene;
    scenes.push(scene);
    const sums = scene['-sums']!;
    const log = scene['-wal']?.length ?? 0;
    // A rewritten file of sums is complete, and so is its log.
    if (sums.toString('latin1', 0, 36) !== base) [syncedBytes, syncedLogBytes] = [sums.length, log];
    base = sums.toString('latin1', 0, 36);
    synced.set(scene, { sums: Math.min(syncedBytes, sums.length), log: Math.min(syncedLogBytes, log) });
    return scene;
  };
  let before: Scene | undefined;
  const around = (method: 'committed' | 'sync' | 'settle') => {
    const real = PageSums.prototype[method];
    vi.spyOn(PageSums.prototype, method).mockImplementation(function (this: PageSums) {
      take();
      real.call(this);
      if (method === 'sync') syncedBytes = readFileSync(`${path}-sums`).length;
      before = take();
    });
  };
  for (const method of ['committed', 'sync', 'settle'] as const) around(method);
  const copied = PageSums.prototype.logIsCopied;
  vi.spyOn(PageSums.prototype, 'logIsCopied').mockImplementation(function (this: PageSums) {
    copies.push({ before: before!, after: take() });
    copied.call(this);
  });
  const random = seededRandom(7);
  let store = openStore(path, undefined, LONG_LOG_BYTES);
  truth.set(0, everything(path));
  for (let sequence = 1; sequence <= COMMITS; sequence += 1) {
    for (let fold = 0; fold < 3; fold += 1) change(store, sequence, random);
    store.save();
    truth.set(sequence, everything(path));
    take();
    if (sequence % 6 !== 0) continue;
    const killed = take();
    store.close();
    take();
    // Every other time it continues from where it was killed.
    if (sequence % 12 === 0) put(path, killed);
    store = openStore(path, undefined, LONG_LOG_BYTES);
    take();
  }
  store.close();
  take();
  vi.restoreAllMocks();
});
afterAll(() => rmSync(folder, { recursive: true }));

function change(store: ProjectionStore, sequence: number, random: () => number): void {
  store.fold(() => {
    for (let row = 0; row < 10; row += 1) {
      const number = Math.floor(random() * 1_000_000_000);
      const trade = { trade: number, market: number % 3, origin: 'client', takerSide: 'buy', priceAtoms: number, sequence };
      store.trades.put({ ...trade, quantityAtoms: 1, notionalAtoms: 1, executedAtEpochMs: number } as unknown as TradeRow);
    }
    store.ledgers.put({ ledger: 'fees', balanceAtoms: Math.floor(random() * 1_000_000) as never });
    return { ...store.checkpoint, sequence: sequence as Sequence, chainDigest: `chain ${sequence}` };
  });
}

function everything(file: string): string {
  const database = new DatabaseSync(file);
  try {
    const tables = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'file' ORDER BY name").all();
    const rows = tables.map(({ name }) => database.prepare(`SELECT * FROM ${name}`).all());
    const byIndex = database.prepare('SELECT trade, market FROM trades INDEXED BY tradesByMarket ORDER BY market, trade').all();
    return createHash('sha256')
      .update(JSON.stringify([rows, byIndex]))
      .digest('hex');
  } finally {
    database.close();
  }
}

function put(file: string, scene: Scene): void {
  for (const suffix of [...SUFFIXES, '-shm']) rmSync(file + suffix, { force: true });
  for (const suffix of SUFFIXES) if (scene[suffix] !== undefined) writeFileSync(file + suffix, scene[suffix]);
}

/** Copies the files of a scene into a new directory and opens them. Returns the reported lines and the sequence. */
function opened(scene: Scene): { readonly reports: readonly string[]; readonly sequence: number } {
  const place = join(folder, 'copy');
  mkdirSync(place);
  try {
    const file = join(place, 'projection.sqlite');
    put(file, scene);
    const reports: string[] = [];
    const store = openStore(file, (line) => reports.push(line));
    const { sequence } = store.checkpoint;
    store.close();
    expect(everything(file)).toBe(truth.get(sequence));
    return { reports, sequence };
  } finally {
    rmSync(place, { recursive: true });
  }
}

describe('a file as SQLite left it', () => {
  it('is accepted, whenever the process ended', () => {
    expect(copies.length).toBeGreaterThan(3);
    for (const [at, scene] of scenes.entries()) expect(opened(scene), `scene ${at}`).toMatchObject({ reports: [] });
  });

  it('is accepted when the process ended while pages of the log were copied to it', () => {
    const random = seededRandom(11);
    for (const { before, after } of copies) {
      const database = Buffer.from(after['']!);
      for (let at = 0; at < before['']!.length; at += PAGE) if (random() < 0.5) before['']!.copy(database, at, at, at + PAGE);
      expect(opened({ ...before, '': database })).toMatchObject({ reports: [] });
    }
  });

  it('is accepted after a power cut lost the unsynced part of its log and sums', () => {
    const random = seededRandom(13);
    const isCopied = (log: Buffer) => copies.some(({ after }) => after['-wal']!.equals(log));
    for (const scene of scenes) {
      const [log, sums, syncedFiles] = [scene['-wal'], scene['-sums']!, synced.get(scene)!];
      const cutAt = (least: number, length: number) => least + Math.floor(random() * (length - least + 1));
      const saved = cutAt(syncedFiles.sums, sums.length);
      // A log is synced before it is copied.
      const logBytes = log === undefined || isCopied(log) ? undefined : cutAt(syncedFiles.log, log.length);
      const cut = {
        ...scene,
        '-sums': sums.subarray(0, saved),
        ...(logBytes !== undefined && { '-wal': log!.subarray(0, logBytes) }),
      };
      expect(opened(cut)).toMatchObject({ reports: [] });
    }
  });
});

describe('a changed file', () => {
  const random = seededRandom(17);
  const below = (count: number) => Math.floor(random() * count);
  const damages: Record<string, (bytes: Buffer, suffix: Suffix) => Buffer | undefined> = {
    'a flipped bit': (bytes) => {
      const damaged = Buffer.from(bytes);
      if (damaged.length > 0) damaged[below(damaged.length)]! ^= 1 << below(8);
      return damaged;
    },
    'a lost end': (bytes) => bytes.subarray(0, below(bytes.length)),
    nothing: () => undefined,
    'no content': () => Buffer.alloc(0),
    garbage: (bytes) => Buffer.from(bytes.map(() => below(256))),
    'half a page of zeros': (bytes) => {
      const at = below(bytes.length);
      return Buffer.from(bytes).fill(0, at, Math.min(bytes.length, at + PAGE / 2));
    },
    'more than it had': (bytes) => Buffer.concat([bytes, Buffer.alloc(1 + below(2 * PAGE), 7)]),
    'its content at another time': (_, suffix) => scenes[below(scenes.length)]![suffix],
  };

  it.each(Object.keys(damages))('never shows wrong rows, with %s in place of a file', (name) => {
    let healed = 0;
    for (let round = 0; round < 25; round += 1) {
      const scene = scenes[below(scenes.length)]!;
      const suffix = SUFFIXES[below(SUFFIXES.length)]!;
      if (scene[suffix] === undefined) continue;
      const { reports, sequence } = opened({ ...scene, [suffix]: damages[name]!(scene[suffix], suffix) });
      if (sequence === 0 && reports.length > 0) healed += 1;
      else expect(reports).toEqual([]);
    }
    expect(healed).toBeGreaterThan(0);
  });

  it.each([
    ['is missing', undefined],
    ['is empty', Buffer.alloc(0)],
  ])('is reported when it %s and its sums exist', (problem, database) => {
    const reports = [expect.stringMatching(new RegExp(` ${problem}: it is folded again from the journal$`))];
    for (const scene of scenes.slice(-10)) expect(opened({ ...scene, '': database })).toEqual({ reports, sequence: 0 });
  });

  it('never shows wrong rows, with two files of another time', () => {
    for (let round = 0; round < 40; round += 1) {
      const [one, other] = [scenes[below(scenes.length)]!, scenes[below(scenes.length)]!];
      const suffix = SUFFIXES[below(SUFFIXES.length)]!;
      opened({ ...other, [suffix]: one[suffix] });
    }
  });

  it('is distinguished from a commit that could not be read back while too many files were open', () => {
    rmSync(path);
    let store = openStore(path, undefined, LONG_LOG_BYTES);
    const random = seededRandom(29);
    const keep = () => {
      change(store, store.checkpoint.sequence + 1, random);
      store.save();
    };
    keep();
    vi.spyOn(LogTail.prototype, 'next').mockImplementationOnce(() => {
      throw Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE', syscall: 'open' });
    });
    for (let commit = 0; commit < 2 * COMMITS; commit += 1) keep();
    store.verifySome(readFileSync(path).length / PAGE);
    store.close();
    const reports: string[] = [];
    store = openStore(path, (line) => reports.push(line));
    expect(store.checkpoint.sequence).toBe(2 * COMMITS + 1);
    store.close();
    expect(reports).toEqual([]);
  });

  it('is detected when its log is missing at a commit', () => {
    rmSync(path);
    const store = openStore(path);
    change(store, 1, seededRandom(31));
    rmSync(`${path}-wal`);
    expect(() => store.save()).toThrow(FileDamaged);
    store.abandon();
  });

  it('is detected in use, a part at a time', () => {
    let store = openStore(path, undefined, LONG_LOG_BYTES);
    change(store, COMMITS + 1, seededRandom(19));
    store.save();
    const pages = readFileSync(path).length / PAGE;
    for (let part = 0; part < 2 * pages; part += 1) store.verifySome(2);
    store.close();
    store = openStore(path);
    const bytes = readFileSync(path);
    bytes[(pages - 1) * PAGE + 9]! ^= 4;
    writeFileSync(path, bytes);
    expect(() => {
      for (let part = 0; part < pages; part += 1) store.verifySome(2);
    }).toThrow(new FileDamaged(`is not as it was written (page ${pages})`));
    store.abandon();
    expect(readdirSync(folder).sort()).toEqual(['projection.sqlite', 'projection.sqlite-sums']);
  });

  it('is detected in a page that only the log has', () => {
    for (const ways of [flipped, zeroed]) {
      rmSync(path, { force: true });
      const store = openStore(path);
      const random = seededRandom(37);
      for (let sequence = 1; sequence <= 4; sequence += 1) {
        change(store, sequence, random);
        store.save();
      }
      const log = readFileSync(`${path}-wal`);
      const frames = newestFrames(log);
      expect(frames.size).toBeGreaterThan(5);
      const verifyAll = () => {
        for (let page = 1; page <= Math.max(...frames.keys()); page += 1) store.verifySome(1);
      };
      expect(verifyAll).not.toThrow();
      for (const [page, offset] of frames) {
        writeFileSync(`${path}-wal`, ways(log, offset), { flag: 'r+' });
        expect(verifyAll, `page ${page}`).toThrow(new FileDamaged(`is not as it was written (page ${page})`));
        writeFileSync(`${path}-wal`, log, { flag: 'r+' });
      }
      expect(() => store.verifySome(1_000)).not.toThrow();
      truncateSync(`${path}-wal`, log.length - 1);
      expect(() => store.verifySome(1_000)).toThrow(FileDamaged);
      rmSync(`${path}-wal`);
      expect(() => store.verifySome(1_000)).toThrow(FileDamaged);
      store.abandon();
    }
  });

  it('is distinguished from a log that another program copied and SQLite restarted', () => {
    rmSync(path, { force: true });
    const store = openStore(path);
    const random = seededRandom(41);
    for (let sequence = 1; sequence <= 6; sequence += 1) {
      // The commit after the copy overwrites the log from its start on; before it is read, pages are compared once.
      for (let fold = 0; fold < (sequence === 4 ? 40 : 1); fold += 1) change(store, sequence, random);
      if (sequence === 4)
        vi.spyOn(LogTail.prototype, 'next').mockImplementationOnce(() => {
          throw Object.assign(new Error('EMFILE: too many open files, open'), { code: 'EMFILE', syscall: 'open' });
        });
      store.save();
      store.verifySome(1_000);
      if (sequence !== 3) continue;
      const other = new DatabaseSync(path);
      expect(other.prepare('PRAGMA wal_checkpoint(PASSIVE)').get()).toMatchObject({ busy: 0 });
      other.close();
    }
    store.close();
    const reports: string[] = [];
    openStore(path, (line) => reports.push(line)).close();
    expect(reports).toEqual([]);
  });

  it('is detected in use when its end was cut off, also between two pages', () => {
    rmSync(path);
    const store = openStore(path);
    const { length } = readFileSync(path);
    for (const bytes of [length - PAGE / 2, length - PAGE, 0]) {
      truncateSync(path, bytes);
      expect(() => store.verifySome(length / PAGE)).toThrow(FileDamaged);
      expect(() => store.verifySome(length / PAGE), 'again').toThrow(FileDamaged);
    }
    store.abandon();
  });

  it('is detected when another program has written to it', () => {
    rmSync(path);
    const store = openStore(path);
    change(store, 1, seededRandom(23));
    store.save();
    const other = new DatabaseSync(path);
    other.exec("UPDATE ledgers SET balanceAtoms = balanceAtoms + 1 WHERE ledger = 'fees'");
    other.close();
    expect(() => change(store, 2, seededRandom(23))).toThrow('was written to by another program');
    store.abandon();
  });
});

/** The newest frame of each page in a log that was never restarted (https://www.sqlite.org/fileformat2.html#walformat). */
function newestFrames(log: Buffer): ReadonlyMap<number, number> {
  const frames = new Map<number, number>();
  for (let at = 32; at < log.length; at += 24 + PAGE) frames.set(log.readUInt32BE(at), at + 24);
  return frames;
}

function flipped(log: Buffer, offset: number): Buffer {
  const damaged = Buffer.from(log);
  damaged[offset + 100]! ^= 1;
  return damaged;
}

function zeroed(log: Buffer, offset: number): Buffer {
  return Buffer.from(log).fill(0, offset, offset + PAGE);
}
