/** What clients ask for and are refused: every error of the catalogue, every limit, every reason for which a socket is closed. */
import { afterAll, describe, expect, test, vi } from 'vitest';
import type { History } from '#simulation/history.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { codesBut, OF_TICKETS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';
import { MARKET_ID, storedGroup, ToldService } from './testing/told-service.ts';

const ALICE = { accountId: 'acct-1' };
const MARKET = { marketId: MARKET_ID };
const TRADES = { op: 'subscribe', channel: 'market.trades', ...MARKET };

const { refusals, closes, refusal, closing, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(codesBut(OF_TICKETS)));

describe('a frame', () => {
  test('is greeted, answered with its id, and understood in any order of its fields', async () => {
    const client = await (await ToldService.start()).connect();
    expect(await client.next('hello')).toEqual({ type: 'hello', version: 'realtime-contract/v1' });
    expect(await client.ask({ op: 'ping' })).toEqual({ type: 'pong', id: 'ask-1' });
    client.send({ op: 'ping' });
    await client.until((frame) => frame.type === 'pong' && !('id' in frame));
    expect(await client.ask({ ...MARKET, channel: 'market.price', op: 'subscribe' })).toMatchObject({ type: 'subscribed' });
  });

  test.each([
    ['not json', 'invalid_request', /not one JSON object/],
    ['[]', 'invalid_request', /not one JSON object/],
    ['null', 'invalid_request', /not one JSON object/],
    [{}, 'invalid_request', /op must be one of auth, subscribe, unsubscribe, ping/],
    [{ op: 'shout' }, 'invalid_request', /op must be one of/],
    [{ op: 'ping', id: 7 }, 'invalid_request', /^id: /],
    [{ op: 'ping', id: '' }, 'invalid_request', /^id: /],
    [{ op: 'subscribe' }, 'invalid_request', /channel must be a string/],
    [{ ...TRADES, depth: 3 }, 'invalid_request', /Unknown field "depth"/],
    [{ op: 'subscribe', channel: 'market.trades' }, 'invalid_request', /^marketId: /],
    [
      { op: 'subscribe', channel: 'market.candles', ...MARKET, timeframe: '1m', series: 'mark' },
      'invalid_request',
      /^series: .*trade.*index/,
    ],
    [
      { op: 'subscribe', channel: 'market.candles', ...MARKET, series: 'trade', timeframe: '2m' },
      'invalid_request',
      /^timeframe: /,
    ],
    [{ ...TRADES, fromSequence: -1 }, 'invalid_request', /^fromSequence: /],
    [{ ...TRADES, fromSequence: 1.5 }, 'invalid_request', /^fromSequence: /],
    [{ op: 'subscribe', channel: 'account.orders', ...MARKET }, 'invalid_request', /./],
    [{ op: 'auth', ticket: 'short' }, 'invalid_request', /^ticket: .*43/],
    [{ op: 'auth' }, 'invalid_request', /^ticket: /],
    [{ op: 'subscribe', channel: 'market.rumours', ...MARKET }, 'unknown_channel', /market\.trades, market\.book/],
    [{ op: 'subscribe', channel: '__proto__' }, 'unknown_channel', /./],
    [{ ...TRADES, marketId: 'DOGE-USD-PERP' }, 'unknown_market', /./],
    [{ op: 'unsubscribe', channel: 'market.trades', marketId: 'DOGE-USD-PERP' }, 'unknown_market', /./],
    [{ op: 'subscribe', channel: 'account.alerts', ...ALICE }, 'source_unavailable', /./],
    [{ op: 'subscribe', channel: 'account.orders', ...ALICE }, 'authentication_required', /auth_ok/],
  ])('%j is refused with %s and the socket stays open', async (frame, code, message) => {
    const client = await (await ToldService.start()).connect();
    client.send(frame);
    const error = await client.next('error');
    refusals.add(error.code);
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) });
    await client.drained();
  });

  test('that is binary is refused; one that is too large, or not text at all, ends the socket', async () => {
    const service = await ToldService.start();
    const client = await service.connect();
    client.socket.send(Buffer.from([1, 2]));
    expect(await client.next('error')).toMatchObject({ code: 'invalid_request' });
    client.send(`{"op":"${'x'.repeat(5_000)}"}`);
    expect((await client.closes()).code).toBe(1009);
    const other = await service.connect();
    other.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await other.closes()).code).toBe(1007);
  });
});

describe('a subscription', () => {
  test('is had once, and only so many of them', async () => {
    const service = await ToldService.start(undefined, { maxSubscriptions: 2 });
    const client = await service.connect();
    await client.subscribed('market.trades', MARKET);
    expect(await refusal(client, TRADES)).toMatchObject({ code: 'already_subscribed', channel: 'market.trades' });
    await client.subscribed('market.price', MARKET);
    expect(await refusal(client, { ...TRADES, channel: 'market.book' })).toMatchObject({ code: 'too_many_subscriptions' });
    await client.ask({ op: 'unsubscribe', channel: 'market.trades', ...MARKET });
    await client.subscribed('market.trades', MARKET);
  });

  test('of the same channel with other choices is another', async () => {
    const client = await (await ToldService.start()).connect();
    for (const choice of [
      { series: 'trade', timeframe: '1m' },
      { series: 'index', timeframe: '1m' },
      { series: 'trade', timeframe: '5m' },
    ])
      expect(await client.subscribed('market.candles', { ...MARKET, ...choice })).toMatchObject(choice);
  });

  test('goes on from a sequence within the window; beyond it the client hears what to read', async () => {
    const service = await ToldService.start(undefined, { replayWindowBytes: 10_000 });
    const { history } = service;
    for (let price = 10_000; price < 10_100; price += 1) history.price(price);
    service.tell();
    const client = await service.connect();
    const newest = history.records.length;
    await client.subscribed('market.price', MARKET, newest - 3);
    await client.next('update', 3);
    expect(client.updates('market.price').map(({ sequence, previousSequence }) => [sequence, previousSequence])).toEqual([
      [newest - 2, newest - 3],
      [newest - 1, newest - 2],
      [newest, newest - 1],
    ]);
    const beyond = await refusal(client, { ...TRADES, channel: 'market.status', fromSequence: 1 });
    expect(beyond).toMatchObject({
      code: 'resync_required',
      channel: 'market.status',
      snapshotSource: 'GET /v1/markets/{marketId}',
      oldestSequence: expect.any(Number),
    });
    expect(await refusal(client, { ...TRADES, fromSequence: 1 })).not.toHaveProperty('snapshotSource');
    await client.subscribed('market.status', MARKET, beyond.oldestSequence);
    // Of a book there is nothing but the newest.
    await client.subscribed('market.book', MARKET, 1);
  });

  test('is not replayed where it would be too much at once', async () => {
    const service = await ToldService.start(undefined, { maxReplayBytes: 2_000 });
    const { history } = service;
    const from = history.records.length;
    for (let price = 10_000; price < 10_100; price += 1) history.price(price);
    service.tell();
    const client = await service.connect();
    const { oldestSequence } = await refusal(client, { ...TRADES, channel: 'market.price', fromSequence: from });
    expect(oldestSequence).toBe(history.records.length);
    await client.subscribed('market.price', MARKET, oldestSequence);
    expect(client.updates('market.price')).toEqual([]);
  });

  test('from a sequence that is still on its way begins there; from one that nobody knows it is refused', async () => {
    const service = await ToldService.start(undefined, { aheadMs: 500 });
    const { history } = service;
    const client = await service.connect();
    const ahead = history.records.length + 2;
    client.send({ ...TRADES, channel: 'market.price', fromSequence: ahead, id: 'ahead' });
    await client.drained();
    expect(client.frames.some(({ type }) => type === 'subscribed')).toBe(false);
    expect(await refusal(client, { ...TRADES, channel: 'market.price' })).toMatchObject({ code: 'already_subscribed' });
    for (const price of [10_001, 10_002, 10_003]) history.price(price);
    service.tell();
    expect(await client.next('subscribed')).toMatchObject({ sequence: ahead, id: 'ahead' });
    expect((await client.next('update')).sequence).toBe(ahead + 1);
    expect(client.updates('market.price')).toHaveLength(1);
    expect(await refusal(client, { ...TRADES, fromSequence: 10_000 })).toMatchObject({ code: 'sequence_ahead' });
    // One that is given up is not heard of again.
    client.send({ ...TRADES, fromSequence: 10_000 });
    await client.ask({ op: 'unsubscribe', channel: 'market.trades', ...MARKET });
    await client.subscribed('market.trades', MARKET);
  });

  test('is told to newcomers and to those who were there alike, with nothing between snapshot and updates', async () => {
    const service = await ToldService.start(undefined, { coalesceMs: 30 });
    const { history } = service;
    const early = await service.connect();
    for (const channel of ['market.price', 'market.book']) await early.subscribed(channel, MARKET);
    const late: SocketClient[] = [];
    for (let count = 0; count < 20; count += 1) {
      history.price(10_000 + count);
      history.limit(1, 'buy', 9_000 + count, 1);
      service.tell();
      const client = await service.connect();
      for (const channel of ['market.price', 'market.book']) client.send({ ...TRADES, channel });
      late.push(client);
    }
    for (const client of late) await client.next('subscribed', 2);
    history.price(10_050);
    history.limit(1, 'buy', 9_500, 1);
    service.tell();
    for (const client of [early, ...late]) {
      await client.until(({ channel, data }) => channel === 'market.price' && data?.indexPrice === '1005');
      await client.until(({ channel, data }) => channel === 'market.book' && data?.bids[0]?.[0] === '950');
    }
  });
});

/** Two turns that each change 32 orders of Alice's. */
function quoteAndCancel(history: History): number {
  const accepted = history.batch(
    1,
    Array.from({ length: 32 }, (_, level) => ['buy', 9_900 - level, 1] as const),
  );
  const orders = accepted.flatMap((event) => (event.type === 'OrderAccepted' ? [event.order] : []));
  history.run({ type: 'CancelOrders', account: 1 as AccountOrdinal, orders });
  return 2;
}

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
    await vi.waitFor(
      () => {
        for (let count = 0; count < 10; count += 1) turns += quoteAndCancel(history);
        service.tell();
        expect(service.service.counts().closed).toMatchObject({ slow_consumer: 1, idle: 0 });
      },
      { timeout: 25_000, interval: 2 },
    );
    slow.socket.resume();
    await vi.waitFor(() => expect(slow.closed).toBeDefined(), { timeout: 5_000 });
    // Within two seconds it can take its close frame; then the line is cut.
    if (slow.closed!.code !== 1006) expect(await closing(slow)).toBe('slow_consumer');
    closes.add('slow_consumer');
    await other.drained();
    expect(other.updates('account.orders')).toHaveLength(turns);
  }, 40_000);

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
    await vi.waitFor(
      () => {
        for (let count = 0; count < 100; count += 1) {
          history.limit(1 + (count % 3), count % 2 === 0 ? 'buy' : 'sell', 10_000, 1);
          service.tell();
          service.service.flush();
        }
        expect(service.service.counts().spared).toBeGreaterThan(50);
      },
      { timeout: 25_000, interval: 1 },
    );
    history.limit(1, 'buy', 9_876, 7);
    service.tell();
    const last = history.records.length;
    slow.socket.resume();
    const newest = await slow.until(({ type, sequence }) => type === 'update' && sequence === last);
    expect(newest.data.bids).toContainEqual(['987.6', '0.007']);
    expect(newest.previousSequence).toBeGreaterThan(slow.updates('market.book').at(-2)!.sequence);
    expect(slow.closed).toBeUndefined();
  }, 40_000);

  test('that sends too much is closed; a replay over very many records counts as much', async () => {
    const service = await ToldService.start(undefined, { frameBurst: 30, framesPerSecond: 1 });
    const client = await service.connect();
    for (let count = 0; count < 60; count += 1) client.send({ op: 'ping' });
    expect(await closing(client)).toBe('too_many_frames');
  });

  test('is pinged, and closed where no sign of life comes', async () => {
    const service = await ToldService.start(undefined, { idleMs: 300 });
    const [lively, silent] = [await service.connect(), await service.connect()];
    // Takes the pings and does not answer them.
    silent.socket.pong = () => {};
    expect(await closing(silent)).toBe('idle');
    await new Promise((resolve) => setTimeout(resolve, 400));
    expect(lively.closed).toBeUndefined();
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
    service.service.follow(storedGroup(service.history, service.history.records.length - 1), service.clock.now() - 6_000);
    expect(await closing(client)).toBe('overloaded');
  });
});
