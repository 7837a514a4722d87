/**
 * Requests whose response never arrives: the client disconnects at the first byte of the response, or at any moment before, and
 * sometimes the venue is killed instead. Repeated with its key until a response arrives, each request places its orders once.
 */
import { createConnection } from 'node:net';
import { afterAll, expect, test } from 'vitest';
import type { OrderList } from '#contract/account-history.ts';
import type { MarketStats } from '#contract/markets.ts';
import { seededRandom } from '#simulation/seeded-random.ts';
import { temporaryDirectory } from './testing/test-venue.ts';
import { VenueProcess } from './testing/venue-process.ts';

/** `OPENPERP_LOST_RESPONSES=1000 npx vitest run src/app/lost-responses` sets the number of lost responses. */
const LOST = Number(process.env.OPENPERP_LOST_RESPONSES ?? 100);
const LOST_PER_KILL = 25;
/** Cancels before a market's limit of open orders is reached. */
const LOST_PER_CLEARING = 60;
const ENTRIES = 3;
const MAX_TIMEOUT_MS = 6;

const random = seededRandom(20_240_711);
const directory = temporaryDirectory();
let venue: VenueProcess;
afterAll(async () => {
  await venue.end('SIGKILL');
  directory.remove();
});

interface SentRequest {
  readonly path: string;
  readonly key: string;
  readonly body: string;
}

test(
  `${LOST} lost responses neither duplicate nor lose an order`,
  async () => {
    venue = await start();
    const price = (await markPrice()) * 0.95;
    const placed = new Map<string, string>();
    const seen = { cutAfterCommit: 0, replayed: 0, kills: 0 };
    for (let count = 1; count <= LOST; count += 1) {
      const [isBatch, isKilled] = [count % 3 === 0, count % LOST_PER_KILL === 0];
      const orders = Array.from({ length: isBatch ? ENTRIES : 1 }, (_, index) => order(`${count}-${index}`, price));
      const path = isBatch ? '/v1/orders/batch' : '/v1/orders';
      const sent: SentRequest = { path, key: `key-${count}`, body: JSON.stringify(isBatch ? { orders } : orders[0]) };
      if (isKilled) {
        await killWhile(sent);
        seen.kills += 1;
      } else {
        const waitsForResponse = count % 2 === 0;
        await lose(sent, waitsForResponse ? undefined : random() * MAX_TIMEOUT_MS);
        if (waitsForResponse) seen.cutAfterCommit += 1;
      }
      // The repeated request may be lost too.
      if (random() < 0.3) await lose(sent, random() * MAX_TIMEOUT_MS);
      const { body, replayed } = await responded(sent);
      if (replayed) seen.replayed += 1;
      const outcomes = isBatch ? (body as { outcomes: Outcome[] }).outcomes : [body as Outcome];
      expect(outcomes.map(({ clientOrderId }) => clientOrderId)).toEqual(orders.map(({ clientOrderId }) => clientOrderId));
      for (const { clientOrderId, orderId } of outcomes) placed.set(clientOrderId, orderId);
      if (count % LOST_PER_CLEARING === 0) await clear();
    }
    expect(seen.replayed, 'committed requests are not repeated').toBeGreaterThanOrEqual(seen.cutAfterCommit);
    expect(seen.kills).toBe(Math.floor(LOST / LOST_PER_KILL));
    const listed = await listedOrders();
    expect(listed.length).toBe(placed.size);
    expect(new Map(listed.map(({ clientOrderId, orderId }) => [clientOrderId, orderId]))).toEqual(placed);
  },
  600_000 + LOST * 400,
);

interface Outcome {
  readonly orderId: string;
  readonly clientOrderId: string;
}

function order(name: string, price: number) {
  const clientOrderId = `order-${name}`;
  const terms = { side: 'buy', orderType: 'limit', price: price.toFixed(1), quantity: '0.001', leverageX: 10 };
  return { accountId: venue.demo().accountId, marketId: 'BTC-USD-PERP', clientOrderId, ...terms };
}

const start = () => new VenueProcess(directory.path, '--no-house').runs();

/** Sends the whole request and disconnects after some milliseconds, or when a response arrives; does not read it. */
function lose({ path, key, body }: SentRequest, timeoutMs?: number): Promise<void> {
  const { url, apiKey } = venue.demo();
  const { hostname, port } = new URL(url);
  const head = [
    `POST ${path} HTTP/1.1`,
    'Host: localhost',
    `Authorization: Bearer ${apiKey}`,
    `Idempotency-Key: ${key}`,
    'Content-Type: application/json',
    `Content-Length: ${Buffer.byteLength(body)}`,
  ];
  return new Promise((resolve) => {
    const socket = createConnection({ host: hostname, port: Number(port) });
    const leave = () => socket.resetAndDestroy();
    socket.once('connect', () => {
      socket.write(`${head.join('\r\n')}\r\n\r\n${body}`);
      if (timeoutMs === undefined) socket.once('data', leave);
      else setTimeout(leave, timeoutMs);
    });
    socket.on('error', () => {});
    socket.on('close', () => resolve());
  });
}

/** Kills the venue while the request is on its way, and restarts it. */
async function killWhile(sent: SentRequest): Promise<void> {
  const losing = lose(sent, 1_000);
  await new Promise((resolve) => setTimeout(resolve, random() * MAX_TIMEOUT_MS));
  expect(await venue.end('SIGKILL')).toBe('SIGKILL');
  await losing;
  venue = await start();
}

async function responded({ path, key, body }: SentRequest): Promise<{ readonly body: object; readonly replayed: boolean }> {
  const response = await post(path, body, key);
  expect(response.status, JSON.stringify(response.body)).toBe(202);
  return { body: response.body, replayed: response.headers.get('idempotency-replayed') === 'true' };
}

/** A lost response is harmless here: the next call cancels the orders that are still open. */
async function clear(): Promise<void> {
  const sent: SentRequest = { path: '/v1/orders/cancel-all', key: 'any', body: '{}' };
  await lose(sent);
  await lose(sent, random() * MAX_TIMEOUT_MS);
  expect((await post(sent.path, sent.body)).status).toBe(200);
  expect((await post(sent.path, sent.body)).body).toMatchObject({ cancelled: [] });
}

async function post(path: string, body: string, key?: string) {
  const { url, apiKey } = venue.demo();
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' };
  const response = await fetch(url + path, {
    method: 'POST',
    headers: { ...headers, ...(key !== undefined && { 'idempotency-key': key }) },
    body,
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as object };
}

async function listedOrders(): Promise<OrderList['orders'] & readonly Outcome[]> {
  const { url, apiKey, accountId } = venue.demo();
  const orders: OrderList['orders'] = [];
  for (let cursor = ''; ; ) {
    const response = await fetch(`${url}/v1/accounts/${accountId}/orders?limit=500${cursor}`, {
      headers: { authorization: `Bearer ${apiKey}` },
    });
    const page = (await response.json()) as OrderList;
    orders.push(...page.orders);
    if (page.nextCursor === null) return orders as OrderList['orders'] & Outcome[];
    cursor = `&cursor=${page.nextCursor}`;
  }
}

async function markPrice(): Promise<number> {
  const stats = (await (await fetch(`${venue.demo().url}/v1/markets/BTC-USD-PERP/stats`)).json()) as MarketStats;
  return Number(stats.markPrice);
}
