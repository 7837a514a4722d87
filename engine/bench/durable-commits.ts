/**
 * The writer with the venue and a disk: commands offered at a steady pace, and how long each waits for the answer that
 * it is durable. Beside it what the disk does alone: one write and one sync of a group's size.
 */
import { join } from 'node:path';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { inBenchDirectory } from './bench-directory.ts';
import { BYTES_PER_COMMAND } from './bench-journal.ts';
import { askProcess } from './bench-process.ts';
import type { BenchOptions } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import type { Pace } from './offered-run.ts';
import type { PaceRequest } from './paced-commits.ts';
import type { Part, Report } from './part.ts';
import { thousands } from './prose.ts';

const RATES = [20_000, 100_000];
/** As many to warm up as are counted: the compiler works on what it has seen for some seconds, beside everyone else. */
const SECONDS = 16;
/** A venue that has been open for a while: all of its code has been compiled for what it does. */
const WARM_UP_COMMANDS = 300_000;
/** Those, and segments that are made in advance. */
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

/** The same calls that a commit makes, on a file that was written before, one after the other. */
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
  return (await askProcess<Pace>('./paced-commits.ts', request)).answer;
}

function report(paces: readonly Pace[], syncMs: Float64Array): Report {
  const ms = (value: number) => value.toFixed(2);
  const quantile = (share: number) => syncMs[Math.floor(syncMs.length * share)]!;
  const bare = { p50Ms: quantile(0.5), p99Ms: quantile(0.99), p999Ms: quantile(0.999) };
  const table = {
    title: 'Durable commits: the venue, its journal and the disk, every fourth command a cancel',
    notes: [
      'milliseconds from when a command is due to the answer that it is durable, after half of the run to warm up',
      'the writer alone: nobody follows, and nobody reads the answers',
    ],
    columns: [
      'offered a second',
      'answered a second',
      'p50',
      'p99',
      'p99.9',
      'refused',
      'refused warming up',
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
