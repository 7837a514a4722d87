/**
 * The file operations that the journal and the snapshots need, in one directory with one folder below it, `archive/`. A port, so
 * that the simulation can substitute a page cache that loses power at any operation.
 */

/** An open file. */
export interface StorageFile {
  size(): Promise<number>;
  /** Fills `into` from `position` on. Returns the number of bytes read before the end of the file. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes`, or rejects. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when all written bytes, and the size that grew with them, survive a power cut. */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** Awaited after each piece of long work, so that other work gets its turn. */
export type Pause = () => Promise<void>;

/** A directory of files, read-only. */
export interface ReadableFiles {
  /** The names of the files; archived ones are named `archive/…`. */
  list(): Promise<readonly string[]>;
  /** Opens an existing file to read, and to write if allowed. */
  open(name: string): Promise<StorageFile>;
}

/** A directory of files. Only {@link Files.syncDirectory} settles what it lists after a power cut. */
export interface Files extends ReadableFiles {
  /** Opens an empty file to read and to write, replacing an existing one. */
  create(name: string): Promise<StorageFile>;
  /** Moves a file atomically, replacing an existing one. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Resolves when the names in the directory survive a power cut. */
  syncDirectory(): Promise<void>;
}

/** The whole content of a file. */
export async function readWhole(files: Pick<ReadableFiles, 'open'>, name: string): Promise<Buffer<ArrayBuffer>> {
  const file = await files.open(name);
  try {
    const bytes = Buffer.alloc(await file.size());
    const length = await file.read(bytes, 0);
    return bytes.subarray(0, length);
  } finally {
    await file.close();
  }
}

/** A reusable buffer for whole files: each read overwrites the previous content. */
export class ReadMemory {
  #bytes = new Uint8Array();

  /** The whole content of a file. */
  async read(files: Pick<ReadableFiles, 'open'>, name: string): Promise<Uint8Array> {
    const file = await files.open(name);
    try {
      const size = await file.size();
      if (this.#bytes.length < size) this.#bytes = new Uint8Array(size);
      return this.#bytes.subarray(0, await file.read(this.#bytes.subarray(0, size), 0));
    } finally {
      await file.close();
    }
  }
}

/** Makes a file appear under its name whole and durable, or not at all. `fill` writes it under a temporary name. */
export async function appear(files: Files, name: string, fill: (file: StorageFile) => Promise<void>): Promise<StorageFile> {
  const passing = name + UNFINISHED;
  const file = await files.create(passing);
  try {
    await fill(file);
    await file.datasync();
    await files.rename(passing, name);
    await files.syncDirectory();
    return file;
  } catch (cause) {
    // The original error counts; the next start removes what is left.
    await file.close().catch(() => undefined);
    await files.remove(passing).catch(() => undefined);
    throw cause;
  }
}

const UNFINISHED = '.unfinished';

/** Removes files that an ended process did not finish. */
export async function removeUnfinished(files: Files): Promise<void> {
  for (const name of await files.list()) if (name.endsWith(UNFINISHED)) await files.remove(name);
}
