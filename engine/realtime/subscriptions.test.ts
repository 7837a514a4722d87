/** Subscriptions: how many a connection may have, where they start, and what is replayed. */
import { afterAll, describe, expect, test } from 'vitest';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import { OF_SUBSCRIPTIONS, seenCodes } from './testing/seen-codes.ts';
import type { SocketClient } from './testing/socket-client.ts';

const MARKET = { marketId: MARKET_ID };
const TRADES = { op: 'subscribe', channel: 'market.trades', ...MARKET };

const { refusal, refused, seen } = seenCodes();
afterAll(() => expect(seen()).toEqual(OF_SUBSCRIPTIONS));

describe('a subscription', () => {
  test('exists once per topic, up to a maximum number', async () => {
    const service = await RecordedService.start(undefined, { maxSubscriptions: 2 });
    const client = await service.connect();
    await client.subscribed('market.trades', MARKET);
    expect(await refusal(client, TRADES)).toMatchObject({ code: 'already_subscribed', channel: 'market.trades' });
    await client.subscribed('market.price', MARKET);
    expect(await refusal(client, { ...TRADES, channel: 'market.book' })).toMatchObject({ code: 'too_many_subscriptions' });
    await client.request({ op: 'unsubscribe', channel: 'market.trades', ...MARKET });
    await client.subscribed('market.trades', MARKET);
  });

  test('with other choices of the same channel is separate', async () => {
    const client = await (await RecordedService.start()).connect();
    for (const choice of [
      { series: 'trade', timeframe: '1m' },
      { series: 'index', timeframe: '1m' },
      { series: 'trade', timeframe: '5m' },
    ])
      expect(await client.subscribed('market.candles', { ...MARKET, ...choice })).toMatchObject(choice);
  });

  test('resumes from a sequence within the window, and otherwise is refused with what to read', async () => {
    const service = await RecordedService.start(undefined, { replayWindowBytes: 10_000 });
    const { history } = service;
    for (let price = 10_000; price < 10_100; price += 1) history.price(price);
    service.publish();
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
      resyncCause: 'not_kept',
      snapshotSource: 'GET /v1/markets/{marketId}',
      oldestSequence: expect.any(Number),
    });
    expect(beyond.message).toBe(
      `The updates after 1 are no longer in the replay buffer: the lowest fromSequence now is ${beyond.oldestSequence}. ` +
        `Read GET /v1/markets/${MARKET_ID}, and subscribe from its snapshotSequence.`,
    );
    const trades = await refusal(client, { ...TRADES, fromSequence: beyond.oldestSequence - 1 });
    expect(trades).toMatchObject({ resyncCause: 'not_kept', historySource: 'GET /v1/markets/{marketId}/trades' });
    expect(trades.message).toMatch(
      `Subscribe without fromSequence. The missed updates are in GET /v1/markets/${MARKET_ID}/trades.`,
    );
    expect(trades).not.toHaveProperty('snapshotSource');
    await client.subscribed('market.status', MARKET, beyond.oldestSequence);
    // Of a book only the newest state exists.
    await client.subscribed('market.book', MARKET, 1);
  });

  test('from an earlier sequence without updates since resumes there', async () => {
    const service = await RecordedService.start();
    const { history } = service;
    for (const price of [10_001, 10_002, 10_003]) history.price(price);
    service.publish();
    const client = await service.connect();
    const fromSequence = history.records.length - 2;
    await client.subscribed('market.trades', MARKET, fromSequence);
    history.limit(1, 'buy', 10_000, 1);
    history.limit(2, 'sell', 10_000, 1);
    service.publish();
    expect((await client.next('update')).previousSequence).toBe(fromSequence);
  });

  test('is refused if its replay is too large', async () => {
    const service = await RecordedService.start(undefined, { maxReplayBytes: 2_000 });
    const { history } = service;
    const from = history.records.length;
    for (let price = 10_000; price < 10_100; price += 1) history.price(price);
    service.publish();
    const client = await service.connect();
    const response = await refusal(client, { ...TRADES, channel: 'market.price', fromSequence: from });
    expect(response).toMatchObject({
      code: 'resync_required',
      resyncCause: 'too_much',
      maxReplayBytes: 2_000,
      message: expect.stringMatching(/^The updates after [0-9]+ are more than the 2000 bytes of a replay\. /),
    });
    // The records are in the buffer: nothing else is reported.
    expect(response).not.toHaveProperty('oldestSequence');
    await client.subscribed('market.price', MARKET, history.records.length);
    expect(client.updates('market.price')).toEqual([]);
  });

  test('from a sequence ahead of the service starts there once it arrives, and is refused if it does not', async () => {
    const service = await RecordedService.start(undefined, { aheadMs: 500 });
    const { history } = service;
    const client = await service.connect();
    const ahead = history.records.length + 2;
    client.send({ ...TRADES, channel: 'market.price', fromSequence: ahead, id: 'ahead' });
    await client.drained();
    expect(client.frames.some(({ type }) => type === 'subscribed')).toBe(false);
    expect(await refusal(client, { ...TRADES, channel: 'market.price' })).toMatchObject({ code: 'already_subscribed' });
    for (const price of [10_001, 10_002, 10_003]) history.price(price);
    service.publish();
    expect(await client.next('subscribed')).toMatchObject({ sequence: ahead, id: 'ahead' });
    expect((await client.next('update')).sequence).toBe(ahead + 1);
    expect(client.updates('market.price')).toHaveLength(1);
    expect(await refusal(client, { ...TRADES, fromSequence: 10_000 })).toMatchObject({ code: 'sequence_ahead' });
    // A withdrawn subscription gets its response before the frame that withdraws it, and no response later.
    client.send({ ...TRADES, fromSequence: 10_000, id: 'withdrawn' });
    const { id } = await client.request({ op: 'unsubscribe', channel: 'market.trades', ...MARKET });
    const responses = client.frames.filter((frame) => ['withdrawn', id].includes(frame.id));
    expect(responses).toMatchObject([{ code: 'subscription_withdrawn', channel: 'market.trades' }, { type: 'unsubscribed' }]);
    await refused(client, responses[0]!);
    await client.subscribed('market.trades', MARKET);
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(client.frames.filter((frame) => frame.id === 'withdrawn')).toHaveLength(1);
  });

  test('has no gap between snapshot and updates, for early and late subscribers alike', async () => {
    const service = await RecordedService.start(undefined, { coalesceMs: 30 });
    const { history } = service;
    const early = await service.connect();
    for (const channel of ['market.price', 'market.book']) await early.subscribed(channel, MARKET);
    const late: SocketClient[] = [];
    for (let count = 0; count < 20; count += 1) {
      history.price(10_000 + count);
      history.limit(1, 'buy', 9_000 + count, 1);
      service.publish();
      const client = await service.connect();
      for (const channel of ['market.price', 'market.book']) client.send({ ...TRADES, channel });
      late.push(client);
    }
    for (const client of late) await client.next('subscribed', 2);
    history.price(10_050);
    history.limit(1, 'buy', 9_500, 1);
    service.publish();
    for (const client of [early, ...late]) {
      await client.until(({ channel, data }) => channel === 'market.price' && data?.indexPrice === '1005');
      await client.until(({ channel, data }) => channel === 'market.book' && data?.bids[0]?.[0] === '950');
    }
  });
});
