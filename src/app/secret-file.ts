/**
 * A small file with keys in the data directory: for this user alone, and replaced whole and durable or not at all. What stands in its
 * place and cannot be used is moved aside, never deleted: only its owner knows whether it matters.
 */
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { setAside } from '#writer/journal/set-aside.ts';
import { replaceFile } from '#writer/journal/whole-file.ts';

/** The text of the file, or why there is none. */
export type SecretText = { readonly text: string } | { readonly problem: string };

export const MISSING = 'is missing';

export class SecretFile {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  get name(): string {
    return basename(this.path);
  }

  read(): SecretText {
    try {
      // A read of a pipe would wait for a writer.
      const found = statSync(this.path);
      if (!found.isFile() && !found.isDirectory()) return { problem: 'is no file' };
      return { text: this.#readOwn() };
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      return { problem: code === 'ENOENT' ? MISSING : `cannot be read (${code})` };
    }
  }

  replace(text: string): void {
    replaceFile(this.path, text);
  }

  /** Moves what stands in the file's place to a free name beside it, which it returns. */
  setAside(): string {
    return setAside(this.path);
  }

  /** A file that lost the permission to be read gets it back: it is this user's own. */
  #readOwn(): string {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== 'EACCES') throw cause;
      chmodSync(this.path, 0o600);
      return readFileSync(this.path, 'utf8');
    }
  }
}
