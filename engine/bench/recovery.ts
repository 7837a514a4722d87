/**
 * A start after a power cut: a process of its own, a journal whose last snapshot is a tenth of it old, 100,000 resting orders of
 * 10,000 accounts, and all their idempotency keys and client order ids. Small by default; `OPENPERP_RECOVERY_COMMANDS=10000000
 * npm run bench -- --only recovery` is a busy day (it needs 5 GB of disk).
 */
import { inBenchDirectory } from './bench-directory.ts';
import { BYTES_PER_COMMAND, FLOW_CLOCK, writeJournal } from './bench-journal.ts';
import { runProcess } from './bench-process.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { spreadOf } from './race.ts';
import type { StartRequest, StartResponse } from './start-process.ts';
import { LARGE_VENUE, SMALL_VENUE, VenueTraffic } from './venue-traffic.ts';

/** In addition to those that build the venue up. */
const COMMANDS = 200_000;
const QUICK_COMMANDS = 20_000;
const SNAPSHOT_AT = 0.9;
const STARTS = 3;
const QUICK_STARTS = 1;
const PROGRESS_EVERY = 1_000_000;

export const recovery: Part = {
  name: 'recovery',
  run({ isQuick, seed }: BenchOptions): Promise<Report> {
    const requested = Number(process.env.OPENPERP_RECOVERY_COMMANDS ?? (isQuick ? QUICK_COMMANDS : COMMANDS));
    if (!Number.isSafeInteger(requested) || requested < 1_000)
      throw new Error('OPENPERP_RECOVERY_COMMANDS must be an integer of at least 1,000');
    const size = isQuick ? SMALL_VENUE : LARGE_VENUE;
    const building = size.markets * 2 + size.accounts * 2 + size.restingOrders;
    const total = building + requested;
    return inBenchDirectory(total * BYTES_PER_COMMAND, async (directory) => {
      const traffic = new VenueTraffic(size, seed, FLOW_CLOCK);
      const writtenAt = performance.now();
      const followFrom = await writeJournal(directory, commandsOf(traffic, requested), {
        rules: traffic.rules,
        limits: { recordsPerSnapshot: Math.floor(total * SNAPSHOT_AT), msPerSnapshot: 0 },
        onProgress: progressOf(total),
      });
      const writingSeconds = (performance.now() - writtenAt) / 1000;
      const starts: Start[] = [];
      for (let start = 0; start < (isQuick ? QUICK_STARTS : STARTS); start += 1) {
        const { answer, milliseconds } = await runProcess<StartResponse>('./start-process.ts', {
          directory,
          followFrom,
        } satisfies StartRequest);
        starts.push({ ...answer, seconds: milliseconds / 1000 });
      }
      return report(starts, traffic.openOrders, writingSeconds);
    });
  },
};

type Start = StartResponse & { readonly seconds: number };

function* commandsOf(traffic: VenueTraffic, count: number) {
  yield* traffic.opening();
  yield* traffic.operations(count);
}

/** Prints the progress, since a journal of millions takes a while. */
function progressOf(total: number): (commands: number) => void {
  let reported = 0;
  return (commands) => {
    if (commands < reported + PROGRESS_EVERY) return;
    reported = commands;
    console.error(`recovery: ${thousands(commands)} of ${thousands(total)} commands are in the journal`);
  };
}

function report(starts: readonly Start[], openOrders: number, writingSeconds: number): Report {
  const { sequence, snapshotSequence, rerunCount } = starts[0]!;
  const seconds = spreadOf(starts.map((start) => start.seconds));
  const residentBytes = Math.max(...starts.map((start) => start.residentBytes));
  const figures = { commands: sequence, snapshotSequence, rerunCount, openOrders, seconds, residentBytes, writingSeconds };
  const table = {
    title: 'Recovery: from the start of a process to a venue that takes commands',
    notes: [
      `${thousands(sequence)} records, the last snapshot after ${thousands(snapshotSequence)}; ${thousands(openOrders)} resting orders`,
      'the chain of all of it verified, all keys collected, the records after the snapshot replayed; the files are in the page cache',
    ],
    columns: ['records', 'replayed', 'seconds to ready', 'records per second', 'memory, MiB'],
    rows: [
      [
        thousands(sequence),
        thousands(rerunCount),
        inRange(seconds, (value) => value.toFixed(2)),
        thousands(Math.round(sequence / seconds.median)),
        thousands(Math.round(residentBytes / (1 << 20))),
      ],
    ],
  };
  return { tables: [table], figures: { recovery: figures } };
}
