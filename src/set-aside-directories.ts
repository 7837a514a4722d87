/** Sets aside directories in the folder of the journal that stand in the place of files which a start can do without. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setAsideUnlessFile } from '#writer/set-aside.ts';

/** What a start can do without, in the folder of the journal. */
const DISPENSABLE = /\.(?:state|unfinished)$/;

/** Directories in the place of snapshots and of files that were being written. `log` takes a line for each. */
export function setDirectoriesAside(journalFolder: string, log: (line: string) => void): void {
  if (!existsSync(journalFolder)) return;
  for (const entry of readdirSync(journalFolder, { withFileTypes: true })) {
    if (!entry.isDirectory() || !DISPENSABLE.test(entry.name)) continue;
    log(`journal: ${entry.name} ${setAsideUnlessFile(join(journalFolder, entry.name))}`);
  }
}
