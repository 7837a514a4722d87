/** Sockets of clients that read slowly, send too much or are silent; and how sockets end. */
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import { quoteAndCancel } from './testing/quoting.ts';
import { MARKET_ID, RecordedService, storedGroup } from './testing/recorded-service.ts';
import { OF_SOCKETS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';

const ALICE = { accountId: 'acct-1' };
const MARKET = { marketId: MARKET_ID };

const { closing, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_SOCKETS));

describe('a socket', () => {
  test('is closed before an update would be lost if its client reads too slowly, and no other is', async () => {
    const service = await RecordedService.start(undefined, { maxQueuedBytes: 200_000, coalesceMs: 0 });
    const { history } = service;
    history.snapshotEvery = Number.POSITIVE_INFINITY;
    const [slow, other] = [await service.connectAs(1), await service.connectAs(1)];
    for (const client of [slow, other]) await client.subscribed('account.orders', ALICE);
    slow.socket.pause();
    let turns = 0;
    // Until the system's buffer for an unread socket and the queue are full.
    await eventually(
      () => {
        for (let count = 0; count < 10; count += 1) turns += quoteAndCancel(history);
        service.publish();
        expect(service.service.counts().closed).toMatchObject({ slow_consumer: 1, idle: 0 });
      },
      { intervalMs: 2 },
    );
    // The client has two seconds to read its close frame. Earlier frames are not parsed: that would take too long.
    slow.socket.removeAllListeners('message');
    slow.socket.resume();
    expect(await closing(slow)).toBe('slow_consumer');
    await other.drained();
    expect(other.updates('account.orders')).toHaveLength(turns);
  });

  test('gets conflated books if its client reads slowly, and the newest in the end', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 0, maxQueuedBytes: 2 ** 26 });
    const { history } = service;
    history.snapshotEvery = Number.POSITIVE_INFINITY;
    for (let level = 0; level < 50; level += 1) history.limit(2, 'sell', 10_100 + level, 1_000);
    service.publish();
    const slow = await service.connect();
    await slow.subscribed('market.book', MARKET);
    await slow.next('update');
    slow.socket.pause();
    // Until the system's buffer for an unread socket is full.
    await eventually(
      () => {
        for (let count = 0; count < 100; count += 1) {
          history.limit(1 + (count % 3), count % 2 === 0 ? 'buy' : 'sell', 10_000, 1);
          service.publish();
          service.service.flush();
        }
        expect(service.service.counts().conflated).toBeGreaterThan(50);
      },
      { intervalMs: 1 },
    );
    history.limit(1, 'buy', 9_876, 7);
    service.publish();
    const last = history.records.length;
    slow.socket.resume();
    const newest = await slow.until(({ type, sequence }) => type === 'update' && sequence === last);
    expect(newest.data.bids).toContainEqual(['987.6', '0.007']);
    expect(newest.previousSequence).toBeGreaterThan(slow.updates('market.book').at(-2)!.sequence);
    expect(slow.closed).toBeUndefined();
  });

  test('is closed if it sends too many frames', async () => {
    const service = await RecordedService.start(undefined, { frameBurst: 30, framesPerSecond: 1 });
    const client = await service.connect();
    for (let count = 0; count < 60; count += 1) client.send({ op: 'ping' });
    expect(await closing(client)).toBe('too_many_frames');
  });

  test('may send again as time passes, whatever the wall clock is set to', async () => {
    const service = await RecordedService.start(undefined, { frameBurst: 4, framesPerSecond: 0.01 });
    const client = await service.connect();
    const sendFour = async () => {
      for (let count = 0; count < 4; count += 1) await client.drained();
    };
    await sendFour();
    service.steadyAheadMs += 400_000;
    await sendFour();
    service.aheadMs += 3_600_000;
    client.send({ op: 'ping' });
    expect(await closing(client)).toBe('too_many_frames');
  });

  test.each([
    ['ping', (client: SocketClient) => client.socket.ping()],
    ['pong', (client: SocketClient) => client.socket.pong()],
  ])('is closed with a reason if it sends too many WebSocket %ss', async (kind, send) => {
    const service = await RecordedService.start(undefined, { frameBurst: 100, framesPerSecond: 0.01 });
    const client = await service.connect();
    let pongs = 0;
    client.socket.on('pong', () => {
      pongs += 1;
    });
    for (let count = 0; count < 100; count += 1) send(client);
    send(client);
    expect(await closing(client)).toBe('too_many_frames');
    expect(service.service.counts().closed.too_many_frames).toBe(1);
    expect(pongs).toBe(kind === 'ping' ? 100 : 0);
  });

  test('is pinged, and closed if it is silent', async () => {
    const service = await RecordedService.start(undefined, { idleMs: 300 });
    const [lively, silent] = [await service.connect(), await service.connect()];
    // Receives the pings and does not respond.
    silent.socket.pong = () => {};
    expect(await closing(silent)).toBe('idle');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lively.closed).toBeUndefined();
    // Setting the wall clock forward does not count as silence.
    service.aheadMs += 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lively.closed).toBeUndefined();
    lively.socket.pong = () => {};
    service.steadyAheadMs += 3_600_000;
    expect(await closing(lively)).toBe('idle');
  });

  test('gets all pending updates and then the reason venue_stops when the venue stops', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 1_000 });
    const client = await service.connect();
    await client.subscribed('market.price', MARKET);
    for (const price of [10_001, 10_002]) {
      service.history.price(price);
      service.publish();
    }
    await service.service.close();
    expect(await closing(client)).toBe('venue_stops');
    expect(client.updates('market.price')).toHaveLength(2);
  });

  test('is closed if the service is too far behind', async () => {
    const service = await RecordedService.start();
    const client = await service.connect();
    service.history.price(10_001);
    service.service.follow(
      storedGroup(service.history, service.history.records.length - 1),
      service.steadyClock.elapsedMs() - 6_000,
    );
    expect(await closing(client)).toBe('overloaded');
  });
});
