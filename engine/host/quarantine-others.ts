/** Sets aside directories, links and the like that stand in the place of dispensable files in the journal's folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { quarantineUnlessFile } from '#writer/journal/quarantine.ts';

/** Files that a start can do without, in the journal's folder. */
const DISPENSABLE = /\.(?:state|unfinished)$/;

/** Sets aside what is not a file in the place of snapshots and of unfinished files. `log` takes a line for each. */
export function quarantineOthers(journalFolder: string, log: (line: string) => void): void {
  if (!existsSync(journalFolder)) return;
  for (const name of readdirSync(journalFolder)) {
    const aside = DISPENSABLE.test(name) ? quarantineUnlessFile(join(journalFolder, name)) : undefined;
    if (aside !== undefined) log(`journal: ${name} ${aside}`);
  }
}
