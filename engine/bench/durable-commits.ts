/**
 * The writer with the venue and a disk: commands offered at a steady pace, and how long each waits for the answer that
 * it is durable. Beside it what the disk does alone: one write and one sync of a group's size.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Command } from '#venue/command.ts';
import { lockDirectory } from '#writer/directory-lock.ts';
import { nodeFiles } from '#writer/node-files.ts';
import type { RecordKey } from '#writer/record.ts';
import { snapshotInThread } from '#writer/snapshot-in-thread.ts';
import type { Submission } from '#writer/submit.ts';
import { venueRules } from '#writer/venue-rules.ts';
import { openWriter, type Writer } from '#writer/writer.ts';
import type { BenchOptions } from './contender.ts';
import { inSmall, TURNS_PROFILE } from './flow-profile.ts';
import { orderFlow } from './order-flow.ts';
import type { Part, Report } from './part.ts';
import { thousands } from './prose.ts';
import { FLOW_BEGINS_AT_EPOCH_MS, turnCommands } from './turn-commands.ts';

const RATES = [20_000, 100_000];
const SECONDS = 5;
/** The first part of a run warms up and is not counted. */
const COUNTED_FROM = 0.4;
const JOURNAL_FOLDER = 'journal';
const GROUP_BYTES = 64 << 10;

interface Pace {
  readonly offered: number;
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly refused: number;
}

export const durableCommits: Part = {
  name: 'durable-commits',
  async run(options: BenchOptions): Promise<Report> {
    const directory = mkdtempSync(join(tmpdir(), 'openperp-bench-'));
    try {
      const syncMs = await bareSyncs(join(directory, 'bare'), options.isQuick ? 20 : 400);
      const paces: Pace[] = [];
      for (const rate of RATES) paces.push(await paced(join(directory, String(rate)), rate, options));
      return report(paces, syncMs);
    } finally {
      rmSync(directory, { recursive: true, force: true });
    }
  },
};

async function bareSyncs(path: string, count: number): Promise<Float64Array> {
  const file = await open(path, 'w');
  const bytes = Buffer.alloc(GROUP_BYTES, 1);
  const times = new Float64Array(count);
  await file.write(Buffer.alloc(GROUP_BYTES * count));
  await file.sync();
  for (let index = 0; index < count; index += 1) {
    const startedAt = performance.now();
    await file.write(bytes, 0, GROUP_BYTES, index * GROUP_BYTES);
    await file.datasync();
    times[index] = performance.now() - startedAt;
  }
  await file.close();
  return times.sort();
}

async function paced(directory: string, rate: number, options: BenchOptions): Promise<Pace> {
  const profile = options.isQuick ? inSmall(TURNS_PROFILE) : TURNS_PROFILE;
  const count = options.isQuick ? profile.operations : rate * SECONDS;
  const { commands, untimed } = turnCommands(orderFlow({ ...profile, operations: count }, options.seed));
  const lock = lockDirectory(directory);
  const writer = await openWriter({
    files: await nodeFiles(lock, JOURNAL_FOLDER),
    makeSnapshot: snapshotInThread(lock.path, JOURNAL_FOLDER),
    clock: { now: () => (FLOW_BEGINS_AT_EPOCH_MS + Math.floor(performance.now())) as EpochMs },
    rules: venueRules,
    follow: () => {},
    followFrom: { sequence: 0 as Sequence, chainDigest: '' },
    onHalt: (halt) => {
      throw halt.cause ?? new Error(halt.reason);
    },
  });
  for (let place = 0; place < untimed; place += 1000) {
    await Promise.all(commands.slice(place, Math.min(place + 1000, untimed)).map(({ command }) => writer.submit({ command })));
  }
  const offered = commands.slice(untimed).map(({ command }, index) => submissionOf(command, index));
  const pace = await offer(writer, offered, rate);
  await writer.close();
  lock.release();
  return pace;
}

/** Each is due at its own moment: a writer that lags behind does not slow the offering down, it answers late. */
async function offer(writer: Writer, offered: readonly Submission[], rate: number): Promise<Pace> {
  const latencies = new Float64Array(offered.length);
  let answered = 0;
  let refused = 0;
  let sent = 0;
  const startedAt = performance.now();
  const answer = (index: number) => {
    latencies[index] = performance.now() - (startedAt + (index * 1000) / rate);
    answered += 1;
  };
  while (answered < offered.length) {
    const due = Math.min(offered.length, Math.floor(((performance.now() - startedAt) * rate) / 1000));
    for (; sent < due; sent += 1) {
      const index = sent;
      writer.submit(offered[index]!).then(
        () => answer(index),
        () => {
          refused += 1;
          answer(index);
        },
      );
    }
    await nextTurn();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const counted = latencies.slice(Math.floor(offered.length * COUNTED_FROM)).sort();
  return {
    offered: rate,
    perSecond: offered.length / seconds,
    p50Ms: quantile(counted, 0.5),
    p99Ms: quantile(counted, 0.99),
    refused,
  };
}

function submissionOf(command: Command, index: number): Submission {
  if (command.type !== 'PlaceOrder') return { command };
  const keyDigest = new Uint8Array(32);
  new DataView(keyDigest.buffer).setUint32(0, Math.imul(index + 1, 0x9e3779b1));
  new DataView(keyDigest.buffer).setUint32(4, index);
  const idempotency: Omit<RecordKey, 'account'> = { keyDigest, bodyDigest: keyDigest };
  return { command, idempotency };
}

function quantile(sorted: Float64Array, share: number): number {
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
}

function report(paces: readonly Pace[], syncMs: Float64Array): Report {
  const ms = (value: number) => value.toFixed(2);
  const bare = { p50Ms: quantile(syncMs, 0.5), p99Ms: quantile(syncMs, 0.99) };
  const table = {
    title: 'Durable commits: the venue, its journal and the disk, every fourth command a cancel',
    notes: ['milliseconds from when a command is due to the answer that it is durable; nobody follows'],
    columns: ['offered a second', 'answered a second', 'p50', 'p99', 'refused', 'p50 in bare syncs'],
    rows: [
      ...paces.map((it) => [
        thousands(it.offered),
        thousands(Math.round(it.perSecond)),
        ms(it.p50Ms),
        ms(it.p99Ms),
        thousands(it.refused),
        `${(it.p50Ms / bare.p50Ms).toFixed(1)} ×`,
      ]),
      [`a write and a sync of ${GROUP_BYTES >> 10} KiB`, '', ms(bare.p50Ms), ms(bare.p99Ms), '', '1.0 ×'],
    ],
  };
  return { tables: [table], figures: { durableCommits: { paces, bareSync: bare } } };
}
