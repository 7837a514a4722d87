/**
 * Orders over HTTP, durable when answered, compared with a bare fastify route that takes the same body and sends the same
 * response: the venue with everything on, a thousand accounts, and a new idempotency key for every order.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { callOperator } from '#operator/client.ts';
import { inBenchDirectory } from './bench-directory.ts';
import type { BenchOptions } from './contender.ts';
import type { LoadResult, LoadSample, LoadWork } from './http-load.ts';
import type { Part, Report } from './part.ts';
import { inRange, thousands } from './prose.ts';
import { spreadOf } from './race.ts';
import { type VenueAccount, VenueProcess } from './venue-process.ts';

export const MARKET = 'BTC-USD-PERP';
const CREDIT = '1000000';
const ROUNDS = 7;
const ROUND_MS = 3_000;
const WARM_UP_MS = 8_000;
/** Disk space of an order in the journal and in the projection's file, and the maximum responses per second. */
const BYTES_ON_DISK = 1_500;
const MAX_PER_SECOND = 30_000;
/** Accounts created in parallel. */
const LANES = 16;

interface Round {
  readonly venue: LoadResult;
  readonly bare: LoadResult;
}

export const ordersOverHttp: Part = {
  name: 'orders-over-http',
  run: (options: BenchOptions): Promise<Report> => {
    const seconds = (ROUNDS * ROUND_MS + WARM_UP_MS) / 1_000;
    return inBenchDirectory(options.isQuick ? 0 : seconds * MAX_PER_SECOND * BYTES_ON_DISK, async (directory) => {
      const venue = await VenueProcess.start(directory);
      try {
        const rounds = await race(directory, venue, options);
        await venue.stop();
        return report(rounds);
      } finally {
        venue.kill();
      }
    });
  },
};

async function race(directory: string, venue: VenueProcess, { isQuick, seed }: BenchOptions): Promise<readonly Round[]> {
  const accounts = await createAccounts(directory, isQuick ? 20 : 1_000);
  const { url } = venue.addresses;
  const bare = await startBare(await sampleOrder(url, accounts[0]!));
  const workerData: LoadWork = { accounts, marketId: MARKET, connections: isQuick ? 8 : 64, seed };
  const load = new Worker(new URL('./http-load.ts', import.meta.url), { workerData });
  try {
    const sampleOf = async (target: string, milliseconds: number): Promise<LoadResult> => {
      load.postMessage({ url: target, milliseconds, mark: await markOf(url) } satisfies LoadSample);
      const [result] = await once(load, 'message');
      venue.demandRunning();
      return result as LoadResult;
    };
    for (const target of [url, bare.url]) await sampleOf(target, isQuick ? 100 : WARM_UP_MS);
    const rounds: Round[] = [];
    while (rounds.length < (isQuick ? 2 : ROUNDS)) {
      const milliseconds = isQuick ? 100 : ROUND_MS;
      rounds.push({ venue: await sampleOf(url, milliseconds), bare: await sampleOf(bare.url, milliseconds) });
    }
    return rounds;
  } finally {
    await load.terminate();
    bare.stop();
  }
}

export async function createAccounts(directory: string, count: number): Promise<readonly VenueAccount[]> {
  const accounts: VenueAccount[] = [];
  let started = 0;
  const lane = async () => {
    while (started < count) {
      started += 1;
      const label = `load ${started}`;
      accounts.push((await callOperator(directory, { action: 'account.create', label, credit: CREDIT })) as VenueAccount);
    }
  };
  await Promise.all(Array.from({ length: LANES }, lane));
  return accounts;
}

/** The venue's response to a resting order. */
async function sampleOrder(url: string, { accountId, apiKey }: VenueAccount): Promise<object> {
  const price = ((await markOf(url)) * 0.97).toFixed(1);
  const terms = { side: 'buy', orderType: 'limit', price, quantity: '0.001' };
  const response = await fetch(`${url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'idempotency-key': 'sample', 'content-type': 'application/json' },
    body: JSON.stringify({ accountId, marketId: MARKET, clientOrderId: 'sample', ...terms }),
  });
  if (response.status !== 202) throw new Error(`the sample order was answered with ${response.status}: ${await response.text()}`);
  return (await response.json()) as object;
}

export async function markOf(url: string): Promise<number> {
  const response = await fetch(`${url}/v1/markets/${MARKET}/stats`);
  return Number(((await response.json()) as { markPrice: string }).markPrice);
}

async function startBare(order: object): Promise<{ readonly url: string; stop(): void }> {
  const child = fork(new URL('./bare-server.ts', import.meta.url), [JSON.stringify({ order })]);
  const stop = () => child.kill('SIGKILL');
  process.once('exit', stop);
  const [{ url }] = (await once(child, 'message')) as [{ url: string }];
  return { url, stop };
}

function report(rounds: readonly Round[]): Report {
  const spread = (of: (round: Round) => number) => spreadOf(rounds.map(of));
  const perSecond = spread(({ venue, bare }) => venue.perSecond / bare.perSecond);
  const p99 = spread(({ venue, bare }) => venue.p99Ms / bare.p99Ms);
  const row = (name: string, of: (round: Round) => LoadResult) => [
    name,
    inRange(
      spread((round) => of(round).perSecond),
      (value) => thousands(Math.round(value)),
    ),
    inRange(
      spread((round) => of(round).p50Ms),
      (value) => value.toFixed(2),
    ),
    inRange(
      spread((round) => of(round).p99Ms),
      (value) => value.toFixed(2),
    ),
  ];
  const statuses = statusesOf(rounds.map(({ venue }) => venue));
  const table = {
    title: 'Orders over HTTP: 64 connections, a thousand accounts, a quarter of the orders cross, a new key with each',
    notes: [
      'the venue without rate limits: durable when it responds, with all followers of the journal',
      `the venue answered ${Object.entries(statuses)
        .map(([status, count]) => `${status}: ${thousands(count)}`)
        .join(', ')}`,
    ],
    columns: ['', 'orders per second', 'p50, ms', 'p99, ms'],
    rows: [
      row('venue', ({ venue }) => venue),
      row('a bare fastify route', ({ bare }) => bare),
      [
        'the venue : bare route',
        inRange(perSecond, (value) => `${value.toFixed(2)} ×`),
        '',
        inRange(p99, (value) => `${value.toFixed(2)} ×`),
      ],
    ],
  };
  return { tables: [table], figures: { ordersOverHttp: { rounds, ratio: perSecond, p99Ratio: p99, statuses } } };
}

function statusesOf(results: readonly LoadResult[]): Record<string, number> {
  const sum: Record<string, number> = {};
  for (const { statuses } of results)
    for (const [status, count] of Object.entries(statuses)) sum[status] = (sum[status] ?? 0) + count;
  return sum;
}
