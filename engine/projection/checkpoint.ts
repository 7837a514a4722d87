/**
 * The checkpoint in the projection's file: for the process that opens the file, and for inspection while a venue may be using it. An
 * inspection takes no lock that could block the venue, does not wait for locks, and writes nothing.
 */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { ThreadBlocking } from '#time/thread-blocking.ts';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { SCHEMA_DIGEST } from './schema.ts';

export interface Checkpoint {
  readonly sequence: Sequence;
  /** The time of the record at `sequence`. */
  readonly epochMs: EpochMs;
  /** The journal's chain digest at the end of the last folded group; empty before the first. */
  readonly chainDigest: string;
  /** Covers every listing and status change of a market, in order. */
  readonly registryDigest: string;
}

/** SQLite's files next to the database: the write-ahead log, and its index in shared memory. */
export const LOG_SUFFIX = '-wal';
export const INDEX_SUFFIX = '-shm';
/** The rollback journal. The WAL mode does not write it, but SQLite always looks for it and rolls back a file by one that it finds. */
export const JOURNAL_SUFFIX = '-journal';
/** The page sums, which detect damage. */
export const SUMS_SUFFIX = '-sums';

/**
 * The result of an inspection. `unusable`: damaged or of another schema, so a start folds it again. `in_use`: another process is opening or
 * closing the file, or a part of it is missing, so it cannot be inspected without interfering.
 */
export type ProjectionInspection =
  | { readonly state: 'folded'; readonly checkpoint: Checkpoint }
  | { readonly state: 'none' | 'unusable' | 'in_use' };

/** `every_page` also checks every page, which takes long for a large file. */
export type InspectionDepth = 'checkpoint_alone' | 'every_page';

/** Pauses before each retry while the file is in use. */
const PAUSES_MS = [0, 1, 5, 20] as const;

/**
 * Inspects the projection at a path without disturbing its user. Retries while the file is in use: a writer may be in the last bytes of a
 * commit, or opening or closing the file.
 */
export function inspectProjection(
  path: string,
  depth: InspectionDepth,
  { sleep }: Pick<ThreadBlocking, 'sleep'>,
): ProjectionInspection {
  let found = checkForDamage(path, depth);
  for (const pauseMs of PAUSES_MS) {
    if (found.state !== 'in_use') return found;
    sleep(pauseMs);
    found = checkForDamage(path, depth);
  }
  return found;
}

/** Retries once if the file looks unusable: a venue may have started to write during the read. The retry then reads its log. */
function checkForDamage(path: string, depth: InspectionDepth): ProjectionInspection {
  const first = inspect(path, depth);
  return first.state === 'unusable' ? inspect(path, depth) : first;
}

/** Whether the database is a projection, of any version. */
export function isProjection(database: DatabaseSync): boolean {
  return database.prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'checkpoint'").get()?.tables === 1;
}

/** `undefined` if the file has another schema. */
export function checkpointIn(database: DatabaseSync): Checkpoint | undefined {
  if (!isProjection(database)) return undefined;
  const row = database.prepare('SELECT * FROM checkpoint').get() as (Checkpoint & { schemaDigest: string }) | undefined;
  if (row?.schemaDigest !== SCHEMA_DIGEST) return undefined;
  return { sequence: row.sequence, epochMs: row.epochMs, chainDigest: row.chainDigest, registryDigest: row.registryDigest };
}

/** SQLite's own consistency check. */
function isIntact(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
}

/** SQLite's result code of an error; 0 if it is not an error of SQLite. */
export function resultOf(fault: unknown): number {
  // The low byte is the primary result code; the higher bytes are the extended code.
  return ((fault as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

function inspect(path: string, depth: InspectionDepth): ProjectionInspection {
  if (!isReadable(path)) return { state: 'none' };
  const way = readOnlyMode(path);
  if (way === undefined) return { state: 'in_use' };
  const location = pathToFileURL(path);
  location.searchParams.set(way, '1');
  try {
    const database = new DatabaseSync(location, { readOnly: true, timeout: 0 });
    try {
      const checkpoint = checkpointIn(database);
      const isUsable = checkpoint !== undefined && (depth === 'checkpoint_alone' || isIntact(database));
      return isUsable ? { state: 'folded', checkpoint } : { state: 'unusable' };
    } finally {
      database.close();
    }
  } catch (fault) {
    if (DAMAGE.has(resultOf(fault))) return { state: 'unusable' };
    if (IN_USE.has(resultOf(fault))) return { state: 'in_use' };
    throw fault;
  }
}

/** Returns false if the file does not exist. Throws other errors: EACCES is reported as such, not as `in_use`. */
function isReadable(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch (fault) {
    if ((fault as NodeJS.ErrnoException).code !== 'ENOENT') throw fault;
    return false;
  }
}

/**
 * How SQLite can open the file without creating or changing anything: read-only with the existing index of the log, or as immutable if
 * there is no log and so no writer. `undefined` if neither is possible.
 */
function readOnlyMode(path: string): 'readonly_shm' | 'immutable' | undefined {
  const log = statSync(path + LOG_SUFFIX, { throwIfNoEntry: false });
  if (log !== undefined && existsSync(path + INDEX_SUFFIX)) return 'readonly_shm';
  return log === undefined || log.size === 0 ? 'immutable' : undefined;
}

/** SQLite result codes: corrupt, not a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** SQLite result codes: busy, locked, read-only during recovery, cannot open, lock protocol. */
const IN_USE: ReadonlySet<number> = new Set([5, 6, 8, 14, 15]);
