/**
 * Damages the projection's files of a running venue: reads of live state stay right, or are refused until the projection is
 * rebuilt. History is right once every page was verified. What the next start heals, it logs.
 */
import { readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type RunningVenue, startVenue } from '#app/compose.ts';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { PROJECTION_FILE } from '#host/ledger.ts';
import { LOG_SUFFIX, SUMS_SUFFIX } from '#projection/checkpoint.ts';
import { type Random, seededRandom } from '#simulation/seeded-random.ts';
import { systemTime } from '#time/system-time.ts';
import type { CaseResult, CleanStarts } from './damage-case.ts';
import { linesOfLedgerStart } from './damage-case.ts';
import { configOf, MARKET_IDS, type StartReport } from './damaged-start.ts';
import { responseDifferences, responsesOf } from './recorded-reads.ts';
import { stillTime } from './still-time.ts';
import type { TradedDirectories } from './traded-directory.ts';

/** The file is small: the venue verifies all of it within a second. */
const WATCHED_MS = 2_500;
/** The index in shared memory is excluded: it is mapped, and truncating it kills the process. */
const SUFFIXES = ['', '', '', LOG_SUFFIX, SUMS_SUFFIX] as const;

export async function runRunningDamage(traded: TradedDirectories, valid: CleanStarts, seed: number): Promise<CaseResult> {
  const random = seededRandom(-seed);
  const endOfVenue = random() < 0.5 ? 'killed' : 'stopped';
  const { path, remove } = temporaryDirectory();
  traded.left[endOfVenue].write(path);
  const lines: string[] = [];
  const internalErrors: unknown[] = [];
  const log = (line: string) => lines.push(line);
  const onFatalError = (error: unknown) => internalErrors.push(error);
  const time = stillTime(traded.startsAtEpochMs);
  const venue = await startVenue(configOf(path, traded), {
    ...time,
    log,
    onFatalError,
    onInternalError: onFatalError,
    onHalt: onFatalError,
  });
  const file = PROJECTION_FILE + SUFFIXES[Math.floor(random() * SUFFIXES.length)]!;
  const description = statSync(join(path, file), { throwIfNoEntry: false })?.size
    ? damageUnderVenue(join(path, file), random)
    : 'unchanged';
  const faults: string[] = [];
  const differences = () => wrongResponses(venue, valid[endOfVenue]);
  const until = systemTime.steadyClock.elapsedMs() + WATCHED_MS;
  while (systemTime.steadyClock.elapsedMs() < until && faults.length === 0 && !lines.some((line) => /reads go on/.test(line)))
    faults.push(...(await differences()).changing);
  const { changing, history } = await differences();
  faults.push(...changing, ...history);
  await venue.stop();
  const again = await linesOfLedgerStart(path, traded);
  if (again.length > 1 || again.some((line) => !/^projection: .+ is folded again from the journal$/.test(line)))
    faults.push(`the next start: ${again.join(' | ')}`);
  for (const error of internalErrors) faults.push(`internal error: ${(error as Error).stack ?? JSON.stringify(error)}`);
  remove();
  const outcome = lines.length + again.length > 0 ? 'healed' : 'whole';
  return {
    name: `${endOfVenue}, running, ${file}: ${description}`,
    file: `running: ${file}`,
    outcome,
    lines: [...lines, ...again],
    faults,
  };
}

async function wrongResponses(venue: RunningVenue, { responses }: StartReport) {
  const { changing, history } = await responsesOf(venue, MARKET_IDS);
  return {
    changing: responseDifferences(responses.changing, changing),
    history: responseDifferences(responses.history, history),
  };
}

function damageUnderVenue(path: string, random: Random): string {
  const way = random();
  const bytes = readFileSync(path);
  const at = Math.floor(random() * bytes.length);
  if (way < 0.1) {
    rmSync(path);
    return 'deleted';
  }
  if (way < 0.2) {
    truncateSync(path, at);
    return `cut to ${at} of ${bytes.length} bytes`;
  }
  if (way < 0.4) bytes.fill(0, at, Math.min(bytes.length, at + 4_096));
  else bytes[at]! ^= 1 << Math.floor(random() * 8);
  // In place, since the venue has the file open.
  writeFileSync(path, bytes, { flag: 'r+' });
  return way < 0.4 ? `4096 bytes are zero from ${at} of ${bytes.length}` : `a bit of byte ${at} of ${bytes.length} is flipped`;
}
