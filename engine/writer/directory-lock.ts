/**
 * One process per data directory. The lock is SQLite's exclusive lock on a small file: the operating system holds it for
 * the process and lets go of it when the process ends, however it ends, so that no lock is ever stale.
 */
import { existsSync, mkdirSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

/** Another process works in the data directory. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
}

/** A data directory that is this process's own until it is released or the process ends. */
export interface LockedDirectory {
  readonly path: string;
  release(): void;
}

const LOCK_FILE = 'lock';
const SQLITE_BUSY = 5;

/** A lock ends when its database object is collected as garbage: this keeps it reachable. */
const held = new Set<DatabaseSync>();

/** Makes the directory if need be and locks it. Throws {@link DirectoryLocked} where another process has it. */
export function lockDirectory(dataDirectory: string): LockedDirectory {
  const path = resolve(dataDirectory);
  makeDirectory(path);
  const lock = new DatabaseSync(join(path, LOCK_FILE), { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
  } catch (cause) {
    lock.close();
    if ((cause as { errcode?: number }).errcode !== SQLITE_BUSY) throw cause;
    throw new DirectoryLocked(`another process uses the data directory ${path}: stop it, or choose another directory`, { cause });
  }
  held.add(lock);
  return {
    path,
    release: () => {
      if (held.delete(lock)) lock.close();
    },
  };
}

/** One level at a time: Node's own recursion never ends where the system denies that a directory could be made. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process that starts just now has made it: who gets the lock decides between the two.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
