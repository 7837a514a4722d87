/** Moves what stands in the place of a file, and cannot be used, to a free name beside it. It is never deleted: only its owner knows whether it matters. */
import { lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';

/** Returns the free name. */
export function setAside(path: string): string {
  let number = 1;
  while (isTaken(`${path}.aside-${number}`)) number += 1;
  const aside = `${path}.aside-${number}`;
  renameSync(path, aside);
  return basename(aside);
}

/** Sets aside a directory, a link or anything else that is no file. Returns what it did, in words that follow the name; `undefined` where it did nothing. */
export function setAsideUnlessFile(path: string): string | undefined {
  const kind = kindUnlessFile(path);
  return kind === undefined ? undefined : `was ${kind}, where a file belongs, and is now ${setAside(path)}`;
}

/** What stands there, where it is no file; `undefined` for a file, and for nothing. */
export function kindUnlessFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a directory';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

/** By a link that leads nowhere too. */
function isTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
