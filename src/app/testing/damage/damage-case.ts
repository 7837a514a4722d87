/**
 * One case: a venue starts in a directory of which one file is damaged. It has to start, answer as before from its first answer on, say in a line
 * what it healed, and have nothing to heal at the next start. Where only the owner can help, it says so in a line and changes nothing.
 */
import { join } from 'node:path';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { startFaultLine } from '#cli/foreseen-faults.ts';
import { closeAll } from '#host/close-all.ts';
import { openLedger } from '#host/ledger.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { answerDifferences } from './answers-read.ts';
import { type StartReport, startAndStop } from './damaged-start.ts';
import { type Damage, damageOneFile } from './damages.ts';
import { stillTime } from './still-time.ts';
import type { Leaving, TradedDirectories } from './traded-directory.ts';

/** `whole`: there was nothing to heal. */
export type Outcome = 'healed' | 'whole' | 'refused';

export interface CaseResult {
  readonly name: string;
  readonly file: string;
  readonly outcome: Outcome;
  readonly lines: readonly string[];
  /** Everything that is wrong; empty where the case passes. */
  readonly faults: readonly string[];
}

export type SoundStarts = Readonly<Record<Leaving, StartReport>>;

const LEAVINGS: readonly Leaving[] = ['killed', 'stopped'];
/** A start folds again what was not kept. */
const FEW_RECORDS = 20;

/** What starts in the directories come to that nothing was damaged in. */
export async function soundStarts(traded: TradedDirectories): Promise<SoundStarts> {
  const reports: Partial<Record<Leaving, StartReport>> = {};
  for (const leaving of LEAVINGS) {
    const { path, remove } = temporaryDirectory();
    traded.left[leaving].write(path);
    reports[leaving] = await startAndStop(path, traded);
    remove();
  }
  return reports as SoundStarts;
}

export async function runDamageCase(traded: TradedDirectories, sound: SoundStarts, seed: number): Promise<CaseResult> {
  const random = seededRandom(seed);
  const leaving = random() < 0.5 ? 'killed' : 'stopped';
  const { path, remove } = temporaryDirectory();
  traded.left[leaving].write(path);
  const damage = damageOneFile({ directory: path, older: join(traded.root, 'older') }, random);
  const result = await startedCase(path, damage, traded, sound[leaving]);
  remove();
  return { ...result, name: `${leaving}, ${damage.name}`, file: damage.file };
}

type Judged = Pick<CaseResult, 'outcome' | 'lines' | 'faults'>;

async function startedCase(path: string, damage: Damage, traded: TradedDirectories, sound: StartReport): Promise<Judged> {
  let report: StartReport;
  try {
    report = await startAndStop(path, traded);
  } catch (error) {
    const line = startFaultLine(error);
    const isAnnounced = damage.mayRefuse && line !== undefined && /move it away/.test(line);
    const faults = isAnnounced ? [] : [`failed start: ${line ?? (error as Error).stack}`];
    return { outcome: 'refused', lines: [line ?? ''], faults };
  }
  const healed = healedParts(report, sound);
  const faults = [...faultsOf(report, sound, healed, damage), ...(await secondStartFaults(path, traded))];
  return { outcome: healed.length + report.lines.length > 0 ? 'healed' : 'whole', lines: report.lines, faults };
}

interface Healed {
  /** What is not as in a sound start. */
  readonly what: string;
  /** What begins the line that says so. */
  readonly toldBy: RegExp;
}

function healedParts(report: StartReport, sound: StartReport): readonly Healed[] {
  const healed: Healed[] = [];
  // Less is what any kill may cost: the file is as of a commit before the last.
  if (report.recovered.followedCount === report.recovered.sequence)
    healed.push({ what: 'the projection is folded again', toldBy: /^projection: / });
  for (const name of report.recovered.damagedSnapshots)
    healed.push({ what: `${name} is passed over`, toldBy: new RegExp(`^journal: ${name} `) });
  if (report.replayed === 'resync_required') healed.push({ what: 'replays begin anew', toldBy: /^realtime: / });
  if (report.prices !== sound.prices) healed.push({ what: 'the replay of prices begins anew', toldBy: /^prices: / });
  const { demo, marketMakers } = report.madeAccounts;
  if (demo > 0) healed.push({ what: 'a demo account is made', toldBy: /^demo\.env / });
  if (marketMakers > 0) healed.push({ what: 'accounts of market makers are made', toldBy: /^house\.json / });
  return healed;
}

/** Nothing is left that says that there was such a file. */
const LEAVES_NO_TRACE = /^replay(?:\/.*|\.json: )deleted$/;

function faultsOf(report: StartReport, sound: StartReport, healed: readonly Healed[], { name }: Damage): readonly string[] {
  const { lines, answers, defects } = report;
  const faults = defects.map((defect) => `defect: ${(defect as Error).stack ?? JSON.stringify(defect)}`);
  for (const difference of answerDifferences(sound.answers.changing, answers.changing)) faults.push(`wrong read: ${difference}`);
  for (const difference of answerDifferences(sound.answers.history, answers.history)) faults.push(`wrong history: ${difference}`);
  if (JSON.stringify(report.shown) !== JSON.stringify(sound.shown)) faults.push(`wrong frames: ${JSON.stringify(report.shown)}`);
  const isReplayWrong =
    report.replayed !== 'resync_required' && JSON.stringify(report.replayed) !== JSON.stringify(sound.replayed);
  if (isReplayWrong) faults.push(`wrong replay: ${JSON.stringify(report.replayed)}`);
  for (const { what, toldBy } of healed) {
    const count = lines.filter((line) => toldBy.test(line)).length;
    if (count !== 1 && !(count === 0 && LEAVES_NO_TRACE.test(name)))
      faults.push(`${what}, in ${count} lines: ${JSON.stringify(lines)}`);
  }
  if (lines.some((line) => /\n/.test(line))) faults.push(`a line is several: ${JSON.stringify(lines)}`);
  return faults;
}

/** What was healed stays so. */
async function secondStartFaults(path: string, traded: TradedDirectories): Promise<readonly string[]> {
  return (await linesOfLedgerStart(path, traded)).map((line) => `the next start heals again: ${line}`);
}

/** What a start says that opens the ledger alone, and what it has to do that nobody is told. */
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
    const { followedCount, damagedSnapshots, rerunCount } = writer.recovered;
    const isSaid = lines.length > 0;
    if (!isSaid && (followedCount > FEW_RECORDS || rerunCount > 0))
      lines.push(`${followedCount} records followed, ${rerunCount} run again`);
    if (damagedSnapshots.length > 0) lines.push(`damaged: ${damagedSnapshots.join(', ')}`);
  } catch (error) {
    lines.push((error as Error).stack ?? String(error));
  } finally {
    await closeAll(resources);
  }
  return lines;
}
