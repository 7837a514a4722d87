/** The file port on a real directory. It takes the lock as proof that no other process writes there. */
import type { FileHandle } from 'node:fs/promises';
import { mkdir, open, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { LockedDirectory } from './directory-lock.ts';
import type { Files, ReadableFiles, StorageFile } from './files.ts';

const ARCHIVE = 'archive';

/** Files in a folder of a locked data directory, which is made if need be. */
export async function nodeFiles(directory: LockedDirectory, folder: string): Promise<Files> {
  const path = join(directory.path, folder);
  await mkdir(path, { recursive: true, mode: 0o700 });
  await syncDirectory(directory.path);
  return lentNodeFiles(path);
}

/** The same files for another thread of the process that has the lock. */
export function lentNodeFiles(path: string): Files {
  return {
    list: () => listFiles(path),
    open: async (name) => storageFile(await open(join(path, name), 'r+')),
    create: async (name) => storageFile(await open(join(path, name), 'w+', 0o600)),
    rename: async (from, to) => {
      await mkdir(dirname(join(path, to)), { recursive: true, mode: 0o700 });
      await rename(join(path, from), join(path, to));
    },
    remove: (name) => unlink(join(path, name)),
    // The archive first: what is moved there is never in neither of the two.
    syncDirectory: async () => {
      await syncDirectory(join(path, ARCHIVE)).catch(ignoreAbsent);
      await syncDirectory(path);
    },
  };
}

/** The files of a folder, to be read alone: another process may write there meanwhile. */
export function readableNodeFiles(path: string): ReadableFiles {
  return { list: () => listFiles(path), open: async (name) => storageFile(await open(join(path, name), 'r')) };
}

async function listFiles(path: string): Promise<readonly string[]> {
  const archived = await readdir(join(path, ARCHIVE)).catch(ignoreAbsent);
  return [...(await readdir(path)), ...(archived ?? []).map((name) => `${ARCHIVE}/${name}`)];
}

function ignoreAbsent(cause: unknown): undefined {
  if ((cause as NodeJS.ErrnoException).code !== 'ENOENT') throw cause;
  return undefined;
}

function storageFile(handle: FileHandle): StorageFile {
  return {
    size: async () => (await handle.stat()).size,
    read: (into, position) => readFully(handle, into, position),
    write: (bytes, position) => writeFully(handle, bytes, position),
    datasync: () => handle.datasync(),
    close: () => handle.close(),
  };
}

async function readFully(handle: FileHandle, into: Uint8Array, position: number): Promise<number> {
  let done = 0;
  while (done < into.length) {
    const { bytesRead } = await handle.read(into, done, into.length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return done;
}

/** The system may take less than it was given, the last bytes before the disk is full for one. */
async function writeFully(handle: FileHandle, bytes: Uint8Array, position: number): Promise<void> {
  let done = 0;
  while (done < bytes.length) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
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
