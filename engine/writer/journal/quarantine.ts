/**
 * Renames something unusable that has the name of a file to a free name beside it. Never deletes it: only its owner knows whether
 * it matters.
 */
import { lstatSync, renameSync } from 'node:fs';
import { basename } from 'node:path';

/** Returns the free name. */
export function quarantine(path: string): string {
  let number = 1;
  while (isNameTaken(`${path}.aside-${number}`)) number += 1;
  const aside = `${path}.aside-${number}`;
  renameSync(path, aside);
  return basename(aside);
}

/**
 * Renames a directory, a link or anything else that is not a regular file. Returns what it did, to follow the name in a message;
 * `undefined` if it did nothing.
 */
export function quarantineUnlessFile(path: string): string | undefined {
  const kind = kindUnlessFile(path);
  return kind === undefined ? undefined : `was ${kind}, where a file belongs, and is now ${quarantine(path)}`;
}

/** The kind of the entry at the path; `undefined` for a regular file and if nothing is there. */
export function kindUnlessFile(path: string): string | undefined {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined || found.isFile()) return undefined;
  if (found.isDirectory()) return 'a directory';
  if (found.isSymbolicLink()) return 'a link';
  if (found.isFIFO()) return 'a pipe';
  return found.isSocket() ? 'a socket' : 'a device';
}

/** A dangling link also takes a name. */
function isNameTaken(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}
