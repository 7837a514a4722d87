/**
 * The files of a directory in memory, to be written out repeatedly. A journal segment is 64 MB, nearly all zeros, which are not
 * stored.
 */
import { closeSync, ftruncateSync, mkdirSync, openSync, readdirSync, readFileSync, writeSync } from 'node:fs';
import { dirname, join } from 'node:path';

const PIECE_BYTES = 65_536;
const ZEROS = Buffer.alloc(PIECE_BYTES);

interface StoredFile {
  readonly name: string;
  readonly length: number;
  readonly pieces: readonly { readonly at: number; readonly bytes: Buffer }[];
}

export class FileTree {
  readonly #files: readonly StoredFile[];

  private constructor(files: readonly StoredFile[]) {
    this.#files = files;
  }

  /** Skips sockets. */
  static read(directory: string): FileTree {
    const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    const names = entries.map((entry) => join(entry.parentPath, entry.name).slice(directory.length + 1));
    return new FileTree(names.sort().map((name) => storedFileOf(name, readFileSync(join(directory, name)))));
  }

  get names(): readonly string[] {
    return this.#files.map(({ name }) => name);
  }

  write(directory: string): void {
    for (const { name, length, pieces } of this.#files) {
      const path = join(directory, name);
      mkdirSync(dirname(path), { recursive: true });
      const file = openSync(path, 'w', 0o600);
      for (const { at, bytes } of pieces) writeSync(file, bytes, 0, bytes.length, at);
      ftruncateSync(file, length);
      closeSync(file);
    }
  }
}

function storedFileOf(name: string, bytes: Buffer): StoredFile {
  const pieces = [];
  for (let at = 0; at < bytes.length; at += PIECE_BYTES) {
    const piece = bytes.subarray(at, at + PIECE_BYTES);
    if (Buffer.compare(piece, ZEROS.subarray(0, piece.length)) !== 0) pieces.push({ at, bytes: Buffer.from(piece) });
  }
  return { name, length: bytes.length, pieces };
}
