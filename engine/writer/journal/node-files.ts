/** The file port on a real directory. While the lock is held, no other process writes there. */

import { constants, write } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LockedDirectory } from './directory-lock.ts';
import type { Files, ReadableFiles, StorageFile } from './files.ts';

const ARCHIVE = 'archive';
/**
 * With this flag each write is a write and an `fdatasync` in one, so a commit goes through the thread pool once. Only Linux
 * guarantees the same durability for both; on other systems they stay separate.
 */
const WRITES_THROUGH = process.platform === 'linux';
const { O_RDONLY, O_RDWR, O_CREAT, O_TRUNC, O_DSYNC } = constants;
/** Without it, opening a pipe would wait for a writer. It does not affect files; Windows has no such flag. */
const AT_ONCE = constants.O_NONBLOCK ?? 0;
const TO_READ = O_RDONLY | AT_ONCE;
const TO_CHANGE = O_RDWR | AT_ONCE | (WRITES_THROUGH ? O_DSYNC : 0);

/** Files in a folder of a locked data directory. Creates the folder if needed. */
export async function nodeFiles(directory: LockedDirectory, folder: string): Promise<Files> {
  const path = join(directory.path, folder);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncDirectory(directory.path);
  return borrowedNodeFiles(path);
}

/** The same files for another thread of the process that holds the lock. */
export function borrowedNodeFiles(path: string): Files {
  return {
    list: () => listFiles(path),
    open: (name) => openFile(join(path, name), TO_CHANGE, WRITES_THROUGH),
    create: (name) => openFile(join(path, name), TO_CHANGE | O_CREAT | O_TRUNC, WRITES_THROUGH),
    rename: async (from, to) => {
      await mkdir(dirname(join(path, to)), { recursive: true, mode: 0o700 });
      await rename(join(path, from), join(path, to));
    },
    remove: (name) => unlink(join(path, name)),
    // The archive first: a moved file is then always in at least one of the two.
    syncDirectory: async () => {
      await syncDirectory(join(path, ARCHIVE)).catch(ignoreAbsent);
      await syncDirectory(path);
    },
  };
}

/** The files of a folder, read-only: another process may write there meanwhile. */
export function readableNodeFiles(path: string): ReadableFiles {
  return { list: () => listFiles(path), open: (name) => openFile(join(path, name), TO_READ, false) };
}

/** Rejects with `EFTYPE` for a directory or a pipe. */
async function openFile(path: string, flags: number, writesThrough: boolean): Promise<StorageFile> {
  const handle = await open(path, flags, 0o600);
  try {
    const found = await handle.stat();
    if (found.isDirectory() || found.isFIFO()) throw fileError('EFTYPE', 'not a regular file', 'open', path);
  } catch (cause) {
    await handle.close();
    throw cause;
  }
  return storageFile(handle, path, writesThrough);
}

/** In the form of Node's own errors. */
function fileError(code: string, what: string, syscall: string, path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`${code}: ${what}, ${syscall} '${path}'`), { code, syscall, path });
}

async function listFiles(path: string): Promise<readonly string[]> {
  // The archive last: a file that is moved meanwhile is listed once or twice, but never missed.
  const names = await readdir(path);
  const archived = await readdir(join(path, ARCHIVE)).catch(ignoreAbsent);
  return [...names, ...(archived ?? []).map((name) => `${ARCHIVE}/${name}`)];
}

function ignoreAbsent(cause: unknown): undefined {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  return undefined;
}

function storageFile(handle: FileHandle, path: string, writesThrough: boolean): StorageFile {
  /** No earlier write is left in the cache, and this handle writes through. */
  let isSettled = false;
  return {
    size: async () => (await handle.stat()).size,
    read: (into, position) => readFully(handle, into, position).catch((cause) => rejectNamed(cause, path)),
    write: (bytes, position) => writeFully(handle, bytes, position),
    datasync: async () => {
      if (isSettled) return;
      await handle.datasync();
      isSettled = writesThrough;
    },
    close: () => handle.close(),
  };
}

/** The error of a handle does not name the file. */
function rejectNamed(cause: NodeJS.ErrnoException, path: string): never {
  throw Object.assign(cause, { message: `${cause.message} '${path}'`, path });
}

/** Node aborts the process for a read of 2 GiB or more. */
const MAX_READ_BYTES = 2 ** 30;

async function readFully(handle: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await handle.read(into, done, Math.min(into.length - done, MAX_READ_BYTES), position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** The system may write less than requested, for example just before the disk is full. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    done += await written(handle, bytes, done, position + done);
  }
}

/** The callback API makes almost no garbage, unlike the promise API: a venue commits thousands of times a second. */
function written({ fd }: FileHandle, bytes: Uint8Array, from: number, position: number): Promise<number> {
  return new Promise((resolve, reject) => {
    write(fd, bytes, from, bytes.length - from, position, (error, count) => (error === null ? resolve(count) : reject(error)));
  });
}

/** Windows has no handle on a directory to sync; it writes names through. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}
