/**
 * The few file operations that the journal and the snapshots need, in one directory that has one folder below it, `archive/`.
 * A port, so that the simulation can put a page cache under it that loses power at any of them.
 */

/** An open file. */
export interface StorageFile {
  size(): Promise<number>;
  /** Fills `into` from `position` on; answers how many bytes there were before the file ended. */
  read(into: Uint8Array, position: number): Promise<number>;
  /** Writes all of `bytes`, or rejects. */
  write(bytes: Uint8Array, position: number): Promise<void>;
  /** Resolves when all that was written, and a size that grew with it, will outlive a power cut. */
  datasync(): Promise<void>;
  close(): Promise<void>;
}

/** What long work waits for after each piece of it, so that others get their turn. */
export type Pause = () => Promise<void>;

/** A directory of files, to be read. */
export interface ReadableFiles {
  /** The names of the files; what is in the archive is named `archive/…`. */
  list(): Promise<readonly string[]>;
  /** Opens an existing file to read, and to write where that is allowed. */
  open(name: string): Promise<StorageFile>;
}

/** A directory of files. What it lists after a power cut is settled only by {@link Files.syncDirectory}. */
export interface Files extends ReadableFiles {
  /** Opens an empty file to read and to write; what was there under its name is gone. */
  create(name: string): Promise<StorageFile>;
  /** Moves a file in one step onto a name that may be taken. */
  rename(from: string, to: string): Promise<void>;
  remove(name: string): Promise<void>;
  /** Resolves when the names in the directory will outlive a power cut. */
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

/** Memory that files are read into, one after the other: what was read before is gone with the next read. */
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

/** Makes a file appear under its name whole and durable, or not at all. `fill` writes it under a passing name. */
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
    // What made it fail is what counts; the next start removes what is left.
    await file.close().catch(() => undefined);
    await files.remove(passing).catch(() => undefined);
    throw cause;
  }
}

const UNFINISHED = '.unfinished';

/** Removes what an ended process was still making. */
export async function removeUnfinished(files: Files): Promise<void> {
  for (const name of await files.list()) if (name.endsWith(UNFINISHED)) await files.remove(name);
}
