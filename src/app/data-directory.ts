/**
 * Names the files of a data directory besides the ledger's, and checks whether a venue may start there. A directory that lost its
 * journal is refused: a new venue would replace its accounts.
 */
import { existsSync, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { JOURNAL_FOLDER, PROJECTION_FILE } from '#host/ledger.ts';
import { StartFault } from '#host/start-fault.ts';
import { inspectProjection } from '#projection/projection.ts';
import { systemBlocking } from '#time/system-time.ts';

/** The folder of the local ledger. */
export const LEDGER_FOLDER = 'ledger';
/** The saved states of running scripts: derived, may be missing. */
export const AGENTS_FOLDER = 'agents';
/** The API key of the demo account. */
export const DEMO_FILE = 'demo.env';
/** The API keys of the market makers. */
export const MARKET_MAKERS_FILE = 'house.json';

export function hasJournal(dataDirectory: string): boolean {
  const folder = join(dataDirectory, JOURNAL_FOLDER);
  // Recovery refuses anything else in its place, such as a dangling link.
  return (
    lstatSync(folder, { throwIfNoEntry: false }) !== undefined && filesIn(folder).some((name) => !name.endsWith('.unfinished'))
  );
}

/** For a directory without a journal. Throws {@link StartFault} if a venue ran there before. */
export function refuseMissingJournal(dataDirectory: string): void {
  const left = [DEMO_FILE, MARKET_MAKERS_FILE, LEDGER_FOLDER].filter((name) => existsSync(join(dataDirectory, name)));
  if (hasProjection(join(dataDirectory, PROJECTION_FILE))) left.push(PROJECTION_FILE);
  if (left.length === 0) return;
  throw new StartFault(
    `${dataDirectory} has ${left.join(' and ')} of a venue, but no journal: restore ${JOURNAL_FOLDER}/ from a backup, or, to start a new venue, ` +
      `choose another directory or move ${left.join(' and ')} away. Nothing was changed`,
  );
}

/** A first start that was interrupted leaves a file with no folded record. */
function hasProjection(projection: string): boolean {
  const inspection = inspectProjection(projection, 'checkpoint_alone', systemBlocking);
  return inspection.state === 'folded' ? inspection.checkpoint.sequence > 0 : inspection.state !== 'none';
}

function filesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder);
  } catch {
    return ['?'];
  }
}
