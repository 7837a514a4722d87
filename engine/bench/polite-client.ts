/**
 * A thread with one client that stays far below every limit: it places and cancels orders, reads, and pings on a socket, each on
 * a connection of its own, and measures the response times. It receives {@link PoliteClientWindow}s and posts {@link PoliteClientResult}s.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { WebSocket } from 'ws';
import { MARKET } from './attack-rows.ts';
import { HttpClient } from './http-client.ts';
import type { VenueAccount } from './venue-process.ts';

export interface PoliteClientTask {
  readonly account: VenueAccount;
  readonly url: string;
  readonly realtimeUrl: string;
  /** The client address in X-Forwarded-For. */
  readonly address: string;
  /** The price of orders: far below the mark price, so that they rest. */
  readonly price: string;
}

export interface PoliteClientWindow {
  readonly milliseconds: number;
}

export const LANES = ['orders', 'reads', 'pings'] as const;
export type Lane = (typeof LANES)[number];

export type PoliteClientResult = Readonly<Record<Lane, LaneResult>>;

export interface LaneResult {
  readonly count: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Connections that the venue closed. */
  readonly cut: number;
  /** Responses other than success. */
  readonly refused: number;
}

/** The interval between requests, if the last response has arrived. */
const PACE_MS = 10;
const PING_SOCKETS = 6;
/** A missing response counts as this long, and as a cut. */
const TIMEOUT_MS = 10_000;

/** Sends one request. Resolves with whether it succeeded, rejects if the connection is closed. */
type Exchange = () => Promise<boolean>;

const { account, url, realtimeUrl, address, price } = workerData as PoliteClientTask;
const { hostname, port } = new URL(url);
let named = 0;

async function orderLane(): Promise<Exchange> {
  const client = await HttpClient.connect(hostname, Number(port));
  let isPlaced = false;
  return async () => {
    if (!isPlaced) named += 1;
    const name = `polite-${named}`;
    const order = { side: 'buy', orderType: 'limit', price, quantity: '0.001', clientOrderId: name };
    const status = isPlaced
      ? await client.send(textOf('POST', `/v1/orders/by-client-order-id/${name}/cancel`))
      : await client.send(textOf('POST', '/v1/orders', { accountId: account.accountId, marketId: MARKET, ...order }, name));
    isPlaced = !isPlaced && status === 202;
    return status < 300;
  };
}

async function readLane(): Promise<Exchange> {
  const client = await HttpClient.connect(hostname, Number(port));
  return async () => (await client.send(textOf('GET', `/v1/accounts/${account.accountId}/orders?limit=20`))) === 200;
}

/** Uses sockets in turn, so that each stays below the frame rate limit. */
async function pingLane(): Promise<Exchange> {
  const sockets = await Promise.all(Array.from({ length: PING_SOCKETS }, pingSocket));
  let turn = 0;
  return () => {
    turn += 1;
    return sockets[turn % sockets.length]!();
  };
}

async function pingSocket(): Promise<Exchange> {
  const socket = new WebSocket(realtimeUrl, { headers: { 'x-forwarded-for': address } });
  await new Promise((resolve, reject) => {
    socket.once('open', resolve);
    socket.once('error', reject);
  });
  let responded = Promise.withResolvers<boolean>();
  socket.on('message', (bytes) => {
    if (String(bytes).includes('pong')) responded.resolve(true);
  });
  socket.on('close', (code) => responded.reject(new Error(`closed with ${code}`)));
  return () => {
    responded = Promise.withResolvers<boolean>();
    socket.send('{"op":"ping"}');
    return responded.promise;
  };
}

function textOf(method: string, path: string, body?: object, key?: string): string {
  const text = body === undefined ? '' : JSON.stringify(body);
  const headers = [
    `host: ${hostname}`,
    `x-forwarded-for: ${address}`,
    `authorization: Bearer ${account.apiKey}`,
    ...(key === undefined ? [] : [`idempotency-key: ${key}`]),
    ...(text === '' ? [] : ['content-type: application/json', `content-length: ${text.length}`]),
  ];
  return `${method} ${path} HTTP/1.1\r\n${headers.join('\r\n')}\r\n\r\n${text}`;
}

async function measured(open: () => Promise<Exchange>, milliseconds: number): Promise<LaneResult> {
  const latencies: number[] = [];
  let cut = 0;
  let refused = 0;
  let exchange = await open();
  const until = performance.now() + milliseconds;
  for (let now = performance.now(); now < until; ) {
    try {
      if (!(await withTimeout(exchange()))) refused += 1;
    } catch {
      cut += 1;
      exchange = await open();
    }
    latencies.push(performance.now() - now);
    const restMs = PACE_MS - (performance.now() - now);
    if (restMs > 0) await new Promise((resolve) => setTimeout(resolve, restMs));
    now = performance.now();
  }
  latencies.sort((left, right) => left - right);
  const quantile = (share: number) => latencies[Math.floor(latencies.length * share)]!;
  return { count: latencies.length, p50Ms: quantile(0.5), p99Ms: quantile(0.99), cut, refused };
}

function withTimeout(exchanged: Promise<boolean>): Promise<boolean> {
  const late = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => late.reject(new Error('no response')), TIMEOUT_MS);
  return Promise.race([exchanged, late.promise]).finally(() => clearTimeout(timer));
}

parentPort!.on('message', async ({ milliseconds }: PoliteClientWindow) => {
  const [orders, reads, pings] = await Promise.all([orderLane, readLane, pingLane].map((open) => measured(open, milliseconds)));
  parentPort!.postMessage({ orders, reads, pings });
});
