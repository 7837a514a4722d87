/**
 * One case: a venue starts in a directory with one damaged file. It must start, respond as before from its first response on, log
 * in a line what it healed, and heal nothing at the next start. If only the owner can help, it says so in a line and changes
 * nothing.
 */
import { join } from 'node:path';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { startFaultLine } from '#cli/foreseen-faults.ts';
import { closeAll } from '#host/close-all.ts';
import { openLedger } from '#host/ledger.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { type StartReport, startAndStop } from './damaged-start.ts';
import { type Damage, damageOneFile } from './damages.ts';
import { responseDifferences } from './recorded-reads.ts';
import { stillTime } from './still-time.ts';
import type { EndOfVenue, TradedDirectories } from './traded-directory.ts';

/** `whole`: nothing had to be healed. */
export type Outcome = 'healed' | 'whole' | 'refused';

export interface CaseResult {
  readonly name: string;
  readonly file: string;
  readonly outcome: Outcome;
  readonly lines: readonly string[];
  /** Everything that is wrong; empty if the case passes. */
  readonly faults: readonly string[];
}

export type CleanStarts = Readonly<Record<EndOfVenue, StartReport>>;

const ENDS_OF_VENUE: readonly EndOfVenue[] = ['killed', 'stopped'];
/** A start folds the records again that were not yet durable in the projection. */
const FEW_RECORDS = 20;

/** The reports of starts in the undamaged directories. */
export async function cleanStarts(traded: TradedDirectories): Promise<CleanStarts> {
  const reports: Partial<Record<EndOfVenue, StartReport>> = {};
  for (const endOfVenue of ENDS_OF_VENUE) {
    const { path, remove } = temporaryDirectory();
    traded.left[endOfVenue].write(path);
    reports[endOfVenue] = await startAndStop(path, traded);
    remove();
  }
  return reports as CleanStarts;
}

export async function runDamageCase(traded: TradedDirectories, valid: CleanStarts, seed: number): Promise<CaseResult> {
  const random = seededRandom(seed);
  const endOfVenue = random() < 0.5 ? 'killed' : 'stopped';
  const { path, remove } = temporaryDirectory();
  traded.left[endOfVenue].write(path);
  const damage = damageOneFile({ directory: path, older: join(traded.root, 'older') }, random);
  const result = await startedCase(path, damage, traded, valid[endOfVenue]);
  remove();
  return { ...result, name: `${endOfVenue}, ${damage.name}`, file: damage.file };
}

type CaseVerdict = Pick<CaseResult, 'outcome' | 'lines' | 'faults'>;

async function startedCase(path: string, damage: Damage, traded: TradedDirectories, valid: StartReport): Promise<CaseVerdict> {
  let report: StartReport;
  try {
    report = await startAndStop(path, traded);
  } catch (error) {
    const line = startFaultLine(error);
    const isAnnounced = damage.mayRefuse && line !== undefined && /move it away/.test(line);
    const faults = isAnnounced ? [] : [`failed start: ${line ?? (error as Error).stack}`];
    return { outcome: 'refused', lines: [line ?? ''], faults };
  }
  const healed = healedParts(report, valid);
  const faults = [...faultsOf(report, valid, healed, damage), ...(await secondStartFaults(path, traded))];
  return { outcome: healed.length + report.lines.length > 0 ? 'healed' : 'whole', lines: report.lines, faults };
}

interface Repair {
  /** The difference from a sound start. */
  readonly what: string;
  /** The start of the log line that announces it. */
  readonly changesOf: RegExp;
}

function healedParts(report: StartReport, valid: StartReport): readonly Repair[] {
  const healed: Repair[] = [];
  // A kill may cost less than that: the file may be one commit behind.
  if (report.recovered.republishedCount === report.recovered.sequence)
    healed.push({ what: 'the projection is rebuilt', changesOf: /^projection: / });
  for (const name of report.recovered.damagedSnapshots)
    healed.push({ what: `${name} is skipped`, changesOf: new RegExp(`^journal: ${name} `) });
  if (report.replayed === 'resync_required') healed.push({ what: 'replays start again', changesOf: /^realtime: / });
  if (report.prices !== valid.prices) healed.push({ what: 'the replay of prices starts again', changesOf: /^prices: / });
  const { demo, marketMakers } = report.createdAccounts;
  if (demo > 0) healed.push({ what: 'a demo account is made', changesOf: /^demo\.env / });
  if (marketMakers > 0) healed.push({ what: 'accounts of market makers are made', changesOf: /^house\.json / });
  return healed;
}

/** Nothing shows that such a file existed. */
const NO_TRACE = /^replay(?:\/.*|\.json: )deleted$/;

function faultsOf(report: StartReport, valid: StartReport, healed: readonly Repair[], { name }: Damage): readonly string[] {
  const { lines, responses, internalErrors } = report;
  const faults = internalErrors.map((error) => `internal error: ${(error as Error).stack ?? JSON.stringify(error)}`);
  for (const difference of responseDifferences(valid.responses.changing, responses.changing))
    faults.push(`wrong read: ${difference}`);
  for (const difference of responseDifferences(valid.responses.history, responses.history))
    faults.push(`wrong history: ${difference}`);
  if (JSON.stringify(report.shown) !== JSON.stringify(valid.shown)) faults.push(`wrong frames: ${JSON.stringify(report.shown)}`);
  const isReplayWrong =
    report.replayed !== 'resync_required' && JSON.stringify(report.replayed) !== JSON.stringify(valid.replayed);
  if (isReplayWrong) faults.push(`wrong replay: ${JSON.stringify(report.replayed)}`);
  for (const { what, changesOf } of healed) {
    const count = lines.filter((line) => changesOf.test(line)).length;
    if (count !== 1 && !(count === 0 && NO_TRACE.test(name))) faults.push(`${what}, in ${count} lines: ${JSON.stringify(lines)}`);
  }
  if (lines.some((line) => /\n/.test(line))) faults.push(`a line is several: ${JSON.stringify(lines)}`);
  return faults;
}

/** What was healed must stay healed. */
async function secondStartFaults(path: string, traded: TradedDirectories): Promise<readonly string[]> {
  return (await linesOfLedgerStart(path, traded)).map((line) => `the next start heals again: ${line}`);
}

/** The log lines of a start that opens the ledger alone, and the silent work that it had to do. */
export async function linesOfLedgerStart(
  dataDirectory: string,
  { startsAtEpochMs }: Pick<TradedDirectories, 'startsAtEpochMs'>,
): Promise<readonly string[]> {
  const lines: string[] = [];
  const log = (line: string) => lines.push(line);
  const resources = new AsyncDisposableStack();
  try {
    const options = { ...stillTime(startsAtEpochMs), dataDirectory, onHalt: log as never, log };
    const { writer } = await openLedger(options, resources);
    const { republishedCount, damagedSnapshots, rerunCount } = writer.recovered;
    const isTruthy = lines.length > 0;
    if (!isTruthy && (republishedCount > FEW_RECORDS || rerunCount > 0))
      lines.push(`${republishedCount} records republished, ${rerunCount} run again`);
    if (damagedSnapshots.length > 0) lines.push(`damaged: ${damagedSnapshots.join(', ')}`);
  } catch (error) {
    lines.push((error as Error).stack ?? String(error));
  } finally {
    await closeAll(resources);
  }
  return lines;
}
