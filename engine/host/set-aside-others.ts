/** Sets aside directories, links and the like in the folder of the journal that stand in the place of files which a start can do without. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { setAsideUnlessFile } from '#writer/journal/set-aside.ts';

/** What a start can do without, in the folder of the journal. */
const DISPENSABLE = /\.(?:state|unfinished)$/;

/** What is no file in the place of snapshots and of files that were being written. `log` takes a line for each. */
export function setOthersAside(journalFolder: string, log: (line: string) => void): void {
  if (!existsSync(journalFolder)) return;
  for (const name of readdirSync(journalFolder)) {
    const aside = DISPENSABLE.test(name) ? setAsideUnlessFile(join(journalFolder, name)) : undefined;
    if (aside !== undefined) log(`journal: ${name} ${aside}`);
  }
}
