/** Sets aside directories, links and the like that have the names of dispensable files in the journal's folder. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { quarantineUnlessFile } from '#writer/journal/quarantine.ts';

/** Files in the journal's folder that a start does not need. */
const DISPENSABLE = /\.(?:state|unfinished)$/;

/** Sets aside everything with the name of a snapshot or an unfinished file that is not a regular file. Logs a line for each. */
export function quarantineOthers(journalFolder: string, log: (line: string) => void): void {
  if (!existsSync(journalFolder)) return;
  for (const name of readdirSync(journalFolder)) {
    const aside = DISPENSABLE.test(name) ? quarantineUnlessFile(join(journalFolder, name)) : undefined;
    if (aside !== undefined) log(`journal: ${name} ${aside}`);
  }
}
