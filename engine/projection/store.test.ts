/**
 * SQLite rolls back a transaction on a full disk, also in a read: the folded groups are then lost, and nothing more is folded. An unusable file
 * is replaced, and nothing else is deleted.
 */
import fs, { mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Sequence } from '#units/ids.ts';
import { ProjectionUnusable } from './database-file.ts';
import { openStore, type ProjectionStore } from './store.ts';

let folder: string;
let path: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'projection-'));
  path = join(folder, 'projection.sqlite');
});
afterEach(() => {
  vi.restoreAllMocks();
  syncBuiltinESMExports();
  rmSync(folder, { recursive: true });
});

test.each([
  ['folded', (store: ProjectionStore) => foldTo(store, 3)],
  ['saved', (store: ProjectionStore) => store.save()],
  ['closed', (store: ProjectionStore) => store.close()],
])('a store that SQLite rolled back is not %s', (done, proceed) => {
  const store = openStore(path);
  foldTo(store, 1);
  store.save();
  foldTo(store, 2);
  expect(store.isWhole).toBe(true);
  store.statement('ROLLBACK').run();
  expect(store.isWhole).toBe(false);
  expect(() => proceed(store)).toThrow('rolled back');
  expect(store.checkpoint.sequence).toBe(1);
  if (done !== 'closed') store.abandon();
  const again = openStore(path);
  expect(again.checkpoint.sequence).toBe(1);
  again.close();
});

describe('a foreign or unusable file', () => {
  let lines: string[];
  const openedSequence = (mayReplace?: boolean) => {
    const store = openStore(path, (line) => lines.push(line), undefined, mayReplace);
    const { sequence } = store.checkpoint;
    store.close();
    return sequence;
  };
  beforeEach(() => {
    lines = [];
    const store = openStore(path);
    foldTo(store, 1);
    store.close();
  });

  test.each([
    ['a directory', 'is a directory', '', () => mkdirSync(join(path, 'own'), { recursive: true })],
    ['a link', 'is a link', '', () => symlinkSync(join(folder, 'moved'), path)],
    ['a text', 'cannot be read (file is not a database)', '', () => writeFileSync(path, 'own\n'.repeat(50))],
    [
      'a directory beside it',
      'has a directory in the place of its -wal',
      '-wal',
      () => mkdirSync(join(`${path}-wal`, 'own'), { recursive: true }),
    ],
    [
      'a directory where SQLite looks for a rollback journal',
      'has a directory in the place of its -journal',
      '-journal',
      () => mkdirSync(join(`${path}-journal`, 'own'), { recursive: true }),
    ],
  ])('is set aside with one line when it is %s', (_, problem, suffix, put) => {
    if (suffix === '') renameSync(path, join(folder, 'moved'));
    put();
    expect(openedSequence()).toBe(0);
    const aside = `projection.sqlite${suffix}.aside-1`;
    expect(lines).toEqual([
      `projection: ${path} ${problem} (what was there is in ${aside}): it is folded again from the journal`,
    ]);
    expect(readdirSync(folder)).toContain(aside);
    if (suffix === '') expect(openedSequenceOf(join(folder, 'moved'))).toBe(1);
  });

  test('is set aside with its log when it is the database of another program', () => {
    rmSync(path);
    rmSync(`${path}-sums`);
    const own = new DatabaseSync(path);
    own.exec('CREATE TABLE own (it)');
    own.close();
    expect(openedSequence()).toBe(0);
    expect(lines).toEqual([
      expect.stringMatching(/ is the database of another program \(what was there is in projection\.sqlite\.aside-1\): /),
    ]);
    const aside = new DatabaseSync(`${path}.aside-1`);
    expect(aside.prepare('SELECT * FROM own').all()).toEqual([]);
    aside.close();
  });

  test('is left unchanged when it is damaged and must not be replaced', () => {
    const bytes = readFileSync(path);
    bytes[5_000]! ^= 1;
    writeFileSync(path, bytes);
    expect(() => openedSequence(false)).toThrow(new ProjectionUnusable(`${path} is not as it was written (page 2)`));
    expect(readFileSync(path)).toEqual(bytes);
    expect(lines).toEqual([]);
  });

  const denyWriting = (code: string, suffix: string) => {
    const real = fs.accessSync;
    vi.spyOn(fs, 'accessSync').mockImplementation((checkedPath, mode) => {
      if (checkedPath === path + suffix)
        throw Object.assign(new Error(`${code}: access '${checkedPath}'`), { code, syscall: 'access' });
      real(checkedPath, mode);
    });
    syncBuiltinESMExports();
  };

  test.each(['', '-sums', '-wal'])('is left unchanged when its file %s is immutable', (suffix) => {
    writeFileSync(`${path}-wal`, '');
    denyWriting('EPERM', suffix);
    expect(() => openedSequence()).toThrow(`EPERM: access '${path}${suffix}'`);
    expect(lines).toEqual([]);
  });

  test('is replaced when it can be read but not written', () => {
    denyWriting('EACCES', '');
    // The new file is not checked again.
    expect(openedSequence()).toBe(0);
    expect(lines).toEqual([`projection: ${path} cannot be read and written (EACCES): it is folded again from the journal`]);
  });

  test('is left unchanged when it cannot be opened, as with too many open files', () => {
    vi.spyOn(DatabaseSync.prototype, 'exec').mockImplementationOnce(() => {
      throw Object.assign(new Error('unable to open database file'), { code: 'ERR_SQLITE_ERROR', errcode: 14 });
    });
    expect(() => openedSequence()).toThrow(`unable to open database file, open '${path}'`);
    expect(openedSequence()).toBe(1);
    expect(lines).toEqual([]);
  });
});

function openedSequenceOf(file: string): unknown {
  const database = new DatabaseSync(file, { readOnly: true });
  const row = database.prepare('SELECT sequence FROM checkpoint').get();
  database.close();
  return row?.sequence;
}

function foldTo(store: ProjectionStore, sequence: number): void {
  store.fold(() => ({ ...store.checkpoint, sequence: sequence as Sequence }));
}
