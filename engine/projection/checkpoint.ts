/**
 * How far the journal is folded, as the projection's file says it: for who opens the file, and for who only looks at it while
 * a venue may be using it. A look takes no lock that a venue could meet, waits for none, and writes nothing.
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
  /** The time of that record. */
  readonly epochMs: EpochMs;
  /** The journal's chain digest at the end of the last folded group; empty before the first. */
  readonly chainDigest: string;
  /** Covers every listing and status change of a market, in order. */
  readonly registryDigest: string;
}

/** What SQLite keeps beside a file: what was written last, and an index of it in shared memory. */
export const LOG_SUFFIX = '-wal';
export const INDEX_SUFFIX = '-shm';
/** Written in other modes of SQLite alone, and looked for in each: a file is rolled back by one that is found. */
export const JOURNAL_SUFFIX = '-journal';
/** What is kept beside it to tell whether it is as it was written. */
export const SUMS_SUFFIX = '-sums';

/**
 * What a look found. `unusable`: damaged, or of another schema, so that a start folds it anew. `in_use`: somebody opens or
 * closes it just now, or a part of it was lost; nothing can be said without getting in the way.
 */
export type Look =
  | { readonly state: 'folded'; readonly checkpoint: Checkpoint }
  | { readonly state: 'none' | 'unusable' | 'in_use' };

/** Whether every page of the file is looked at as well, which takes long for a large one. */
export type Thoroughness = 'checkpoint_alone' | 'every_page';

/** How long to wait before the next look, where one found nothing that can be said. */
const PAUSES_MS = [0, 1, 5, 20] as const;

/**
 * Looks at the projection at a path, beside whoever uses it. A writer that the system has stopped in the middle of a commit's last
 * bytes, or that opens or closes the file, is done in a moment: there are some looks until then.
 */
export function lookAtProjection(path: string, thoroughness: Thoroughness, { sleep }: Pick<ThreadBlocking, 'sleep'>): Look {
  let found = lookForDamage(path, thoroughness);
  for (const pauseMs of PAUSES_MS) {
    if (found.state !== 'in_use') return found;
    sleep(pauseMs);
    found = lookForDamage(path, thoroughness);
  }
  return found;
}

/** What was read while a venue began to write says nothing about the file: the second look finds its log, and reads by that. */
function lookForDamage(path: string, thoroughness: Thoroughness): Look {
  const first = look(path, thoroughness);
  return first.state === 'unusable' ? look(path, thoroughness) : first;
}

/** Of any version: false for a database of another program. */
export function isProjection(database: DatabaseSync): boolean {
  return database.prepare("SELECT count(*) AS tables FROM sqlite_schema WHERE name = 'checkpoint'").get()?.tables === 1;
}

/** `undefined` where the file is of another schema. */
export function checkpointIn(database: DatabaseSync): Checkpoint | undefined {
  if (!isProjection(database)) return undefined;
  const row = database.prepare('SELECT * FROM checkpoint').get() as (Checkpoint & { schemaDigest: string }) | undefined;
  if (row?.schemaDigest !== SCHEMA_DIGEST) return undefined;
  return { sequence: row.sequence, epochMs: row.epochMs, chainDigest: row.chainDigest, registryDigest: row.registryDigest };
}

/** Every page is what SQLite wrote, as far as it can tell. */
function holdsTogether(database: DatabaseSync): boolean {
  return database.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
}

/** SQLite's result, of any fault; 0 where it is none of SQLite's. */
export function resultOf(fault: unknown): number {
  // The low byte is the result, what stands above it says more about it.
  return ((fault as { errcode?: number } | undefined)?.errcode ?? 0) & 0xff;
}

function look(path: string, thoroughness: Thoroughness): Look {
  if (!isReadable(path)) return { state: 'none' };
  const way = wayToRead(path);
  if (way === undefined) return { state: 'in_use' };
  const location = pathToFileURL(path);
  location.searchParams.set(way, '1');
  try {
    const database = new DatabaseSync(location, { readOnly: true, timeout: 0 });
    try {
      const checkpoint = checkpointIn(database);
      const isUsable = checkpoint !== undefined && (thoroughness === 'checkpoint_alone' || holdsTogether(database));
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

/** False where there is none. Whoever may not read it is told so, and not that it is in use. */
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
 * How SQLite is to open it so that it makes nothing and changes nothing: with the index that the log has, but only to read; or,
 * where there is no log, and so nobody who writes, the file as it lies there. `undefined` where neither can be done.
 */
function wayToRead(path: string): 'readonly_shm' | 'immutable' | undefined {
  const log = statSync(path + LOG_SUFFIX, { throwIfNoEntry: false });
  if (log !== undefined && existsSync(path + INDEX_SUFFIX)) return 'readonly_shm';
  return log === undefined || log.size === 0 ? 'immutable' : undefined;
}

/** SQLite's own numbers: corrupt, not a database. */
const DAMAGE: ReadonlySet<number> = new Set([11, 26]);
/** Busy, locked, may only be read while it is to be recovered, cannot be opened, too many tries at a lock. */
const IN_USE: ReadonlySet<number> = new Set([5, 6, 8, 14, 15]);
