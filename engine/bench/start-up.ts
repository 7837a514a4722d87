/**
 * The start time of a venue, on an empty directory and again, with and without synthetic history; and the time of the first page
 * of 500 candles, which computes them. `OPENPERP_START_BESIDE=<checkout>` starts another version in turn with this one.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { Part, Report } from './part.ts';
import { inRange } from './prose.ts';
import { type Spread, spreadOf } from './race.ts';

const ROUNDS = 8;
const QUICK_ROUNDS = 1;
const HERE = join(import.meta.dirname, '..', '..');
/** Of a data directory without trades. */
const BYTES_PER_START = 256 << 20;
const CANDLES = '/v1/markets/BTC-USD-PERP/candles?limit=500&timeframe=';

interface Contestant {
  readonly name: string;
  readonly checkout: string;
  readonly options: readonly string[];
}

/** In milliseconds. */
interface Sample {
  readonly first: number;
  readonly again: number;
  /** By timeframe: the first page of 500 candles, and the same page again. */
  readonly pages: Readonly<Record<'1m' | '4h', readonly [first: number, again: number]>>;
}

export const startUp: Part = {
  name: 'start',
  run({ isQuick }: BenchOptions): Promise<Report> {
    const contestants = contestantsHere(process.env.OPENPERP_START_BESIDE);
    return inBenchDirectory(BYTES_PER_START, async (directory) => {
      const laps = new Map<Contestant, Sample[]>(contestants.map((contestant) => [contestant, []]));
      for (let round = 0; round < (isQuick ? QUICK_ROUNDS : ROUNDS); round += 1) {
        // Each is the first of a round equally often.
        for (let place = 0; place < contestants.length; place += 1) {
          const contestant = contestants[(round + place) % contestants.length]!;
          laps.get(contestant)!.push(await sampleOf(contestant, join(directory, `${round}-${place}`)));
        }
      }
      return report(laps);
    });
  },
};

function contestantsHere(beside: string | undefined): readonly Contestant[] {
  const here = [
    { name: 'with --history 30d', checkout: HERE, options: ['--history', '30d'] },
    { name: 'with --history 0', checkout: HERE, options: ['--history', '0'] },
  ];
  return beside === undefined ? here : [...here, { name: beside, checkout: beside, options: [] }];
}

async function sampleOf({ checkout, options }: Contestant, directory: string): Promise<Sample> {
  mkdirSync(directory);
  const fresh = await started(checkout, [...options, '--data-dir', directory]);
  const pages = { '4h': await pageTimes(directory, '4h'), '1m': await pageTimes(directory, '1m') };
  await fresh.stop();
  const second = await started(checkout, ['--data-dir', directory]);
  await second.stop();
  return { first: fresh.ms, again: second.ms, pages };
}

/** From the start of the process until the venue prints its banner. */
async function started(checkout: string, options: readonly string[]) {
  const startedAt = performance.now();
  const args = [join(checkout, 'src', 'openperp.mjs'), 'start', '--port', '0', '--no-house', ...options];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'], cwd: checkout });
  const kill = () => child.kill('SIGKILL');
  process.once('exit', kill);
  let printed = '';
  const ms = await new Promise<number>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the venue of ${checkout} does not start:\n${printed}`)));
    child.stdout.on('data', (bytes) => {
      printed += String(bytes);
      if (printed.includes('Ctrl-C stops it')) resolve(performance.now() - startedAt);
    });
  });
  const stop = async () => {
    const ended = once(child, 'exit');
    child.kill('SIGTERM');
    await ended;
    process.off('exit', kill);
  };
  return { ms, stop };
}

async function pageTimes(directory: string, timeframe: string): Promise<readonly [number, number]> {
  const url = /^OPENPERP_URL=(.+)$/m.exec(readFileSync(join(directory, 'demo.env'), 'utf8'))![1]!;
  const read = async () => {
    const startedAt = performance.now();
    const response = await fetch(url + CANDLES + timeframe);
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${CANDLES}${timeframe} is answered ${response.status}`);
    return performance.now() - startedAt;
  };
  return [await read(), await read()];
}

function report(laps: ReadonlyMap<Contestant, readonly Sample[]>): Report {
  const baseline = [...laps.values()].at(-1)!;
  const figures: Record<string, Record<string, Spread>> = {};
  for (const [{ name }, of] of laps) {
    figures[name] = {
      first: spreadOf(of.map(({ first }) => first)),
      again: spreadOf(of.map(({ again }) => again)),
      firstRatio: spreadOf(of.map(({ first }, round) => first / baseline[round]!.first)),
      againRatio: spreadOf(of.map(({ again }, round) => again / baseline[round]!.again)),
      firstPage4h: spreadOf(of.map(({ pages }) => pages['4h'][0])),
      againPage4h: spreadOf(of.map(({ pages }) => pages['4h'][1])),
      firstPage1m: spreadOf(of.map(({ pages }) => pages['1m'][0])),
    };
  }
  const inMs = (spread: Spread) => inRange(spread, (value) => value.toFixed(0));
  const asRatio = (spread: Spread) => inRange(spread, (value) => value.toFixed(2));
  const table = {
    title: 'Start: from the start of the process until the venue prints its banner',
    notes: [
      'in ms, without market makers; ratios to the last row, round by round',
      'pages of 500 candles, the first one computed',
    ],
    columns: ['', 'new venue', 'ratio', 'started again', 'ratio', '4h, first page', 'again', '1m, first page'],
    rows: Object.entries(figures).map(([name, it]) => [
      name,
      inMs(it.first!),
      asRatio(it.firstRatio!),
      inMs(it.again!),
      asRatio(it.againRatio!),
      inMs(it.firstPage4h!),
      inMs(it.againPage4h!),
      inMs(it.firstPage1m!),
    ]),
  };
  return { tables: [table], figures: { start: figures } };
}
