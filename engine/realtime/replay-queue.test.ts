/** The replay queue: live updates go first, every connection gets its turn, and replays do not overfill a send queue. */
import { describe, expect, test } from 'vitest';
import { TIMEFRAMES } from '#contract/markets.ts';
import type { RealtimeLimits } from '#contract/realtime-limits.ts';
import { gathered } from '#projection/projection.ts';
import { eventually } from '#time/testing/eventually.ts';
import { quoteAndCancel } from './testing/quoting.ts';
import { MARKET_ID, RecordedService } from './testing/recorded-service.ts';
import type { Frame, SocketClient } from './testing/socket-client.ts';

const ALICE = { accountId: 'acct-1' };
const MARKET = { marketId: MARKET_ID };
const CANDLES = ['trade', 'index'].flatMap((series) => TIMEFRAMES.map((timeframe) => ({ series, timeframe })));

/** A service with that many prices to replay. */
async function priced(
  count: number,
  limits: Partial<RealtimeLimits>,
): Promise<{ service: RecordedService; fromSequence: number }> {
  const service = await RecordedService.start(undefined, { replaySliceMs: 0, ...limits });
  const fromSequence = service.history.records.length;
  for (let at = 0; at < count; at += 1) service.history.price(10_000 + at);
  service.publish();
  return { service, fromSequence };
}

function requestAll(client: SocketClient, fromSequence: number): number {
  for (const choice of CANDLES) client.send({ op: 'subscribe', channel: 'market.candles', ...MARKET, ...choice, fromSequence });
  return CANDLES.length;
}

const isOf = (frame: Frame, { series, timeframe }: Frame) => frame.series === series && frame.timeframe === timeframe;
const subscribedCount = (client: SocketClient) => client.frames.filter(({ type }) => type === 'subscribed').length;

describe('the replay queue', () => {
  test('delays neither live updates nor clients of another network', async () => {
    const { service, fromSequence } = await priced(400, {});
    const [watcher, greedy, other] = [await service.connect(), await service.connect(), await service.connect('127.0.0.2')];
    await watcher.subscribed('market.price', MARKET);
    const requests = requestAll(greedy, fromSequence);
    await greedy.drained();
    service.history.price(10_500);
    service.publish();
    await watcher.next('update');
    await other.subscribed('market.candles', { ...MARKET, ...CANDLES[0] }, fromSequence);
    expect(subscribedCount(greedy)).toBeLessThan(requests / 2);
    await greedy.next('subscribed', requests);
  });

  test('drops replays with their subscription or their socket', async () => {
    const { service, fromSequence } = await priced(1_000, {});
    const [client, gone] = [await service.connect(), await service.connect()];
    requestAll(gone, fromSequence);
    const requests = requestAll(client, fromSequence);
    client.send({ op: 'subscribe', channel: 'market.candles', ...MARKET, ...CANDLES[1], fromSequence });
    expect(await client.next('error')).toMatchObject({ code: 'already_subscribed' });
    const [first, second] = [CANDLES[0]!, CANDLES[1]!];
    for (const choice of [first, second]) client.send({ op: 'unsubscribe', channel: 'market.candles', ...MARKET, ...choice });
    const again = client.subscribed('market.candles', { ...MARKET, ...second }, fromSequence);
    await gone.drained();
    gone.socket.terminate();
    await again;
    expect(subscribedCount(client)).toBe(requests - 1);
    expect(client.frames.filter((frame) => frame.type === 'subscribed' && isOf(frame, first))).toEqual([]);
    // Each frame gets one response, also the withdrawn ones.
    expect(client.frames.filter(({ code }) => code === 'subscription_withdrawn')).toHaveLength(2);
    expect(service.service.counts()).toMatchObject({ sockets: 1, subscriptions: requests - 1, waitingReplays: 0 });
  });

  test('drops all replays and closes their sockets if the service starts over', async () => {
    const { service, fromSequence } = await priced(1_000, {});
    const client = await service.connect();
    const requests = requestAll(client, fromSequence);
    await client.drained();
    expect(service.service.counts().waitingReplays).toBe(requests);
    service.service.startOver(gathered(service.projection.livePieces()));
    expect(service.service.counts()).toMatchObject({ waitingReplays: 0, subscriptions: 0 });
    expect((await client.closes()).reason).toBe('overloaded');
    expect(subscribedCount(client)).toBe(0);
  });

  test('delays only the replays of a network that exceeded its rate', async () => {
    const { service, fromSequence } = await priced(50, { replayBurstBytes: 100, replayBytesPerSecond: 0.1 });
    const [first, second] = [await service.connect(), await service.connect()];
    await first.subscribed('market.candles', { ...MARKET, ...CANDLES[0] }, fromSequence);
    second.send({ op: 'subscribe', channel: 'market.price', ...MARKET, fromSequence });
    await second.drained();
    const other = await service.connect('127.0.0.2');
    await other.subscribed('market.price', MARKET, fromSequence);
    // Closing the socket that used the tokens does not give them back.
    first.socket.terminate();
    await eventually(() => expect(service.service.counts().sockets).toBe(2));
    await other.drained();
    expect(subscribedCount(second)).toBe(0);
    service.steadyAheadMs += 10 ** 9;
    await second.next('subscribed');
    await second.next('update', 50);
  });

  test('sends replays one after the other as the client reads, so that a large catch-up does not close it', async () => {
    const limits = { maxReplayBytes: 2 ** 26, maxQueuedBytes: 100_000, replayWindowBytes: 2 ** 25 };
    const service = await RecordedService.start(undefined, limits);
    const { history } = service;
    history.snapshotEvery = Number.POSITIVE_INFINITY;
    const fromSequence = history.records.length;
    let turns = 0;
    for (let count = 0; count < 300; count += 1) turns += quoteAndCancel(history);
    service.publish();
    const client = await service.connectAs(1);
    client.socket.pause();
    const channels = ['account.orders', 'account.margin', 'account.balance', 'account.durability'];
    for (const channel of channels) client.send({ op: 'subscribe', channel, ...ALICE, fromSequence });
    // More than the system buffers for a socket that is not read: the later ones wait.
    await eventually(() => expect(service.service.counts().subscriptions).toBe(1));
    await new Promise((resolve) => setTimeout(resolve, 100));
    expect(service.service.counts()).toMatchObject({ subscriptions: 1, waitingReplays: 3, closed: { slow_consumer: 0 } });
    client.socket.resume();
    await client.next('subscribed', channels.length);
    await client.drained();
    expect(client.updates('account.orders')).toHaveLength(turns);
    expect(client.closed).toBeUndefined();
  });
});
