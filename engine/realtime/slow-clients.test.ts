/** Clients that do not read what they request: unsent bytes are bounded, per client and in total. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { afterAll, describe, expect, onTestFinished, test } from 'vitest';
import { CLOSE_CODES, type RealtimeLimits } from '#contract/realtime-limits.ts';
import { systemTime } from '#time/system-time.ts';
import { eventually } from '#time/testing/eventually.ts';
import type { Timers } from '#time/timers.ts';
import { quoteAndCancel } from './testing/quoting.ts';
import { RecordedService } from './testing/recorded-service.ts';
import { OF_SLOW_CLIENTS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';

const ORDERS = { channel: 'account.orders', accountId: 'acct-1' };
/** Bytes per 100 rounds. 300 rounds are more than the system buffers for a socket that is not read. */
const ROUNDS_BYTES = 3_450_000;
const LIMITS = { maxReplayBytes: 2 ** 26, maxQueuedBytes: 2 ** 26, replayWindowBytes: 2 ** 25 };

/** How long a socket may take to close before it is terminated. */
const CLOSE_GRACE_MS = 2_000;

/** On a slow machine the socket of a closed client would be terminated before the client reads the close frame: here it never is. */
const unhurried: Timers = {
  ...systemTime.timers,
  setTimeout: (task, delayMs, options) =>
    delayMs === CLOSE_GRACE_MS ? { cancel: () => {} } : systemTime.timers.setTimeout(task, delayMs, options),
};

const startUnhurried = (limits: Partial<RealtimeLimits>) =>
  RecordedService.start(undefined, limits, [], [], undefined, unhurried);

/** A service with so many rounds of orders to replay. */
async function traded(
  limits: Partial<RealtimeLimits>,
  rounds = 300,
): Promise<{ service: RecordedService; fromSequence: number }> {
  const service = await startUnhurried({ ...LIMITS, ...limits });
  const { history } = service;
  history.snapshotEvery = Number.POSITIVE_INFINITY;
  const fromSequence = history.records.length;
  for (let count = 0; count < rounds; count += 1) quoteAndCancel(history);
  service.publish();
  // With the clock stopped, no client is late because the machine is slow.
  service.steadyStoppedAtMs = service.steadyClock.elapsedMs();
  return { service, fromSequence };
}

/** A client that requests a replay of all orders and reads nothing. */
async function silent(service: RecordedService, fromSequence: number, localAddress?: string): Promise<SocketClient> {
  const { subscriptions } = service.service.counts();
  const client = await service.connectAs(1, 'key', localAddress);
  client.socket.pause();
  client.send({ op: 'subscribe', ...ORDERS, fromSequence });
  await eventually(() => expect(service.service.counts().subscriptions).toBe(subscriptions + 1));
  return client;
}

const { refusal, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_SLOW_CLIENTS));

test('a client that reads its replay slowly is closed only if the live updates behind it exceed their own bound', async () => {
  const { service, fromSequence } = await traded({ maxQueuedBytes: 20_000 });
  const { history } = service;
  const client = await silent(service, fromSequence);
  quoteAndCancel(history);
  service.publish();
  service.service.flush();
  expect(service.service.counts().closed.slow_consumer).toBe(0);
  const behind = await silent(service, fromSequence, '127.0.0.2');
  client.socket.resume();
  await client.next('update', 600);
  await client.until(({ type, sequence }) => type === 'update' && sequence === history.records.length);
  for (let count = 0; count < 20; count += 1) quoteAndCancel(history);
  service.publish();
  service.service.flush();
  history.limit(1, 'buy', 9_000, 1);
  service.publish();
  service.service.flush();
  expect(service.service.counts().closed.slow_consumer).toBe(1);
  behind.socket.resume();
  expect((await behind.closes()).reason).toBe('slow_consumer');
});

describe('clients that do not read', () => {
  test('are bounded in total and per network: beyond that replays are refused', async () => {
    // What the system buffers does not count.
    const bytes = 8 * ROUNDS_BYTES;
    const limits = { maxPrivateQueuedBytes: 2.2 * bytes, maxPrivateQueuedBytesPerNetwork: 1.5 * bytes };
    const { service, fromSequence } = await traded(limits, 800);
    const first = await silent(service, fromSequence);
    const second = await service.connectAs(1);
    const refused = await refusal(second, { op: 'subscribe', ...ORDERS, fromSequence });
    expect(refused).toMatchObject({ code: 'no_room_for_replay', channel: 'account.orders', retryable: true });
    expect(refused).not.toHaveProperty('oldestSequence');
    // Updates from now on need no replay.
    await second.subscribed('account.orders', ORDERS, service.history.records.length);
    await silent(service, fromSequence, '127.0.0.2');
    const third = await service.connectAs(1, 'key', '127.0.0.3');
    expect(await third.request({ op: 'subscribe', ...ORDERS, fromSequence })).toMatchObject({ code: 'no_room_for_replay' });
    // A closed connection frees its bytes.
    first.socket.terminate();
    await eventually(() => expect(service.service.counts().sockets).toBe(3));
    await third.subscribed('account.orders', ORDERS, fromSequence);
    await third.next('update', 1_600);
  });

  test('are closed if they block another client’s replay, the longest stalled first', async () => {
    const bytes = 8 * ROUNDS_BYTES;
    const limits = { maxPrivateQueuedBytes: 2.2 * bytes, maxPrivateQueuedBytesPerNetwork: 1.5 * bytes, stalledMs: 5_000 };
    const { service, fromSequence } = await traded(limits, 800);
    const muted = await silent(service, fromSequence);
    const other = await silent(service, fromSequence, '127.0.0.2');
    const [third, neighbour] = [await service.connectAs(1, 'key', '127.0.0.3'), await service.connectAs(1)];
    const frame = { op: 'subscribe', ...ORDERS, fromSequence };
    expect(await third.request(frame)).toMatchObject({ code: 'no_room_for_replay' });
    expect(await neighbour.request(frame)).toMatchObject({ code: 'no_room_for_replay' });
    // Only clients of its own network are closed while the total is within its bound. Bytes that the system still accepts count
    // as read.
    await eventually(
      async () => {
        service.steadyAheadMs += 5_000;
        expect(await neighbour.request(frame)).toMatchObject({ type: 'subscribed' });
      },
      { intervalMs: 100 },
    );
    expect(service.service.counts().closed.slow_consumer).toBe(1);
    await neighbour.next('update', 1_600);
    muted.socket.removeAllListeners('message');
    muted.socket.resume();
    expect((await muted.closes()).reason).toBe('slow_consumer');
    // Now there is capacity.
    await third.subscribed('account.orders', ORDERS, fromSequence);
    await third.next('update', 1_600);
    other.socket.removeAllListeners('message');
    expect(service.service.counts().closed.slow_consumer).toBe(1);
  });

  test('are not closed if they read a large replay slowly but steadily', async () => {
    const [idleMs, stepMs, bytesPerMs] = [1_000, 100, 5_000];
    const { service, fromSequence } = await traded({ idleMs, maxPrivateQueuedBytesPerNetwork: 2 ** 26 }, 1_000);
    // Longer than a client may read nothing.
    expect((10 * ROUNDS_BYTES) / bytesPerMs).toBeGreaterThan(4 * idleMs);
    const proxy = await slowProxyTo(service.port);
    const client = await service.connectAs(1, 'key', undefined, proxy.port);
    client.send({ op: 'subscribe', ...ORDERS, fromSequence });
    await eventually(
      () => {
        client.send({ op: 'ping' });
        service.steadyAheadMs += stepMs;
        proxy.pass(stepMs * bytesPerMs);
        expect(client.updates('account.orders')).toHaveLength(2_000);
      },
      { intervalMs: 20 },
    );
    expect(service.service.counts().closed.slow_consumer).toBe(0);
  });

  test('are closed if they keep sending requests and the total bound is exceeded, while readers get responses', async () => {
    const service = await startUnhurried({
      ...LIMITS,
      maxPrivateQueuedBytes: 50_000,
      frameBurst: 10 ** 9,
      sharedFrameBurst: 10 ** 9,
    });
    const [reader, client] = [await service.connect(), await service.connect()];
    client.socket.pause();
    const question = JSON.stringify({
      op: 'subscribe',
      channel: 'market.trades',
      ...Object.fromEntries(LONG_NAMES.map((it) => [it, 1])),
    });
    await eventually(
      async () => {
        for (let count = 0; count < 200; count += 1) client.send(question);
        await reader.drained();
        expect(service.service.counts().closed.slow_consumer).toBe(1);
      },
      { intervalMs: 1 },
    );
    client.socket.removeAllListeners('message');
    client.socket.resume();
    expect((await client.closes()).code).toBe(CLOSE_CODES.slow_consumer.code);
    await reader.drained();
  });

  test('are closed if they read nothing for the idle time, however much they send', async () => {
    const { service, fromSequence } = await traded({ idleMs: 2_000 });
    const reader = await service.connect();
    const client = await silent(service, fromSequence);
    await eventually(
      () => {
        for (const talking of [reader, client]) talking.send({ op: 'ping' });
        service.steadyAheadMs += 100;
        expect(service.service.counts().closed.slow_consumer).toBe(1);
      },
      { intervalMs: 20 },
    );
    expect(service.service.counts().closed.idle).toBe(0);
    await reader.drained();
  });
});

const LONG_NAMES = Array.from({ length: 5 }, (_, index) => `${index}`.padEnd(64, 'x'));

/** A proxy to the service's port that forwards only as many bytes to the client as `pass` allows. */
async function slowProxyTo(port: number): Promise<{ port: number; pass: (bytes: number) => void }> {
  let allowed = 64_000;
  const paused = new Set<Socket>();
  const server = createServer((near) => {
    const far = connect(port, 'localhost');
    near.pipe(far);
    far.on('data', (bytes) => {
      near.write(bytes);
      allowed -= bytes.length;
      if (allowed > 0) return;
      far.pause();
      paused.add(far);
    });
    for (const [one, other] of [[near, far] as const, [far, near] as const]) {
      one.on('close', () => other.destroy());
      one.on('error', () => {});
    }
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const pass = (bytes: number) => {
    allowed = Math.min(allowed, 0) + bytes;
    for (const far of paused) far.resume();
    paused.clear();
  };
  return { port: (server.address() as AddressInfo).port, pass };
}
