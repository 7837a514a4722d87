/**
 * The projection's database file: opened, held against its page sums, kept in step with them. A file that is not as it was written, cannot be
 * read, or is of another schema is replaced by an empty one where the journal has everything that is in it. What is not the venue's is set aside.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { kindUnlessFile, setAside } from '#writer/journal/set-aside.ts';
import {
  type Checkpoint,
  checkpointIn,
  INDEX_SUFFIX,
  isProjection,
  JOURNAL_SUFFIX,
  LOG_SUFFIX,
  SUMS_SUFFIX,
} from './checkpoint.ts';
import { isDiskFault } from './disk-fault.ts';
import { PAGE_BYTES } from './log-frames.ts';
import { PageSums } from './page-sums.ts';
import { type Commit, FILE_ID_BYTES, FileDamaged } from './page-sums-file.ts';
import { EMPTY_REGISTRY_DIGEST } from './read-model-digest.ts';
import { SCHEMA, SCHEMA_DIGEST } from './schema.ts';

export interface DatabaseFile {
  readonly database: DatabaseSync;
  readonly checkpoint: Checkpoint;
  /** `undefined` for a database in memory. */
  readonly pages: PageSums | undefined;
}

const IN_MEMORY = ':memory:';
const SQLITE_MAGIC = 'SQLite format 3\0';
const SUFFIXES = ['', LOG_SUFFIX, INDEX_SUFFIX, SUMS_SUFFIX, JOURNAL_SUFFIX];
const BEGINNING: Checkpoint = {
  sequence: 0 as Sequence,
  epochMs: 0 as EpochMs,
  chainDigest: '',
  registryDigest: EMPTY_REGISTRY_DIGEST,
};

/**
 * The log is copied to the database file when it is this long, and by `ProjectionStore` alone: that syncs and holds up whoever waits for a group.
 * Pages that folds come back to again and again stay in memory (64 MB), and what is not committed does too: no read and no fold needs the disk.
 */
export const LONG_LOG_BYTES = 10_000 * PAGE_BYTES;
const PRAGMAS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF;
  PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -65536;`;

/** A database with tables, none of which is a projection's. */
class NoProjection extends FileDamaged {
  constructor() {
    super('is the database of another program');
  }
}

/** The file is of no use, and is to be left: the journal does not lead up to it. */
export class ProjectionUnusable extends Error {
  override readonly name = 'ProjectionUnusable';
}

/**
 * `report` takes a line where the file is replaced, or is gone and its page sums are not. Throws what the disk or another program keeps it from, and
 * {@link ProjectionUnusable} in place of replacing a file where it `mayReplace` none.
 */
export function openDatabaseFile(path: string, report: (line: string) => void, mayReplace = true): DatabaseFile {
  let problem: string | undefined;
  let isOthers = false;
  try {
    if (path !== IN_MEMORY) {
      refuseOthers(path);
      refuseUnwritable(path);
    }
    return openAsItIs(path);
  } catch (fault) {
    problem = problemOf(fault);
    if (problem === undefined) throw fault instanceof Error ? named(fault, path) : fault;
    isOthers = fault instanceof NoProjection;
  }
  if (!mayReplace) throw new ProjectionUnusable(`${path} ${problem}`);
  const asides = isOthers ? [setProjectionAside(path)] : discardProjection(path);
  const what = asides.length === 0 ? '' : ` (what was there is in ${asides.join(' and ')})`;
  report(`projection: ${path} ${problem}${what}: it is folded again from the journal`);
  return openAsItIs(path);
}

/** Deletes the file at a path, and all that is kept beside it. What is no database, or no file, is set aside, and its new name returned. */
export function discardProjection(path: string): readonly string[] {
  const asides: string[] = [];
  for (const suffix of SUFFIXES) {
    const isOthers = kindUnlessFile(path + suffix) !== undefined || (suffix === '' && !isDatabase(path));
    if (isOthers) asides.push(setAside(path + suffix));
    else rmSync(path + suffix, { force: true });
  }
  return asides;
}

/** Sets the file at a path aside, and all that is kept beside it. Returns the new name of the file. */
export function setProjectionAside(path: string): string {
  const aside = setAside(path);
  for (const suffix of SUFFIXES.slice(1))
    if (existsSync(path + suffix)) renameSync(path + suffix, join(dirname(path), aside + suffix));
  return aside;
}

/** Puts a projection that is closed in the place of another one. Returns what {@link discardProjection} does. */
export function replaceProjection(path: string, from: string): readonly string[] {
  const asides = discardProjection(path);
  // The sums first: a file without them would be folded again.
  for (const suffix of [SUMS_SUFFIX, '']) renameSync(from + suffix, path + suffix);
  return asides;
}

/** What programs have committed to the database since it was opened, this one left out, in a number that changes. */
export function otherCommits(database: DatabaseSync): StatementSync {
  return database.prepare('PRAGMA data_version');
}

/** SQLite would begin another file there, or use what is not the venue's. Throws {@link FileDamaged}. */
function refuseOthers(path: string): void {
  for (const suffix of SUFFIXES) {
    const kind = kindUnlessFile(path + suffix);
    if (kind !== undefined) throw new FileDamaged(suffix === '' ? `is ${kind}` : `has ${kind} in the place of its ${suffix}`);
  }
  if (!existsSync(path + SUMS_SUFFIX)) return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.size === 0) throw new FileDamaged(found === undefined ? 'is missing' : 'is empty');
}

/** SQLite opens a file without write permission read-only, and fails at the first fold. Throws the system's error, {@link FileDamaged} for EACCES. */
function refuseUnwritable(path: string): void {
  for (const suffix of SUFFIXES) {
    try {
      accessSync(path + suffix, constants.R_OK | constants.W_OK);
    } catch (denied) {
      const { code } = denied as NodeJS.ErrnoException;
      if (code === 'ENOENT') continue;
      if (code !== 'EACCES') throw denied;
      throw new FileDamaged(`${suffix === '' ? '' : `has a ${suffix} that `}cannot be read and written (EACCES)`);
    }
  }
}

/** SQLite's messages do not name the file. */
function named(fault: Error, path: string): Error {
  if ((fault as NodeJS.ErrnoException).code === 'ERR_SQLITE_ERROR') fault.message = `${fault.message}, open '${path}'`;
  return fault;
}

function openAsItIs(path: string): DatabaseFile {
  const database = new DatabaseSync(path);
  try {
    database.exec(PRAGMAS);
    const isNew = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables === 0;
    if (isNew) createTables(database);
    const checkpoint = checkpointIn(database);
    if (checkpoint === undefined) throw isProjection(database) ? new FileDamaged('is of another version') : new NoProjection();
    return { database, checkpoint, pages: path === IN_MEMORY ? undefined : pagesOf(path, database, isNew) };
  } catch (fault) {
    database.close();
    throw fault;
  }
}

function pagesOf(path: string, database: DatabaseSync, isNew: boolean): PageSums {
  const commit = database.prepare('SELECT fileId, number FROM file').get() as unknown as Commit;
  if (!isNew) return PageSums.verified(path, commit);
  database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
  return PageSums.begin(path, commit);
}

function createTables(database: DatabaseSync): void {
  const { sequence, epochMs, chainDigest, registryDigest } = BEGINNING;
  database.exec(`BEGIN; ${SCHEMA}`);
  database
    .prepare('INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?, ?)')
    .run(SCHEMA_DIGEST, sequence, epochMs, chainDigest, registryDigest);
  database.prepare('INSERT INTO file VALUES (1, ?, 0)').run(randomBytes(FILE_ID_BYTES / 2).toString('hex'));
  database.exec('COMMIT');
}

/** False of content that SQLite did not write, and of what cannot be read. */
function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const begin = Buffer.alloc(SQLITE_MAGIC.length);
      const length = readSync(file, begin, 0, begin.length, 0);
      return length === 0 || begin.toString('latin1') === SQLITE_MAGIC;
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Returns words that follow the file's name; `undefined` if another file in its place would not help, or cannot be put there (EPERM). */
function problemOf(fault: unknown): string | undefined {
  if (fault instanceof FileDamaged) return fault.message;
  const { code, message } = fault as NodeJS.ErrnoException;
  if (code === undefined || code === 'EPERM' || isDiskFault(fault)) return undefined;
  return `cannot be read (${code === 'ERR_SQLITE_ERROR' ? message : code})`;
}
