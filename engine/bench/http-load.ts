/**
 * A thread that places orders over HTTP on keep-alive connections, as fast as they are answered: each with a new idempotency key
 * and client order id, from one of many accounts. It receives {@link LoadSample}s and posts {@link LoadResult}s.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { seededRandom } from '#simulation/seeded-random.ts';
import { HttpClient } from './http-client.ts';
import type { VenueAccount } from './venue-process.ts';

export interface LoadWork {
  readonly accounts: readonly VenueAccount[];
  readonly marketId: string;
  readonly connections: number;
  readonly seed: number;
}

export interface LoadSample {
  readonly url: string;
  readonly milliseconds: number;
  /** In the market's own decimals. */
  readonly mark: number;
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** The number of responses by status. */
  readonly statuses: Readonly<Record<number, number>>;
}

const CROSSING_SHARE = 0.25;
/** Orders rest within this fraction of the mark price, and crossing ones reach as far. */
const REACH = 0.02;

const { accounts, marketId, connections, seed } = workerData as LoadWork;
const random = seededRandom(seed);
let placed = 0;

parentPort!.on('message', async (sample: LoadSample) => {
  parentPort!.postMessage(await run(sample));
});

async function run({ url, milliseconds, mark }: LoadSample): Promise<LoadResult> {
  const { hostname, port } = new URL(url);
  const clients = await Promise.all(Array.from({ length: connections }, () => HttpClient.connect(hostname, Number(port))));
  const latencies: number[] = [];
  const statuses: Record<number, number> = {};
  const startedAt = performance.now();
  const until = startedAt + milliseconds;
  const lane = async (client: HttpClient) => {
    for (let now = performance.now(); now < until; ) {
      const status = await client.send(requestOf(hostname, mark));
      const respondedAt = performance.now();
      latencies.push(respondedAt - now);
      statuses[status] = (statuses[status] ?? 0) + 1;
      now = respondedAt;
    }
  };
  await Promise.all(clients.map(lane));
  const seconds = (performance.now() - startedAt) / 1_000;
  for (const client of clients) client.close();
  latencies.sort((left, right) => left - right);
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)]!;
  return { perSecond: latencies.length / seconds, p50Ms: quantile(0.5), p99Ms: quantile(0.99), statuses };
}

function requestOf(host: string, mark: number): string {
  placed += 1;
  const { accountId, apiKey } = accounts[Math.floor(random() * accounts.length)]!;
  const isBuy = random() < 0.5;
  const isCrossing = random() < CROSSING_SHARE;
  // A resting buy is below the mark price, and a crossing one above it.
  const isBelow = isBuy !== isCrossing;
  const distance = isCrossing ? REACH : random() * REACH;
  const price = (mark * (isBelow ? 1 - distance : 1 + distance)).toFixed(1);
  const body = `{"accountId":"${accountId}","marketId":"${marketId}","clientOrderId":"load-${placed}","side":"${isBuy ? 'buy' : 'sell'}","orderType":"limit","price":"${price}","quantity":"0.001"}`;
  return `POST /v1/orders HTTP/1.1\r\nhost: ${host}\r\nauthorization: Bearer ${apiKey}\r\nidempotency-key: key-${placed}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`;
}
