/**
 * The projection's database file: opened, held against its page sums, kept in step with them. A file that is not as it was written, cannot be
 * read, or is of another schema is replaced by an empty one: everything in it is in the journal.
 */
import { randomBytes } from 'node:crypto';
import { existsSync, renameSync, rmSync, statSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { type Checkpoint, checkpointIn, INDEX_SUFFIX, LOG_SUFFIX, SUMS_SUFFIX } from './checkpoint.ts';
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
const SUFFIXES = ['', LOG_SUFFIX, INDEX_SUFFIX, SUMS_SUFFIX];
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

/** `report` takes a line where the file is replaced, or is gone and its page sums are not. Throws what the disk or another program keeps it from. */
export function openDatabaseFile(path: string, report: (line: string) => void): DatabaseFile {
  try {
    refuseLost(path);
    return openAsItIs(path);
  } catch (fault) {
    const problem = problemOf(fault);
    if (problem === undefined) throw fault;
    report(`projection: ${path} ${problem}: it is folded again from the journal`);
  }
  discardProjection(path);
  return openAsItIs(path);
}

/** Deletes the file at a path, and all that is kept beside it. */
export function discardProjection(path: string): void {
  for (const suffix of SUFFIXES) rmSync(path + suffix, { force: true, recursive: true });
}

/** Puts a projection that is closed in the place of another one. */
export function replaceProjection(path: string, from: string): void {
  discardProjection(path);
  // The sums first: a file without them would be folded again.
  for (const suffix of [SUMS_SUFFIX, '']) renameSync(from + suffix, path + suffix);
}

/** What programs have committed to the database since it was opened, this one left out, in a number that changes. */
export function otherCommits(database: DatabaseSync): StatementSync {
  return database.prepare('PRAGMA data_version');
}

/** SQLite would begin another file there. Throws {@link FileDamaged}. */
function refuseLost(path: string): void {
  if (!existsSync(path + SUMS_SUFFIX)) return;
  const found = statSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.size === 0) throw new FileDamaged(found === undefined ? 'is missing' : 'is empty');
}

function openAsItIs(path: string): DatabaseFile {
  const database = new DatabaseSync(path);
  try {
    database.exec(PRAGMAS);
    const isNew = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get()?.tables === 0;
    if (isNew) createTables(database);
    const checkpoint = checkpointIn(database);
    if (checkpoint === undefined) throw new FileDamaged('is of another version');
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

/** In words that follow the file's name. `undefined` where a file in its place would be no better off. */
function problemOf(fault: unknown): string | undefined {
  if (fault instanceof FileDamaged) return fault.message;
  const { code, message } = fault as NodeJS.ErrnoException;
  if (isDiskFault(fault) || code === undefined) return undefined;
  return `cannot be read (${code === 'ERR_SQLITE_ERROR' ? message : code})`;
}
