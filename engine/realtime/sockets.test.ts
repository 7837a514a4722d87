/** Sockets: of those who read slowly, send too much, or give no sign of life; and how all of them end. */
import { afterAll, describe, expect, test } from 'vitest';
import { eventually } from '#time/testing/eventually.ts';
import { quoteAndCancel } from './testing/quoting.ts';
import { OF_SOCKETS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';
import { MARKET_ID, storedGroup, ToldService } from './testing/told-service.ts';

const ALICE = { accountId: 'acct-1' };
const MARKET = { marketId: MARKET_ID };

const { closing, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_SOCKETS));

describe('a socket', () => {
  test('of a client that reads too slowly is closed before an update would be lost, and nobody else’s', async () => {
    const service = await ToldService.start(undefined, { maxQueuedBytes: 200_000, coalesceMs: 0 });
    const { history } = service;
    history.snapshotEvery = Number.POSITIVE_INFINITY;
    const [slow, other] = [await service.connectAs(1), await service.connectAs(1)];
    for (const client of [slow, other]) await client.subscribed('account.orders', ALICE);
    slow.socket.pause();
    let turns = 0;
    // As long as it takes to fill what the system holds for a line that nobody reads, and the queue.
    await eventually(
      () => {
        for (let count = 0; count < 10; count += 1) turns += quoteAndCancel(history);
        service.tell();
        expect(service.service.counts().closed).toMatchObject({ slow_consumer: 1, idle: 0 });
      },
      { intervalMs: 2 },
    );
    // Within two seconds it can take its close frame. What comes before it is not looked at: that would take as long.
    slow.socket.removeAllListeners('message');
    slow.socket.resume();
    expect(await closing(slow)).toBe('slow_consumer');
    await other.drained();
    expect(other.updates('account.orders')).toHaveLength(turns);
  });

  test('of a client that reads slowly is spared books in between, and gets the newest in the end', async () => {
    const service = await ToldService.start(undefined, { coalesceMs: 0, maxQueuedBytes: 2 ** 26 });
    const { history } = service;
    history.snapshotEvery = Number.POSITIVE_INFINITY;
    for (let level = 0; level < 50; level += 1) history.limit(2, 'sell', 10_100 + level, 1_000);
    service.tell();
    const slow = await service.connect();
    await slow.subscribed('market.book', MARKET);
    await slow.next('update');
    slow.socket.pause();
    // As long as it takes to fill what the system holds for a line that nobody reads.
    await eventually(
      () => {
        for (let count = 0; count < 100; count += 1) {
          history.limit(1 + (count % 3), count % 2 === 0 ? 'buy' : 'sell', 10_000, 1);
          service.tell();
          service.service.flush();
        }
        expect(service.service.counts().spared).toBeGreaterThan(50);
      },
      { intervalMs: 1 },
    );
    history.limit(1, 'buy', 9_876, 7);
    service.tell();
    const last = history.records.length;
    slow.socket.resume();
    const newest = await slow.until(({ type, sequence }) => type === 'update' && sequence === last);
    expect(newest.data.bids).toContainEqual(['987.6', '0.007']);
    expect(newest.previousSequence).toBeGreaterThan(slow.updates('market.book').at(-2)!.sequence);
    expect(slow.closed).toBeUndefined();
  });

  test('that sends too much is closed', async () => {
    const service = await ToldService.start(undefined, { frameBurst: 30, framesPerSecond: 1 });
    const client = await service.connect();
    for (let count = 0; count < 60; count += 1) client.send({ op: 'ping' });
    expect(await closing(client)).toBe('too_many_frames');
  });

  test('may send more again as time passes, whatever the clock on the wall is set to', async () => {
    const service = await ToldService.start(undefined, { frameBurst: 4, framesPerSecond: 0.01 });
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
  ])('that sends too many a %s of WebSocket is closed, and hears why', async (kind, send) => {
    const service = await ToldService.start(undefined, { frameBurst: 100, framesPerSecond: 0.01 });
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

  test('is pinged, and closed where no sign of life comes', async () => {
    const service = await ToldService.start(undefined, { idleMs: 300 });
    const [lively, silent] = [await service.connect(), await service.connect()];
    // Takes the pings and does not answer them.
    silent.socket.pong = () => {};
    expect(await closing(silent)).toBe('idle');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lively.closed).toBeUndefined();
    // The clock on the wall is set forward: that is no silence.
    service.aheadMs += 3_600_000;
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lively.closed).toBeUndefined();
    lively.socket.pong = () => {};
    service.steadyAheadMs += 3_600_000;
    expect(await closing(lively)).toBe('idle');
  });

  test('hears that the venue stops, after all that it was told before', async () => {
    const service = await ToldService.start(undefined, { coalesceMs: 1_000 });
    const client = await service.connect();
    await client.subscribed('market.price', MARKET);
    for (const price of [10_001, 10_002]) {
      service.history.price(price);
      service.tell();
    }
    await service.service.close();
    expect(await closing(client)).toBe('venue_stops');
    expect(client.updates('market.price')).toHaveLength(2);
  });

  test('is let go where the service is too far behind', async () => {
    const service = await ToldService.start();
    const client = await service.connect();
    service.history.price(10_001);
    service.service.follow(
      storedGroup(service.history, service.history.records.length - 1),
      service.steadyClock.elapsedMs() - 6_000,
    );
    expect(await closing(client)).toBe('overloaded');
  });
});
