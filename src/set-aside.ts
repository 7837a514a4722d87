/** Moves what stands in the place of a file, and cannot be used, to a free name beside it. It is never deleted: only its owner knows whether it matters. */
import { existsSync, readdirSync, renameSync } from 'node:fs';
import { basename, join } from 'node:path';

/** Returns the free name. */
export function setAside(path: string): string {
  let number = 1;
  while (existsSync(`${path}.aside-${number}`)) number += 1;
  const aside = `${path}.aside-${number}`;
  renameSync(path, aside);
  return basename(aside);
}

/** What a start can do without, in the folder of the journal. */
const DISPENSABLE = /\.(?:state|unfinished)$/;

/** Directories in the place of snapshots and of files that were being written. `log` takes a line for each. */
export function setDirectoriesAside(journalFolder: string, log: (line: string) => void): void {
  if (!existsSync(journalFolder)) return;
  for (const entry of readdirSync(journalFolder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !DISPENSABLE.test(entry.name)) continue;
    const aside = setAside(join(journalFolder, entry.name));
    log(`journal: ${entry.name} was a directory, where a file belongs, and is now ${aside}`);
  }
}
