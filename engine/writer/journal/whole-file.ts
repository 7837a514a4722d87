/** Small files that are replaced whole: after a kill or a power cut there is the old content or the new one, never a part. */
import { closeSync, fchmodSync, fsyncSync, lstatSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** Returns when the new content is durable. The file is readable by this user alone. */
export function replaceFile(path: string, ...content: readonly (string | Uint8Array)[]): void {
  const unfinished = unfinishedName(path);
  const file = openSync(unfinished, 'wx', OWNER_ONLY);
  try {
    // A umask may have taken more away.
    fchmodSync(file, OWNER_ONLY);
    for (const part of content) writeFileSync(file, part);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
  renameSync(unfinished, path);
  syncNames(dirname(path));
}

/** For the new content, beside the file. A file that an earlier try left is deleted; anything else stays where it is. */
export function unfinishedName(path: string): string {
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${path}.new` : `${path}.new-${number}`;
    const found = lstatSync(name, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) continue;
    rmSync(name, { force: true });
    return name;
  }
}

/** Returns when the names in a directory will outlive a power cut. Windows has no handle on a directory; it writes names through. */
export function syncNames(directory: string): void {
  if (process.platform === 'win32') return;
  const handle = openSync(directory, 'r');
  try {
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
