/**
 * Snapshots of a large venue: the time to make, write and read one, and the pause of the running venue, which is zero if another
 * thread makes it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { lockDirectory } from '#writer/journal/directory-lock.ts';
import type { Files } from '#writer/journal/files.ts';
import { nodeFiles } from '#writer/journal/node-files.ts';
import { venueRules } from '#writer/recovery/venue-rules.ts';
import type { CreateSnapshot } from '#writer/snapshot/snapshot-builder.ts';
import { snapshotInThread } from '#writer/snapshot/snapshot-in-thread.ts';
import { newestSnapshot, saveSnapshot } from '#writer/snapshot/snapshot-store.ts';
import { inBenchDirectory } from './bench-directory.ts';
import {
  BYTES_PER_COMMAND,
  FLOW_CLOCK,
  JOURNAL_FOLDER,
  openBareWriter,
  submissionOf,
  submissionsOf,
  submitAll,
} from './bench-journal.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';
import { LARGE_VENUE, SMALL_VENUE, VenueTraffic } from './venue-traffic.ts';

interface Amounts {
  readonly rounds: number;
  readonly perSecond: number;
  readonly seconds: number;
  readonly recordsPerSnapshot: number;
}

const AMOUNTS: Amounts = { rounds: 7, perSecond: 10_000, seconds: 6, recordsPerSnapshot: 15_000 };
const QUICK_AMOUNTS: Amounts = { rounds: 2, perSecond: 2_000, seconds: 1, recordsPerSnapshot: 300 };

/** The longest pause of the writer's event loop, and the 99th percentile, in milliseconds. */
interface Gaps {
  readonly longest: number;
  readonly p99: number;
  readonly count: number;
}

/** Milliseconds. */
interface Figures {
  readonly openOrders: number;
  readonly accounts: number;
  readonly bytes: number;
  readonly make: Spread;
  readonly write: Spread;
  readonly read: Spread;
  /** While the thread makes a snapshot, and otherwise. */
  readonly whileMade: Gaps;
  readonly otherwise: Gaps;
  readonly made: number;
}

export const snapshot: Part = {
  name: 'snapshot',
  run({ isQuick, seed }: BenchOptions): Promise<Report> {
    const size = isQuick ? SMALL_VENUE : LARGE_VENUE;
    const amounts = isQuick ? QUICK_AMOUNTS : AMOUNTS;
    const commands = size.accounts * 2 + size.restingOrders + amounts.perSecond * amounts.seconds;
    return inBenchDirectory(commands * BYTES_PER_COMMAND, async (directory) => {
      const lock = lockDirectory(directory);
      const files = await nodeFiles(lock, JOURNAL_FOLDER);
      const traffic = new VenueTraffic(size, seed, FLOW_CLOCK);
      const running = await ofARunningVenue(files, snapshotInThread(lock.path, JOURNAL_FOLDER), traffic, amounts);
      const stopped = await ofAStoppedVenue(files, amounts.rounds);
      lock.release();
      return report({ ...running, ...stopped, openOrders: traffic.openOrders, accounts: size.accounts });
    });
  },
};

/** Commands at a steady rate while snapshots are made: measures the pauses of the loop that runs their turns. */
async function ofARunningVenue(
  files: Files,
  inThread: CreateSnapshot,
  traffic: VenueTraffic,
  { perSecond, seconds, recordsPerSnapshot }: Amounts,
): Promise<Pick<Figures, 'whileMade' | 'otherwise' | 'made'>> {
  let making = 0;
  let made = 0;
  const createSnapshot: CreateSnapshot = async (index, isUnwanted) => {
    making += 1;
    await inThread(index, isUnwanted).finally(() => {
      making -= 1;
    });
    made += 1;
  };
  const limits = { recordsPerSnapshot, msPerSnapshot: 0 };
  const writer = await openBareWriter(files, { rules: traffic.rules, limits, createSnapshot });
  await submitAll(writer, submissionsOf(traffic.opening()));
  while (making > 0) await sleep(1);
  made = 0;
  const offered = traffic.operations(Number.MAX_SAFE_INTEGER);
  const [whileMade, otherwise]: [number[], number[]] = [[], []];
  const startedAt = performance.now();
  const responses: Promise<unknown>[] = [];
  // A busy machine may be slow to make the first one.
  for (let now = startedAt; now < startedAt + seconds * 1000 || made === 0; ) {
    const due = ((now - startedAt) * perSecond) / 1000;
    while (responses.length < due)
      responses.push(writer.submit(submissionOf(offered.next().value, responses.length + (1 << 30))));
    // A process that never sleeps is preempted by the system now and then, which would distort the measurement.
    await sleep(1);
    const then = performance.now();
    (making > 0 ? whileMade : otherwise).push(then - now);
    now = then;
  }
  await Promise.all(responses);
  await writer.close();
  return { whileMade: gapsOf(whileMade), otherwise: gapsOf(otherwise), made };
}

/** The last snapshot of a stopped venue: made, written and read again. */
async function ofAStoppedVenue(files: Files, rounds: number): Promise<Pick<Figures, 'make' | 'write' | 'read' | 'bytes'>> {
  const times = { make: [] as number[], write: [] as number[], read: [] as number[] };
  let bytes = 0;
  for (let round = 0; round < rounds; round += 1) {
    const startedAt = performance.now();
    const { snapshot: stored } = await newestSnapshot(files);
    const machine = venueRules.restore(stored!.state);
    const readAt = performance.now();
    const state = machine.snapshot();
    const madeAt = performance.now();
    await saveSnapshot(files, { ...stored!, state });
    const writtenAt = performance.now();
    if (Buffer.compare(state, stored!.state) !== 0) throw new Error('a snapshot of the restored state differs');
    bytes = state.length;
    times.read.push(readAt - startedAt);
    times.make.push(madeAt - readAt);
    times.write.push(writtenAt - madeAt);
  }
  return { bytes, make: spreadOf(times.make), write: spreadOf(times.write), read: spreadOf(times.read) };
}

function gapsOf(gaps: number[]): Gaps {
  const sorted = Float64Array.from(gaps).sort();
  return { longest: sorted.at(-1) ?? 0, p99: sorted[Math.floor(sorted.length * 0.99)] ?? 0, count: sorted.length };
}

function report(figures: Figures): Report {
  const { openOrders, accounts, bytes, make, write, read, whileMade, otherwise, made } = figures;
  const ms = (value: number) => value.toFixed(1);
  const megabytes = thousands(Math.round(bytes / 1e6));
  const times = {
    title: 'Snapshot: the state of a venue with many orders and accounts',
    notes: [
      `${thousands(openOrders)} resting orders of ${thousands(accounts)} accounts, ${megabytes} MB with the client order ids`,
    ],
    columns: ['', 'milliseconds'],
    rows: [
      ['make: the state as bytes', inRange(make, ms)],
      ['write: digest, write and sync', inRange(write, ms)],
      ['read: digest, and the restored state', inRange(read, ms)],
    ],
  };
  const pauses = {
    title: 'Snapshot: pauses of the writer at a steady rate of commands',
    notes: [
      `${thousands(made)} snapshots were made by the other thread; taken in place, each would be a pause of ${ms(make.median)} ms`,
    ],
    columns: ['milliseconds from one timer to the next, of one millisecond', '99 of 100', 'longest'],
    rows: [
      ['while a snapshot is made', ms(whileMade.p99), ms(whileMade.longest)],
      ['otherwise', ms(otherwise.p99), ms(otherwise.longest)],
    ],
  };
  return { tables: [times, pauses], figures: { snapshot: figures } };
}
