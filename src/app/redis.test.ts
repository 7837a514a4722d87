/** A venue with a Redis that is killed, hangs and comes back under load: trading goes on, and no order is lost. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Redis } from 'ioredis';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { registerOwner, SITE } from '#http/testing/owner-client.ts';
import { openOwnerStores } from '#identity/owner-stores.ts';
import { createSessionBearer } from '#identity/session-bearer.ts';
import { openInRedis } from '#redis/owner-stores.ts';
import { RedisLink } from '#redis/redis-link.ts';
import { NO_REDIS, RedisProcess } from '#redis/testing/redis-process.ts';
import { systemTime } from '#time/system-time.ts';
import type { VenueConfig } from './config.ts';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from './testing/test-venue.ts';
import { callsTo } from './testing/venue-calls.ts';

const undo: (() => unknown)[] = [];
afterEach(async () => {
  for (const step of undo.splice(0).reverse()) await step();
});

async function started(url: string, changes: Partial<VenueConfig> = {}): Promise<TestVenue> {
  const { path, remove } = temporaryDirectory();
  undo.push(remove);
  const venue = await startTestVenue(testConfig(path, { redis: { url, prefix: 'test' }, ...changes }));
  undo.push(() => venue.stop());
  return venue;
}

async function startedRedis(): Promise<RedisProcess> {
  const redis = await RedisProcess.start();
  undo.push(() => redis.remove());
  return redis;
}

interface Client {
  readonly accountId: string;
  readonly apiKey: string;
}

/** Places an order that rests far from the market. */
async function place(venue: TestVenue, { accountId, apiKey }: Client, clientOrderId: string): Promise<number> {
  const terms = { marketId: 'SOL-USD-PERP', side: 'buy', orderType: 'limit', price: '140', quantity: '0.01' };
  const response = await fetch(`${venue.url}/v1/orders`, {
    method: 'POST',
    headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json', 'idempotency-key': clientOrderId },
    body: JSON.stringify({ accountId, clientOrderId, ...terms }),
  });
  await response.arrayBuffer();
  return response.status;
}

function ticketRequest(venue: TestVenue, method: string, body?: object, apiKey?: string): Promise<Response> {
  return fetch(`${venue.url}/v1/realtime/ticket`, {
    method,
    headers: {
      ...(apiKey !== undefined && { authorization: `Bearer ${apiKey}` }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

async function minted(venue: TestVenue, apiKey: string): Promise<string> {
  const { ticket } = (await (await ticketRequest(venue, 'POST', undefined, apiKey)).json()) as { ticket: string };
  return ticket;
}

async function readiness(venue: TestVenue): Promise<{ status: string; degraded: string[] }> {
  return (await fetch(`${venue.url}/ready`)).json() as Promise<{ status: string; degraded: string[] }>;
}

describe.skipIf(NO_REDIS !== undefined)('a venue with Redis', () => {
  test('goes on trading while Redis is killed, restarted and hangs, reports it, and loses no order', async () => {
    const redis = await startedRedis();
    const venue = await started(redis.url, { ordersPerSecond: 100_000 });
    const client = await venue.createAccount({ label: 'client', credit: '100000' });
    const placed: string[] = [];
    let isOver = false;
    const load = Array.from({ length: 4 }, async (_, lane) => {
      for (let count = 0; !isOver && count < 100; count += 1) {
        const id = `order-${lane}-${count}`;
        expect(await place(venue, client, id)).toBe(202);
        placed.push(id);
        await sleep(20);
      }
    });
    const untilMore = (more: number) => expect.poll(() => placed.length).toBeGreaterThan(placed.length + more);
    await untilMore(5);
    expect(await readiness(venue)).toMatchObject({ status: 'ready', degraded: [] });
    await redis.kill();
    await untilMore(5);
    expect(await readiness(venue)).toMatchObject({ status: 'ready', degraded: [expect.stringMatching(/^redis_unavailable: /)] });
    expect(await (await fetch(venue.metricsUrl!)).text()).toContain('openperp_redis_up 0\n');
    await redis.start();
    await expect.poll(async () => (await readiness(venue)).degraded).toEqual([]);
    await untilMore(5);
    await redis.hang();
    await untilMore(5);
    await redis.proceed();
    isOver = true;
    await Promise.all(load);
    const response = await fetch(`${venue.url}/v1/accounts/${client.accountId}/orders/open?limit=500`, {
      headers: { authorization: `Bearer ${client.apiKey}` },
    });
    const { orders } = (await response.json()) as { orders: { clientOrderId: string }[] };
    expect(orders.map(({ clientOrderId }) => clientOrderId).sort()).toEqual(placed.sort());
    expect(venue.internalErrors).toEqual([]);
    expect(venue.lines.filter((line) => line.startsWith('redis:'))[0]).toMatch(/^redis: unavailable /);
  });

  test('starts without Redis, and connects when it becomes available', async () => {
    const redis = await startedRedis();
    await redis.kill();
    const venue = await started(redis.url);
    expect(await readiness(venue)).toMatchObject({ status: 'ready', degraded: [expect.any(String)] });
    await redis.start();
    await expect.poll(async () => (await readiness(venue)).degraded).toEqual([]);
  });

  test('refuses with 429 when several processes exceed the limit together', async () => {
    const redis = await startedRedis();
    const venues = await Promise.all([started(redis.url, { readsPerSecond: 5 }), started(redis.url, { readsPerSecond: 5 })]);
    const statuses: number[] = [];
    for (let count = 0; count < 60; count += 1) statuses.push((await fetch(`${venues[count % 2]!.url}/v1/markets`)).status);
    expect(statuses.slice(0, 10)).toEqual(Array(10).fill(200));
    expect(statuses).toContain(429);
  });

  test('accepts tickets of another process, and revokes them for both', async () => {
    const redis = await startedRedis();
    const { path, remove } = temporaryDirectory();
    undo.push(remove);
    const first = await startTestVenue(testConfig(path, { redis: { url: redis.url, prefix: 'test' } }));
    const { apiKey } = await first.createAccount({ label: 'client', credit: '1' });
    const ticket = await minted(first, apiKey);
    await first.stop();
    // The next process knows the key from its journal, and the ticket from Redis.
    const second = await startTestVenue(testConfig(path, { redis: { url: redis.url, prefix: 'test' } }));
    undo.push(() => second.stop());
    const socket = new WebSocket(second.realtimeUrl);
    undo.push(() => socket.terminate());
    const frames: { type: string }[] = [];
    socket.on('message', (bytes) => frames.push(JSON.parse(String(bytes))));
    await new Promise((resolve) => socket.once('open', resolve));
    socket.send(JSON.stringify({ op: 'auth', ticket }));
    await expect.poll(() => frames.map(({ type }) => type)).toContain('auth_ok');
    const closed = new Promise<number>((resolve) => socket.once('close', resolve));
    expect((await ticketRequest(second, 'DELETE', { ticket })).status).toBe(204);
    expect(await closed).toBe(4005);
    expect((await ticketRequest(second, 'PUT', { ticket })).status).toBe(401);
  });

  test('refuses tickets with 503 while Redis is unavailable, and accepts them again if it only hung', async () => {
    const redis = await startedRedis();
    const venue = await started(redis.url);
    const client = await venue.createAccount({ label: 'client', credit: '1000' });
    const ticket = await minted(venue, client.apiKey);
    await redis.hang();
    const responses = [
      await ticketRequest(venue, 'POST', undefined, client.apiKey),
      await ticketRequest(venue, 'PUT', { ticket }),
      await ticketRequest(venue, 'DELETE', { ticket }),
    ];
    for (const response of responses) {
      expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
      expect(await response.json()).toMatchObject({
        code: 'dependency_unavailable',
        dependency: 'realtime_tickets',
        retryable: true,
      });
    }
    expect(await place(venue, client, 'meanwhile')).toBe(202);
    await redis.proceed();
    await expect.poll(async () => (await ticketRequest(venue, 'PUT', { ticket })).status).toBe(200);
    await redis.kill();
    await redis.start();
    // A ticket that Redis forgot is invalid, and a new one can be issued.
    await expect.poll(async () => (await ticketRequest(venue, 'PUT', { ticket })).status).toBe(401);
    expect(await minted(venue, client.apiKey)).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(venue.internalErrors).toEqual([]);
  });

  test('accepts sessions that another process opened, and refuses them with 503 while Redis is unavailable', async () => {
    const redis = await startedRedis();
    const venue = await started(redis.url, { publicOrigin: SITE.origin });
    const { authenticator, ...owner } = await registerOwner({ call: callsTo(venue.url) });
    const { accountId: traded, apiKey } = await venue.createAccount({ label: 'client', credit: '1' });
    const { steadyClock, clock } = systemTime;
    const ignore = () => {};
    const link = new RedisLink({ url: redis.url, prefix: 'test', steadyClock, log: ignore, onInternalError: ignore });
    undo.push(() => link.close());
    await link.settled();
    const { sessions } = openOwnerStores(openInRedis(link), clock);
    const { account, accountId } = owner;
    const credentialId = authenticator.credentialId.toString('base64url');
    const opened = await sessions.open(account, { by: 'passkey', credentialId });
    if (opened === 'full') throw new Error('full');
    const inspected = () => fetch(`${venue.url}/v1/auth/session`, { headers: { authorization: `Bearer ${opened.bearer}` } });
    expect(await (await inspected()).json()).toMatchObject({ accountId, sessionId: opened.session.sessionId });
    await redis.hang();
    const response = await inspected();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '5']);
    expect(await response.json()).toMatchObject({ code: 'dependency_unavailable', dependency: 'sessions', retryable: true });
    expect(await place(venue, { accountId: traded, apiKey }, 'meanwhile')).toBe(202);
    await redis.proceed();
    await expect.poll(async () => (await inspected()).status).toBe(200);
    await sessions.revoke(opened.session.account, opened.session.sessionId);
    expect((await inspected()).status).toBe(401);
    expect(venue.internalErrors).toEqual([]);
  });

  test('looks up no more unknown sessions of a network than its limit', async () => {
    const redis = await startedRedis();
    const { path, remove } = temporaryDirectory();
    undo.push(remove);
    const changes = { publicOrigin: SITE.origin, readsPerSecond: 5 };
    const config = testConfig(path, { redis: { url: redis.url, prefix: 'test' }, ...changes });
    // Nothing refills.
    const venue = await startTestVenue(config, { steadyClock: { elapsedMs: () => 0 } });
    undo.push(() => venue.stop());
    const { key } = await registerOwner({ call: callsTo(venue.url) });
    const inspected = async (bearer: string) =>
      (await fetch(`${venue.url}/v1/auth/session`, { headers: { authorization: `Bearer ${bearer}` } })).status;
    expect([await inspected(key), await inspected(createSessionBearer().bearer)]).toEqual([200, 401]);
    const client = new Redis(redis.url);
    undo.push(() => client.disconnect());
    const scripts = async () => Number(/cmdstat_evalsha:calls=(\d+)/.exec(await client.info('commandstats'))?.[1]);
    const before = await scripts();
    const statuses: number[] = [];
    for (let count = 0; count < 100; count += 1) statuses.push(await inspected(createSessionBearer().bearer));
    expect(statuses.filter((status) => status === 401)).toHaveLength(9);
    expect(statuses.filter((status) => status === 429)).toHaveLength(91);
    // Of each lookup: the session, and the count of the refusal.
    expect((await scripts()) - before).toBe(18);
    expect(await inspected(key)).toBe(200);
  });

  test('shows the URL of Redis to no client', async () => {
    const redis = await startedRedis();
    const venue = await started(redis.url.replace('//', '//somebody:battery-staple@'));
    await expect.poll(() => venue.lines.filter((line) => line.startsWith('redis:')).length).toBeGreaterThan(0);
    expect(venue.lines.join('\n')).not.toMatch(/battery-staple|somebody/);
    expect(JSON.stringify(await readiness(venue))).not.toMatch(/battery-staple|somebody/);
  });
});
