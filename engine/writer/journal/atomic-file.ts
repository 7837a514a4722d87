/** Small files that are replaced atomically: after a kill or a power cut either the old or the new content is there. */
import { closeSync, fchmodSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** Returns when the new content is durable. Only this user can read the file. */
export function replaceFile(path: string, ...content: readonly (string | Uint8Array)[]): void {
  const unfinished = unfinishedName(path);
  const file = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    // The umask may have removed more permissions.
    fchmodSync(file, OWNER_ONLY);
    for (const part of content) writeFileSync(file, part);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncNames(dirname(path));
}

/** A name for the new content, beside the file. Deletes a file that an earlier attempt left; leaves anything else. */
export function unfinishedName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${path}.new` : `${path}.new-${number}`;
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) continue;
    rmSync(name, { force: true });
    return name;
  }
}

/** Returns when the names in a directory survive a power cut. Windows cannot sync a directory; it writes names through. */
export function syncNames(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
