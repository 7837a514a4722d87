/**
 * Opens the projection's database file and verifies it against its page sums. A file that is damaged, unreadable or of another schema is
 * replaced by an empty one, because it can be rebuilt from the journal. Files of other programs are set aside.
 */
import { randomBytes } from 'node:crypto';
import { accessSync, closeSync, constants, existsSync, openSync, readSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { kindUnlessFile, quarantine } from '#writer/journal/quarantine.ts';
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
const HEADER_BYTES: Checkpoint = {
  sequence: 0 as Sequence,
  epochMs: 0 as EpochMs,
  chainDigest: '',
  registryDigest: EMPTY_REGISTRY_DIGEST,
};

/**
 * `ProjectionStore` copies the log to the database file at this length; SQLite does not, because the copy syncs and delays waiting groups.
 * Frequently used pages (64 MB) and uncommitted changes stay in memory, so that reads and folds seldom need the disk.
 */
export const LONG_LOG_BYTES = 10_000 * PAGE_BYTES;
const PRAGMAS = `PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA temp_store = MEMORY; PRAGMA cache_spill = OFF;
  PRAGMA wal_autocheckpoint = 0; PRAGMA cache_size = -65536;`;

/** A database of another program. */
class NoProjection extends FileDamaged {
  constructor() {
    super('is the database of another program');
  }
}

/** The file cannot be used, and must not be replaced because the journal cannot rebuild it. */
export class ProjectionUnusable extends Error {
  override readonly name = 'ProjectionUnusable';
}

/**
 * `report` gets a line if the file is replaced, or is missing while its page sums exist. Throws errors of the disk or of a lock, and
 * {@link ProjectionUnusable} if the file would be replaced but `mayReplace` is false.
 */
export function openDatabaseFile(path: string, report: (line: string) => void, mayReplace = true): DatabaseFile {
  let problem: string | undefined;
  let isOthers = false;
  try {
    if (path !== IN_MEMORY) {
      refuseOtherFiles(path);
      refuseUnwritable(path);
    }
    return openAsItIs(path);
  } catch (fault) {
    problem = problemOf(fault);
    if (problem === undefined) throw fault instanceof Error ? named(fault, path) : fault;
    isOthers = fault instanceof NoProjection;
  }
  if (!mayReplace) throw new ProjectionUnusable(`${path} ${problem}`);
  const asides = isOthers ? [quarantineProjection(path)] : discardProjection(path);
  const what = asides.length === 0 ? '' : ` (what was there is in ${asides.join(' and ')})`;
  report(`projection: ${path} ${problem}${what}: it is folded again from the journal`);
  return openAsItIs(path);
}

/** Deletes the file at a path and its companions. Sets aside anything that is not a regular file or database, and returns the new names. */
export function discardProjection(path: string): readonly string[] {
  const asides: string[] = [];
  for (const suffix of SUFFIXES) {
    const isOthers = kindUnlessFile(path + suffix) !== undefined || (suffix === '' && !isDatabase(path));
    if (isOthers) asides.push(quarantine(path + suffix));
    else rmSync(path + suffix, { force: true });
  }
  return asides;
}

/** Sets aside the file at a path and its companions. Returns the new name of the file. */
export function quarantineProjection(path: string): string {
  const aside = quarantine(path);
  for (const suffix of SUFFIXES.slice(1))
    if (existsSync(path + suffix)) renameSync(path + suffix, join(dirname(path), aside + suffix));
  return aside;
}

/** Replaces a projection by a closed one. Returns the result of {@link discardProjection}. */
export function replaceProjection(path: string, from: string): readonly string[] {
  const asides = discardProjection(path);
  // The sums first: a file without sums would be folded again.
  for (const suffix of [SUMS_SUFFIX, '']) renameSync(from + suffix, path + suffix);
  return asides;
}

/** A statement whose number changes when another connection commits to the database. */
export function otherCommits(database: DatabaseSync): StatementSync {
  return database.prepare('PRAGMA data_version');
}

/** Throws {@link FileDamaged} if SQLite would create a new file, or use a path that is not a regular file. */
function refuseOtherFiles(path: string): void {
  for (const suffix of SUFFIXES) {
    const kind = kindUnlessFile(path + suffix);
    if (kind !== undefined) throw new FileDamaged(suffix === '' ? `is ${kind}` : `has ${kind} in the place of its ${suffix}`);
  }
  if (!existsSync(path + SUMS_SUFFIX)) return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.size === 0) throw new FileDamaged(found === undefined ? 'is missing' : 'is empty');
}

/** SQLite opens a file without write permission as read-only and fails at the first fold. Throws the system's error, {@link FileDamaged} for EACCES. */
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

/** Adds the path, because SQLite's messages do not name the file. */
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
  const { sequence, epochMs, chainDigest, registryDigest } = HEADER_BYTES;
  database.exec(`BEGIN; ${SCHEMA}`);
  database
    .prepare('INSERT INTO checkpoint VALUES (1, ?, ?, ?, ?, ?)')
    .run(SCHEMA_DIGEST, sequence, epochMs, chainDigest, registryDigest);
  database.prepare('INSERT INTO file VALUES (1, ?, 0)').run(randomBytes(FILE_ID_BYTES / 2).toString('hex'));
  database.exec('COMMIT');
}

/** False if SQLite did not write the content, or if it cannot be read. */
function isDatabase(path: string): boolean {
  try {
    const file = openSync(path, 'r');
    try {
      const header = Buffer.alloc(SQLITE_MAGIC.length);
      const length = readSync(file, header, 0, header.length, 0);
      return length === 0 || header.toString('latin1') === SQLITE_MAGIC;
    } finally {
      closeSync(file);
    }
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Returns a text that follows the file's name; `undefined` if replacing the file would not help or is not permitted (EPERM). */
function problemOf(fault: unknown): string | undefined {
  if (fault instanceof FileDamaged) return fault.message;
  const { code, message } = fault as NodeJS.ErrnoException;
  if (code === undefined || code === 'EPERM' || isDiskFault(fault)) return undefined;
  return `cannot be read (${code === 'ERR_SQLITE_ERROR' ? message : code})`;
}
