/**
 * The venue under load for half an hour: does its memory or latency grow with time? Runs only by name; `OPENPERP_SOAK_MINUTES`
 * sets the duration, `OPENPERP_SOAK_RATE` the commands per second.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report, Table } from './part.ts';
import { thousands } from './prose.ts';
import { type LoadInterval, SoakLoad } from './soak-load.ts';
import { byMinute, type SoakSample, type SoakTrend, trendOf } from './soak-trend.ts';
import { VenueProcess } from './venue-process.ts';

const MINUTES = 30;
const QUICK_MINUTES = 0.06;
const SAMPLE_MS = 10_000;
const QUICK_SAMPLE_MS = 500;
const COMMANDS_PER_SECOND = 3_000;
const QUICK_COMMANDS_PER_SECOND = 200;
/** Or half of a run that is shorter than twice that. */
const SETTLED_MINUTES = 3;
/** The number of keys and client order ids that the venue retains per account. */
export const KEYS_PER_ACCOUNT = 100_000;
const CREDIT = '5000000';
const MINUTE_MS = 60_000;
/** Disk space of a command in the journal and in the projection's file. */
const BYTES_ON_DISK = 1_500;

interface Run {
  readonly samples: readonly SoakSample[];
  readonly reads: number;
  readonly frames: number;
  readonly outcomes: ReadonlyMap<string, number>;
  /** When every account has reached the retained number of keys and ids; `undefined`: not in this run. */
  readonly fullAfterMinutes: number | undefined;
}

export const soak: Part = {
  name: 'soak',
  run({ isQuick }: BenchOptions): Promise<Report> {
    const minutes = positive('OPENPERP_SOAK_MINUTES', isQuick ? QUICK_MINUTES : MINUTES);
    const rate = positive('OPENPERP_SOAK_RATE', isQuick ? QUICK_COMMANDS_PER_SECOND : COMMANDS_PER_SECOND);
    return inBenchDirectory(minutes * 60 * rate * BYTES_ON_DISK, async (directory) => {
      const venue = await VenueProcess.start(directory);
      try {
        const run = await load(venue, minutes, rate, isQuick ? QUICK_SAMPLE_MS : SAMPLE_MS);
        await venue.stop();
        return report(run, trendOf(run.samples, Math.min(SETTLED_MINUTES, minutes / 2)), rate);
      } finally {
        venue.kill();
      }
    });
  },
};

async function load(venue: VenueProcess, minutes: number, rate: number, sampleMs: number): Promise<Run> {
  const accounts = [await venue.createAccount(CREDIT), await venue.createAccount(CREDIT)] as const;
  const load = await SoakLoad.begin(venue.addresses, accounts, rate);
  const samples: SoakSample[] = [];
  let [reads, frames] = [0, 0];
  let fullAfterMinutes: number | undefined;
  const startedAt = performance.now();
  let sampledAt = startedAt;
  for (let due = startedAt + sampleMs; due <= startedAt + minutes * MINUTE_MS; due += sampleMs) {
    await sleep(due - performance.now());
    venue.demandRunning();
    load.demandValid();
    const now = performance.now();
    const interval = load.interval();
    const sample = sampleOf(interval, (now - startedAt) / MINUTE_MS, now - sampledAt, venue.residentBytes());
    samples.push(sample);
    print(sample);
    reads += interval.reads;
    frames += interval.frames;
    sampledAt = now;
    const isFull = accounts.every(({ accountId }) => (load.placed.get(accountId) ?? 0) >= KEYS_PER_ACCOUNT);
    if (isFull) fullAfterMinutes ??= sample.minutes;
  }
  await load.end();
  return { samples, reads, frames, outcomes: load.outcomes, fullAfterMinutes };
}

function sampleOf({ latencies }: LoadInterval, minutes: number, milliseconds: number, residentBytes: number): SoakSample {
  if (latencies.length === 0) throw new Error(`no command was answered for ${milliseconds.toFixed(0)} ms`);
  const sorted = Float64Array.from(latencies).sort();
  const quantile = (share: number) => sorted[Math.floor(sorted.length * share)]!;
  const commandsPerSecond = (sorted.length * 1_000) / milliseconds;
  return { minutes, residentBytes, p50Ms: quantile(0.5), p99Ms: quantile(0.99), commandsPerSecond };
}

/** Prints the progress. */
function print({ minutes, residentBytes, p50Ms, p99Ms, commandsPerSecond }: SoakSample): void {
  const latency = `p50 ${p50Ms.toFixed(2)} ms, p99 ${p99Ms.toFixed(2)} ms`;
  const rate = `${thousands(Math.round(commandsPerSecond))} commands per second`;
  console.error(`soak: minute ${minutes.toFixed(1)}: ${mebibytes(residentBytes)} MiB, ${latency}, ${rate}`);
}

function report(run: Run, trend: SoakTrend, rate: number): Report {
  const { samples, reads, frames, outcomes, fullAfterMinutes } = run;
  const commands = [...outcomes.values()].reduce((sum, count) => sum + count, 0);
  const reported = [...outcomes].map(([outcome, count]) => `${thousands(count)} ${outcome}`).join(', ');
  const full =
    fullAfterMinutes === undefined ? 'no account has' : `both accounts have, from minute ${fullAfterMinutes.toFixed(1)} on,`;
  const minutes: Table = {
    title: `Soak: the venue, two accounts, ${thousands(rate)} commands per second offered`,
    notes: [
      `${thousands(commands)} commands (${reported}), ${thousands(reads)} reads, ${thousands(frames)} frames of the realtime service`,
      `${full} the maximum of retained idempotency keys and client order ids per account (${thousands(KEYS_PER_ACCOUNT)})`,
    ],
    columns: ['minute', 'memory, MiB', 'p50, ms', 'p99, ms', 'commands per second'],
    rows: byMinute(samples).map((it) => [
      String(it.minutes),
      mebibytes(it.residentBytes),
      it.p50Ms.toFixed(2),
      it.p99Ms.toFixed(2),
      thousands(Math.round(it.commandsPerSecond)),
    ]),
  };
  const verdict: Table = {
    title: `Soak: growth from minute ${trend.fromMinutes} on`,
    notes: [],
    columns: ['', 'a minute', 'verdict'],
    rows: [
      ['memory', `${trend.residentMibPerMinute.toFixed(2)} MiB`, trend.isMemoryFlat ? 'flat: at most 1 MiB' : 'IT GROWS'],
      [
        'p99 of the responses',
        `${trend.p99MsPerMinute.toFixed(3)} ms`,
        trend.isP99Flat ? `flat: last third ${trend.p99Growth.toFixed(2)} × first` : 'IT GROWS',
      ],
    ],
  };
  const figures = { rate, commands, reads, frames, outcomes: Object.fromEntries(outcomes), fullAfterMinutes, trend, samples };
  return { tables: [minutes, verdict], figures: { soak: figures } };
}

function mebibytes(bytes: number): string {
  return thousands(Math.round(bytes / (1 << 20)));
}

function positive(name: string, otherwise: number): number {
  const value = Number(process.env[name] ?? otherwise);
  if (!(value > 0)) throw new Error(`${name} must be a number above 0`);
  return value;
}
