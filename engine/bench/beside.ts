/**
 * Compares this checkout with another one by CPU time: the book, whole turns and orders over HTTP. `OPENPERP_BESIDE=<checkout>`
 * names it. Each pair restarts both, since the compiler's result differs from start to start. Within a pair they take short turns, so
 * that both meet whatever else the machine does.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inBenchDirectory } from './bench-directory.ts';
import { BenchProcess } from './bench-process.ts';
import type { Lap, LapRequest, LapResponse } from './beside-lap.ts';
import { VENUE } from './book-contenders.ts';
import type { BenchOptions } from './contender.ts';
import { PROFILES, TURNS_PROFILE } from './flow-profile.ts';
import type { LoadResult, LoadSample, LoadWork } from './http-load.ts';
import { createAccounts, MARKET, markOf } from './orders-over-http.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { spreadOf } from './race.ts';
import { VenueProcess } from './venue-process.ts';

const HERE = join(import.meta.dirname, '..', '..');
const PAIRS = 15;
const QUICK_PAIRS = 1;
const WARM_UP_MS = 2_500;
const TURN_MS = 50;
const TURNS = 40;
const HTTP_WARM_UP_MS = 8_000;
const HTTP_LAP_MS = 3_000;
const CONNECTIONS = 64;
const BYTES_ON_DISK = 16 << 30;

/** Nanoseconds of CPU time per operation. */
interface Pair {
  readonly here: number;
  readonly there: number;
}

export const beside: Part = {
  name: 'beside',
  run(options: BenchOptions): Promise<Report> {
    const there = process.env.OPENPERP_BESIDE ?? HERE;
    return inBenchDirectory(options.isQuick ? 0 : BYTES_ON_DISK, async (directory) => {
      const pairs = new Map<string, readonly Pair[]>();
      for (const [part, profile] of [['book', PROFILES[0]!.name] as const, ['whole-turns', TURNS_PROFILE.name] as const]) {
        const assignment = { part, contender: VENUE, profile, options };
        pairs.set(part, await pairsOf(options, (isHereFirst) => pairOfProcesses(there, assignment, isHereFirst)));
      }
      pairs.set('orders-over-http', await pairsOverHttp(directory, there, options));
      return report(there, pairs);
    });
  },
};

async function pairsOf({ isQuick }: BenchOptions, pairOf: (isHereFirst: boolean) => Promise<Pair>): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  const count = isQuick ? QUICK_PAIRS : Number(process.env.OPENPERP_BESIDE_PAIRS ?? PAIRS);
  while (pairs.length < count) pairs.push(await pairOf(pairs.length % 2 === 0));
  return pairs;
}

/** Samples both, one after the other. */
async function sampled(sample: (isHere: boolean) => Promise<number>, isHereFirst: boolean): Promise<Pair> {
  const [first, second] = [await sample(isHereFirst), await sample(!isHereFirst)];
  return isHereFirst ? { here: first, there: second } : { here: second, there: first };
}

/** The medians of the turns of two processes. */
async function pairOfProcesses(there: string, assignment: LapRequest['assignment'], isHereFirst: boolean): Promise<Pair> {
  const { isQuick } = assignment.options;
  const processOf = (checkout: string) => new BenchProcess('./beside-lap.ts', { checkout, assignment } satisfies LapRequest);
  const [here, other] = [processOf(HERE), processOf(there)];
  const lapOf = (milliseconds: number) => async (isHere: boolean) => {
    const lap: Lap = { milliseconds: isQuick ? 1 : milliseconds };
    return (await (isHere ? here : other).answer<LapResponse>(lap)).nanoseconds;
  };
  try {
    await sampled(lapOf(WARM_UP_MS), isHereFirst);
    const turns: Pair[] = [];
    while (turns.length < (isQuick ? 1 : TURNS))
      turns.push(await sampled(lapOf(TURN_MS), (turns.length % 2 === 0) === isHereFirst));
    return { here: spreadOf(turns.map((turn) => turn.here)).median, there: spreadOf(turns.map((turn) => turn.there)).median };
  } finally {
    await here.end();
    await other.end();
  }
}

/** Both venues run all the time; the one that is not measured is idle. */
async function pairsOverHttp(directory: string, there: string, options: BenchOptions): Promise<readonly Pair[]> {
  const venues = await Promise.all(
    [HERE, there].map((checkout, place) => LoadedVenue.start(join(directory, `venue-${place}`), checkout, options)),
  );
  try {
    const [here, other] = venues as [LoadedVenue, LoadedVenue];
    for (const venue of venues) await venue.sample(options.isQuick ? 100 : HTTP_WARM_UP_MS);
    const sample = (isHere: boolean) => (isHere ? here : other).sample(options.isQuick ? 100 : HTTP_LAP_MS);
    return await pairsOf(options, (isHereFirst) => sampled(sample, isHereFirst));
  } finally {
    for (const venue of venues) await venue.end();
  }
}

/** A venue of a checkout, and the thread that places orders with it. */
class LoadedVenue {
  readonly #venue: VenueProcess;
  readonly #load: Worker;

  private constructor(venue: VenueProcess, load: Worker) {
    this.#venue = venue;
    this.#load = load;
  }

  static async start(directory: string, checkout: string, { isQuick, seed }: BenchOptions): Promise<LoadedVenue> {
    const venue = await VenueProcess.start(directory, undefined, checkout);
    const accounts = await createAccounts(directory, isQuick ? 20 : 1_000);
    const workerData: LoadWork = { accounts, marketId: MARKET, connections: isQuick ? 8 : CONNECTIONS, seed };
    return new LoadedVenue(venue, new Worker(new URL('./http-load.ts', import.meta.url), { workerData }));
  }

  async sample(milliseconds: number): Promise<number> {
    const { url } = this.#venue.addresses;
    const before = this.#venue.cpuMs();
    this.#load.postMessage({ url, milliseconds, mark: await markOf(url) } satisfies LoadSample);
    const [{ statuses }] = (await once(this.#load, 'message')) as [LoadResult];
    const orders = Object.values(statuses).reduce((sum, count) => sum + count, 0);
    return ((this.#venue.cpuMs() - before) * 1e6) / orders;
  }

  async end(): Promise<void> {
    await this.#load.terminate();
    this.#venue.kill();
  }
}

function report(there: string, pairs: ReadonlyMap<string, readonly Pair[]>): Report {
  const figures = Object.fromEntries(
    [...pairs].map(([part, of]) => [
      part,
      {
        pairs: of.length,
        here: spreadOf(of.map(({ here }) => here)),
        there: spreadOf(of.map((pair) => pair.there)),
        ratio: spreadOf(of.map((pair) => pair.here / pair.there)),
      },
    ]),
  );
  const table = {
    title: `This checkout beside ${there}`,
    notes: ['nanoseconds of CPU time per operation, of all threads; ratios within a pair'],
    columns: ['', 'pairs', 'here', 'there', 'here / there'],
    rows: Object.entries(figures).map(([part, it]) => [
      part,
      String(it.pairs),
      inRange(it.here, (ns) => thousands(Math.round(ns))),
      inRange(it.there, (ns) => thousands(Math.round(ns))),
      inRange(it.ratio, (value) => value.toFixed(3)),
    ]),
  };
  return { tables: [table], figures: { beside: figures } };
}
