/** Small files that are replaced whole: after a kill or a power cut there is the old content or the new one, never a part. */
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const OWNER_ONLY = 0o600;

/** Returns when the new content is durable. The file is readable by this user alone. */
export function replaceFile(path: string, ...content: readonly (string | Uint8Array)[]): void {
  const unfinished = `${path}.new`;
  rmSync(unfinished, { recursive: true, force: true });
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
