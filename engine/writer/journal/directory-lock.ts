/**
 * One process per data directory. The lock is SQLite's exclusive lock on a small file: the operating system releases it when the
 * process ends, however it ends, so a lock is never stale.
 */
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, rmdirSync, statSync, truncateSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { syncNames } from './atomic-file.ts';
import { kindUnlessFile } from './quarantine.ts';

/** Another process uses the data directory. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
}

/** The lock file of the data directory cannot be locked. The message says what to do. */
export class LockUnusable extends Error {
  override readonly name = 'LockUnusable';
}

/** A data directory that belongs to this process until it releases it or ends. */
export interface LockedDirectory {
  readonly path: string;
  release(): void;
}

const LOCK_FILE = 'lock';
/** SQLite's error code. */
const BUSY = 5;
/** SQLite's error codes: corrupt, not a database. */
const CORRUPT: ReadonlySet<number | undefined> = new Set([11, 26]);

/** A lock ends when its database object is garbage-collected: this keeps it reachable. */
const heldLocks = new Set<DatabaseSync>();

/**
 * Creates the directory if needed and locks it. Repairs a damaged lock file and passes a line about it to `log`. Throws
 * {@link DirectoryLocked} if another process has the directory, {@link LockUnusable} if the lock file cannot be repaired.
 */
export function lockDirectory(dataDirectory: string, log: (line: string) => void = () => {}): LockedDirectory {
  const path = resolve(dataDirectory);
  createDirectory(path);
  const lock = lockFile(path, log);
  heldLocks.add(lock);
  return {
    path,
    release: () => {
      if (heldLocks.delete(lock)) lock.close();
    },
  };
}

function lockFile(directory: string, log: (line: string) => void): DatabaseSync {
  const file = join(directory, LOCK_FILE);
  removeEmptyDirectory(file, log);
  refuseUnlessFile(file);
  restorePermission(file, log);
  try {
    return lockedDatabase(file);
  } catch (cause) {
    const { errcode } = cause as { errcode?: number };
    if (errcode === BUSY)
      throw new DirectoryLocked(`another process uses the data directory ${directory}: stop it, or choose another directory`, {
        cause,
      });
    // The lock is free, otherwise the file would be busy. Repair it in place instead of replacing it: two processes that start at
    // the same time then still lock the same file.
    if (!CORRUPT.has(errcode)) throw unlockable(file, cause as Error);
    refuseLink(file, 'has other content: remove the link');
    truncateSync(file);
  }
  log(`lock: ${file} was damaged and is repaired: its content means nothing`);
  return lockedDatabase(file);
}

/** SQLite would create the target of a dangling link, or fail without the file's name. */
function refuseUnlessFile(file: string): void {
  const kind = kindUnlessFile(file);
  if (kind === undefined || isLinkToFile(file)) return;
  const what = kind === 'a link' ? 'a link that leads to no file' : kind;
  throw new LockUnusable(`${file} is ${what}, where a file is locked: move it away and start again`);
}

function isLinkToFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/**
 * Gives the owner of the lock file the permission to write it. Throws the system's error if that is denied or if the directory is
 * not writable.
 */
function restorePermission(file: string, log: (line: string) => void): void {
  accessSync(dirname(file), constants.R_OK | constants.W_OK | constants.X_OK);
  try {
    accessSync(file, constants.R_OK | constants.W_OK);
  } catch (denied) {
    if ((denied as NodeJS.ErrnoException).code === 'ENOENT') return;
    refuseLink(file, 'cannot be written: make that file writable');
    chmodSync(file, 0o600);
    log(`lock: ${file} could not be written and can be again`);
  }
}

/**
 * The target of a link may be in use elsewhere: its permissions and content stay unchanged. `what` says what is wrong and what to
 * do.
 */
function refuseLink(file: string, what: string): void {
  if (lstatSync(file).isSymbolicLink()) throw new LockUnusable(`${file} is a link to a file that ${what}, and start again`);
}

function unlockable(file: string, cause: Error): LockUnusable {
  const advice = 'see that the file and the disk can be written, and start again';
  return new LockUnusable(`${file} cannot be locked (${cause.message}): ${advice}`, { cause });
}

function lockedDatabase(file: string): DatabaseSync {
  const lock = new DatabaseSync(file, { timeout: 0 });
  try {
    // BEGIN EXCLUSIVE succeeds without a lock on a file that opened read-only; the write fails there. It is never committed.
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE; PRAGMA user_version = 1');
    return lock;
  } catch (cause) {
    lock.close();
    throw cause;
  }
}

/** Removes only an empty directory, which can never be another process's lock file. */
function removeEmptyDirectory(file: string, log: (line: string) => void): void {
  if (lstatSync(file, { throwIfNoEntry: false })?.isDirectory() !== true) return;
  try {
    rmdirSync(file);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return;
    throw new LockUnusable(`${file} is a directory, where a file is locked (${code}): move it away and start again`, { cause });
  }
  log(`lock: ${file} was an empty directory and is a file again`);
}

/** One level at a time: Node's recursive mkdir never returns if the system denies creating a directory. */
function createDirectory(path: string): void {
  if (existsSync(path)) return;
  createDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncNames(dirname(path));
  } catch (error) {
    // Another process that is starting has made it: the lock decides between the two.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
