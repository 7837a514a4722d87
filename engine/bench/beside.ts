/**
 * Compares this checkout with another one by CPU time: the book, whole turns and orders over HTTP. `OPENPERP_BESIDE=<checkout>`
 * names it. Each pair restarts both, since the compiler's result differs from start to start, and every second pair starts with
 * the other one.
 */
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import { inBenchDirectory } from './bench-directory.ts';
import { runProcess } from './bench-process.ts';
import type { LapRequest, LapResponse } from './beside-lap.ts';
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
const SAMPLE_MS = 2_000;
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
        pairs.set(part, await pairsOf(options, (isHere) => sampleOf(isHere ? HERE : there, assignment)));
      }
      pairs.set('orders-over-http', await pairsOverHttp(directory, there, options));
      return report(there, pairs);
    });
  },
};

async function pairsOf({ isQuick }: BenchOptions, sample: (isHere: boolean) => Promise<number>): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  const count = isQuick ? QUICK_PAIRS : Number(process.env.OPENPERP_BESIDE_PAIRS ?? PAIRS);
  while (pairs.length < count) {
    const isHereFirst = pairs.length % 2 === 0;
    const [first, second] = [await sample(isHereFirst), await sample(!isHereFirst)];
    pairs.push(isHereFirst ? { here: first, there: second } : { here: second, there: first });
  }
  return pairs;
}

async function sampleOf(checkout: string, assignment: LapRequest['assignment']): Promise<number> {
  const { isQuick } = assignment.options;
  const times = isQuick ? { warmUpMs: 1, lapMs: 1 } : { warmUpMs: WARM_UP_MS, lapMs: SAMPLE_MS };
  const { answer } = await runProcess<LapResponse>('./beside-lap.ts', { checkout, assignment, ...times } satisfies LapRequest);
  return answer.nanoseconds;
}

/** Both venues run all the time; the one that is not measured is idle. */
async function pairsOverHttp(directory: string, there: string, options: BenchOptions): Promise<readonly Pair[]> {
  const venues = await Promise.all(
    [HERE, there].map((checkout, place) => LoadedVenue.start(join(directory, `venue-${place}`), checkout, options)),
  );
  try {
    const [here, other] = venues as [LoadedVenue, LoadedVenue];
    for (const venue of venues) await venue.sample(options.isQuick ? 100 : HTTP_WARM_UP_MS);
    return await pairsOf(options, (isHere) => (isHere ? here : other).sample(options.isQuick ? 100 : HTTP_LAP_MS));
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
