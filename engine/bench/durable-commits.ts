/**
 * The writer with the venue and a disk: commands are offered at a steady rate; measures the time until each is durable. Compared
 * with the disk alone: one write and one sync of a group's size.
 */
import { join } from 'node:path';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { inBenchDirectory } from './bench-directory.ts';
import { BYTES_PER_COMMAND } from './bench-journal.ts';
import { runProcess } from './bench-process.ts';
import type { BenchOptions } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import type { Pace } from './offered-run.ts';
import type { PaceRequest } from './paced-commits.ts';
import type { Part, Report } from './part.ts';
import { thousands } from './prose.ts';

const RATES = [20_000, 100_000];
/** As many to warm up as are counted: the compiler works for some seconds. */
const SECONDS = 16;
/** A venue that has run for a while: all its code is compiled. */
const WARM_UP_COMMANDS = 300_000;
/** Disk space for the former, and for preallocated segments. */
const OTHER_COMMANDS = 500_000;
const GROUP_BYTES = 32 << 10;

export const durableCommits: Part = {
  name: 'durable-commits',
  run: (options: BenchOptions): Promise<Report> => {
    const commands = RATES.reduce((sum, rate) => sum + rate * SECONDS + OTHER_COMMANDS, 0);
    return inBenchDirectory(options.isQuick ? 0 : commands * BYTES_PER_COMMAND, async (path) => {
      const syncMs = await bareSyncs(path, options.isQuick ? 20 : 1000);
      const paces: Pace[] = [];
      for (const rate of RATES) paces.push(await paced(join(path, String(rate)), rate, options));
      return report(paces, syncMs);
    });
  },
};

/** The calls of a commit on an existing file, one after the other. */
async function bareSyncs(path: string, count: number): Promise<Float64Array> {
  const lock = lockDirectory(join(path, 'bare'));
  const files = await nodeFiles(lock, 'files');
  const file = await files.create('bare');
  await file.write(new Uint8Array(GROUP_BYTES * count), 0);
  await file.datasync();
  const bytes = new Uint8Array(GROUP_BYTES).fill(1);
  const times = new Float64Array(count);
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await file.write(bytes, GROUP_BYTES * index);
    await file.datasync();
    times[index] = performance.now() - startedAt;
  }
  await file.close();
  lock.release();
  return times.sort();
}

async function paced(directory: string, perSecond: number, { isQuick, seed }: BenchOptions): Promise<Pace> {
  const operations = perSecond * SECONDS;
  const profile = isQuick ? inSmall(TURNS_PROFILE) : { ...TURNS_PROFILE, operations, warmUpShare: WARM_UP_COMMANDS / operations };
  const request: PaceRequest = { directory, profile, seed, perSecond };
  return (await runProcess<Pace>('./paced-commits.ts', request)).answer;
}

function report(paces: readonly Pace[], syncMs: Float64Array): Report {
  const ms = (value: number) => value.toFixed(2);
  const quantile = (share: number) => syncMs[Math.floor(syncMs.length * share)]!;
  const bare = { p50Ms: quantile(0.5), p99Ms: quantile(0.99), p999Ms: quantile(0.999) };
  const table = {
    title: 'Durable commits: the venue, its journal and the disk, every fourth command a cancel',
    notes: [
      'milliseconds from the due time of a command until it is durable, after half of the run to warm up',
      'the writer alone: no followers, and responses are not read',
    ],
    columns: [
      'offered per second',
      'answered per second',
      'p50',
      'p99',
      'p99.9',
      'refused',
      'refused during warm-up',
      'p50 in bare syncs',
    ],
    rows: [
      ...paces.map((it) => [
        thousands(it.offered),
        thousands(Math.round(it.perSecond)),
        ms(it.p50Ms),
        ms(it.p99Ms),
        ms(it.p999Ms),
        thousands(it.refused),
        thousands(it.refusedBefore),
        `${(it.p50Ms / bare.p50Ms).toFixed(1)} ×`,
      ]),
      [`a write and a sync of ${GROUP_BYTES >> 10} KiB`, '', ms(bare.p50Ms), ms(bare.p99Ms), ms(bare.p999Ms), '', '', '1.0 ×'],
    ],
  };
  return { tables: [table], figures: { durableCommits: { paces, bareSync: bare } } };
}
