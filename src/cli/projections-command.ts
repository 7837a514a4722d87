/**
 * Rebuilds the projection from the journal alone. The new file is made beside the old one and replaces it once it has the whole
 * journal. If interrupted, the old file remains, or the next start rebuilds it.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { DEFAULT_DATA_DIRECTORY, UsageFault, usageFaultOf } from '#app/config.ts';
import { JOURNAL_FOLDER, PROJECTION_FILE } from '#host/ledger.ts';
import { inDirectory, StartFault } from '#host/start-fault.ts';
import { discardProjection, inspectProjection, openProjection, replaceProjection } from '#projection/projection.ts';
import { systemBlocking, systemTime } from '#time/system-time.ts';
import { type LockedDirectory, lockDirectory } from '#writer/journal/directory-lock.ts';
import { committedGroup } from '#writer/journal/group.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { gapRecordsText, gapSegmentsText } from '#writer/journal-tool/journal-gap.ts';
import { OfflineJournal } from '#writer/journal-tool/offline-journal.ts';
import type { CommittedGroup } from '#writer/port/submit.ts';
import { refuseOtherVersions } from '#writer/recovery/recovery.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import { newestSnapshot } from '#writer/snapshot/snapshot-store.ts';

export const PROJECTIONS_HELP = `Usage: npm run openperp -- projections rebuild [options]

  Rebuilds the projection, which reads are served from, from the journal alone: orders, fills, positions, balances, candles and
  all else, to the same digests. It verifies the journal on the way and does not change it. Stop the venue first. A start folds
  missing records by itself: use this command to check the result, or if you suspect the file.

  --data-dir <path>    the data directory (${DEFAULT_DATA_DIRECTORY})
  --json               prints JSON instead of text
  --help               this text`;

const HELP_COMMAND = 'npm run openperp -- projections --help';
const UNFINISHED = `${PROJECTION_FILE}.unfinished`;
/** Records per transaction. */
const BATCH_RECORDS = 5_000;
const REPORT_INTERVAL_MS = 2_000;

export interface Rebuilt {
  /** The last folded record. */
  readonly sequence: number;
  /** The journal's chain digest at that record. */
  readonly chainDigest: string;
  /** Digest of the market registry: `readModelDigest` of the catalogue. */
  readonly registryDigest: string;
  /** Whether the old projection had the same sequence and digests; `undefined` if it could not be read. */
  readonly isAsBefore: boolean | undefined;
}

/** Returns the text to print. `report` takes progress lines. Rejects with a fault whose message is one line. */
export async function runProjectionsCommand(args: readonly string[], report: (line: string) => void): Promise<string> {
  const { values, positionals } = parse(args);
  if (positionals.length === 0) return PROJECTIONS_HELP;
  const name = positionals.join(' ');
  if (name !== 'rebuild') throw new UsageFault(`unknown command: projections ${name}; see ${HELP_COMMAND}`);
  if (values.help === true) return PROJECTIONS_HELP;
  const dataDirectory = values['data-dir'] ?? DEFAULT_DATA_DIRECTORY;
  if (!existsSync(join(dataDirectory, JOURNAL_FOLDER))) {
    throw new UsageFault(`there is no journal in ${dataDirectory}: name the data directory of a venue with --data-dir`);
  }
  const rebuilt = await inDirectory(dataDirectory, () => rebuild(dataDirectory, report));
  return values.json === true ? JSON.stringify(rebuilt, undefined, 2) : rebuiltText(rebuilt);
}

/** Throws if another process uses the directory, or if the journal is incomplete or changed. */
async function rebuild(dataDirectory: string, report: (line: string) => void): Promise<Rebuilt> {
  const directory = lockDirectory(dataDirectory);
  try {
    return await rebuildIn(directory, report);
  } finally {
    directory.release();
  }
}

async function rebuildIn(directory: LockedDirectory, report: (line: string) => void): Promise<Rebuilt> {
  const files = await nodeFiles(directory, JOURNAL_FOLDER);
  await refuseOtherVersions(files, venueRules);
  const journal = await OfflineJournal.open(files);
  const [path, unfinished] = [PROJECTION_FILE, UNFINISHED].map((name) => join(directory.path, name)) as [string, string];
  const before = inspectProjection(path, 'checkpoint_alone', systemBlocking);
  const { snapshot } = await newestSnapshot(files);
  const reportAside = (name: string) => report(`projections: an unknown file was in the way and is now ${name}`);
  discardProjection(unfinished).forEach(reportAside);
  try {
    await foldAll(journal, unfinished, before.state === 'folded' ? before.checkpoint.sequence : undefined, report);
    const after = inspectProjection(unfinished, 'every_page', systemBlocking);
    if (after.state !== 'folded') throw new Error(`the projection that was folded is ${after.state}`);
    refuseMissing(after.checkpoint.sequence, snapshot?.sequence, 'a snapshot goes up');
    if (before.state === 'folded')
      refuseMissing(after.checkpoint.sequence, before.checkpoint.sequence, `${PROJECTION_FILE} goes up`);
    replaceProjection(path, unfinished).forEach(reportAside);
    const { sequence, chainDigest, registryDigest } = after.checkpoint;
    const isAsBefore =
      before.state === 'folded' ? JSON.stringify(before.checkpoint) === JSON.stringify(after.checkpoint) : undefined;
    return { sequence, chainDigest, registryDigest, isAsBefore };
  } finally {
    discardProjection(unfinished);
  }
}

async function foldAll(
  journal: OfflineJournal,
  path: string,
  expected: number | undefined,
  report: (line: string) => void,
): Promise<void> {
  const projection = openProjection(path);
  try {
    let reportedAtMs = systemTime.steadyClock.elapsedMs();
    for await (const groups of inBatches(journal)) {
      projection.follow(...groups);
      projection.save();
      if (systemTime.steadyClock.elapsedMs() < reportedAtMs + REPORT_INTERVAL_MS) continue;
      reportedAtMs = systemTime.steadyClock.elapsedMs();
      report(`projections: folded ${projection.sequence} records${expected === undefined ? '' : ` of about ${expected}`}`);
    }
    // Also for a journal without any group.
    refuseGaps(journal);
  } finally {
    projection.close();
  }
}

/** Batches of committed groups. */
async function* inBatches(journal: OfflineJournal): AsyncGenerator<readonly CommittedGroup[]> {
  let batch: CommittedGroup[] = [];
  let records = 0;
  for await (const group of journal.groups()) {
    refuseGaps(journal);
    batch.push(committedGroup(group));
    records += group.header.recordCount;
    if (records < BATCH_RECORDS) continue;
    yield batch;
    batch = [];
    records = 0;
  }
  yield batch;
}

/** The effects of missing records cannot be folded. */
function refuseGaps({ gaps: [gap] }: OfflineJournal): void {
  if (gap === undefined) return;
  const missing = `${gapRecordsText(gap)} of the journal ${gap.firstSequence === gap.lastSequence ? 'is' : 'are'} not here`;
  throw new StartFault(
    `${missing}, so the projection cannot be rebuilt from it: restore ${gapSegmentsText(gap)}. Nothing was changed`,
  );
}

/** As a start does: a file that knows missing records is the only evidence of them. */
function refuseMissing(sequence: number, known = 0, what: string): void {
  if (known <= sequence) return;
  throw new StartFault(
    `the journal ends with record ${sequence}, but ${what} to record ${known}: records are missing. Restore them, or, if the ` +
      'projection or the snapshot is of another journal, move it away first. Nothing was changed',
  );
}

function rebuiltText({ sequence, chainDigest, registryDigest, isAsBefore }: Rebuilt): string {
  const lines = [
    `Folded all ${sequence} records of the journal.`,
    `journal digest   ${chainDigest === '' ? '-' : chainDigest}`,
    `market registry  ${registryDigest}`,
  ];
  if (isAsBefore === true) lines.push('The old projection had the same records and digests.');
  if (isAsBefore === false) lines.push('The old projection had fewer records, or was of another journal.');
  return lines.join('\n');
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { 'data-dir': { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } },
    });
  } catch (error) {
    throw usageFaultOf(error, HELP_COMMAND);
  }
}
