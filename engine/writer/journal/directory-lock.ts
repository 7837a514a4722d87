/**
 * One process per data directory. The lock is SQLite's exclusive lock on a small file: the operating system holds it for
 * the process and lets go of it when the process ends, however it ends, so that no lock is ever stale.
 */
import { accessSync, chmodSync, constants, existsSync, lstatSync, mkdirSync, rmdirSync, statSync, truncateSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { kindUnlessFile } from './set-aside.ts';
import { syncNames } from './whole-file.ts';

/** Another process works in the data directory. */
export class DirectoryLocked extends Error {
  override readonly name = 'DirectoryLocked';
}

/** The lock file of the data directory cannot be locked. The message says what to do. */
export class LockUnusable extends Error {
  override readonly name = 'LockUnusable';
}

/** A data directory that is this process's own until it is released or the process ends. */
export interface LockedDirectory {
  readonly path: string;
  release(): void;
}

const LOCK_FILE = 'lock';
/** SQLite's number. */
const BUSY = 5;
/** Corrupt, not a database. */
const GARBLED: ReadonlySet<number | undefined> = new Set([11, 26]);

/** A lock ends when its database object is collected as garbage: this keeps it reachable. */
const held = new Set<DatabaseSync>();

/**
 * Makes the directory if need be and locks it. A damaged lock file is mended, which `log` tells in a line. Throws {@link DirectoryLocked}
 * where another process has the directory and {@link LockUnusable} where the lock file cannot be mended.
 */
export function lockDirectory(dataDirectory: string, log: (line: string) => void = () => {}): LockedDirectory {
  const path = resolve(dataDirectory);
  makeDirectory(path);
  const lock = lockFile(path, log);
  held.add(lock);
  return {
    path,
    release: () => {
      if (held.delete(lock)) lock.close();
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
    // Nobody holds the lock, or the file would be busy. It is mended in place, not replaced: two processes that start now still meet at one file.
    if (!GARBLED.has(errcode)) throw unlockable(file, cause as Error);
    refuseLink(file, 'has other content: remove the link');
    truncateSync(file);
  }
  log(`lock: ${file} was damaged and is mended: its content means nothing`);
  return lockedDatabase(file);
}

/** SQLite would follow a link to where nothing is, or fail without the file's name. */
function refuseUnlessFile(file: string): void {
  const kind = kindUnlessFile(file);
  if (kind === undefined || leadsToFile(file)) return;
  const what = kind === 'a link' ? 'a link that leads to no file' : kind;
  throw new LockUnusable(`${file} is ${what}, where a file is locked: move it away and start again`);
}

function leadsToFile(file: string): boolean {
  try {
    return statSync(file).isFile();
  } catch {
    return false;
  }
}

/** Gives the owner of the lock file the permission to write it. Throws the system's error if that is denied, or the directory cannot be written. */
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

/** What a link leads to may be in use elsewhere: neither its permissions nor its content are changed. `what` says what is wrong, and what to do. */
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

/** Only an empty directory is removed, which can never be another process's lock file. */
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

/** One level at a time: Node's own recursion never ends where the system denies that a directory could be made. */
function makeDirectory(path: string): void {
  if (existsSync(path)) return;
  makeDirectory(dirname(path));
  try {
    mkdirSync(path, { mode: 0o700 });
    syncNames(dirname(path));
  } catch (error) {
    // Another process that starts just now has made it: who gets the lock decides between the two.
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}
