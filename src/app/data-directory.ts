/**
 * What lies in a data directory beside the ledger's files, and whether a venue may begin there: not where another has lost its journal, whose
 * accounts would be replaced by nothing.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_FOLDER, PROJECTION_FILE } from '#host/ledger.ts';
import { StartFault } from '#host/start-fault.ts';
import { lookAtProjection } from '#projection/projection.ts';
import { systemBlocking } from '#time/system-time.ts';

/** The key of the demo account. */
export const DEMO_FILE = 'demo.env';
/** The keys of the market makers. */
export const HOUSE_FILE = 'house.json';

export function hasJournal(dataDirectory: string): boolean {
  const folder = join(dataDirectory, JOURNAL_FOLDER);
  // What else stands in its place, a link that leads nowhere for one, is for the recovery to refuse.
  return (
    lstatSync(folder, { throwIfNoEntry: false }) !== undefined && filesIn(folder).some((name) => !name.endsWith('.unfinished'))
  );
}

/** For a directory without a journal. Throws {@link StartFault} where a venue has run in it. */
export function refuseLostJournal(dataDirectory: string): void {
  const left = [DEMO_FILE, HOUSE_FILE].filter((name) => existsSync(join(dataDirectory, name)));
  if (hasFolded(join(dataDirectory, PROJECTION_FILE))) left.push(PROJECTION_FILE);
  if (left.length === 0) return;
  throw new StartFault(
    `${dataDirectory} holds ${left.join(' and ')} of a venue, but not its journal: put ${JOURNAL_FOLDER}/ back from a backup, or, to begin a new venue, ` +
      `choose another directory or move ${left.join(' and ')} away. Nothing was changed`,
  );
}

/** A first start that was ended half way leaves a file that has folded nothing. */
function hasFolded(projection: string): boolean {
  const look = lookAtProjection(projection, 'checkpoint_alone', systemBlocking);
  return look.state === 'folded' ? look.checkpoint.sequence > 0 : look.state !== 'none';
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return ['?'];
  }
}
