/**
 * A small file with API keys in the data directory: mode 0600, replaced atomically and durably. An unusable file in its place is
 * moved aside, never deleted: only its owner knows whether it matters.
 */
import { chmodSync, readFileSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { replaceFile } from '#writer/journal/atomic-file.ts';
import { quarantine } from '#writer/journal/quarantine.ts';

/** The text of the file, or why it cannot be read. */
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
      // Reading a named pipe would wait for a writer.
      const found = statSync(this.path);
      if (!found.isFile() && !found.isDirectory()) return { problem: 'is not a file' };
      return { text: this.#readOwn() };
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      return { problem: code === 'ENOENT' ? MISSING : `cannot be read (${code})` };
    }
  }

  replace(text: string): void {
    replaceFile(this.path, text);
  }

  /** Moves the existing file to a free name beside it, and returns that name. */
  quarantine(): string {
    return quarantine(this.path);
  }

  /** Restores the read permission if it was lost: the file belongs to this user. */
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
