import { once } from 'node:events';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import type { MarketOrdinal, OrderOrdinal, Sequence, TradeOrdinal } from '#units/ids.ts';
import { baseAtoms, epochMs, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { OrderOrigin, VenueEvent } from '#venue/event.ts';
import { systemClock } from '#writer/clock.ts';
import type { CommittedRecord } from '#writer/submit.ts';
import { DEFAULT_REALTIME_LIMITS, type RealtimeLimits, type RealtimeReads } from './ports.ts';
import { type RealtimeService, startRealtime } from './service.ts';

const BTC = 1 as MarketOrdinal;
const MARKET_ID = 'BTC-USD-PERP';

/** Reads whose answers say at which sequence they were given. */
class CountingReads implements RealtimeReads {
  current = 7;
  bookReads = 0;
  /** Makes each book frame larger, to fill a slow client's queue. */
  padding = '';

  sequence() {
    return this.current as Sequence;
  }
  market(marketId: string) {
    return marketId === MARKET_ID ? { market: BTC, marketId, priceScale: 1, quantityScale: 5 } : undefined;
  }
  async book() {
    this.bookReads += 1;
    const level: [string, string] = [`100${this.padding}`, '1'];
    return {
      version: 'external-order-book/v1' as const,
      marketId: MARKET_ID,
      bids: [level],
      asks: [] as [string, string][],
      sequence: this.current,
      asOfEpochMs: 5,
    };
  }
  async stats() {
    return {
      version: 'external-market-stats/v1' as const,
      marketId: MARKET_ID,
      status: 'open' as const,
      lastPrice: String(this.current),
      baseVolume24h: '0',
      quoteVolume24h: '0',
      openInterest: '0',
      sequence: this.current,
      asOfEpochMs: 5,
    };
  }
}

class Client {
  readonly frames: Record<string, unknown>[] = [];
  readonly socket: WebSocket;
  closed: { code: number; reason: string } | undefined;

  constructor(port: number) {
    this.socket = new WebSocket(`ws://localhost:${port}`);
    this.socket.on('message', (bytes) => this.frames.push(JSON.parse(String(bytes))));
    this.socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
    this.socket.on('error', () => {});
  }

  send(frame: object | string): void {
    this.socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame));
  }

  async next(type: string, count = 1): Promise<Record<string, unknown>> {
    await vi.waitFor(() => expect(this.frames.filter((frame) => frame.type === type).length).toBeGreaterThanOrEqual(count), {
      timeout: 3_000,
    });
    return this.frames.filter((frame) => frame.type === type)[count - 1]!;
  }

  async closes(): Promise<{ code: number; reason: string }> {
    await vi.waitFor(() => expect(this.closed).toBeDefined(), { timeout: 5_000 });
    return this.closed!;
  }
}

let service: RealtimeService | undefined;
afterEach(async () => {
  await service?.close();
  service = undefined;
});

async function open(limits: Partial<RealtimeLimits> = {}) {
  const reads = new CountingReads();
  service = await startRealtime({
    host: 'localhost',
    port: 0,
    reads,
    clock: systemClock,
    limits: { ...DEFAULT_REALTIME_LIMITS, conflationMs: 20, ...limits },
    provider: 'generated',
    log: () => {},
    onDefect: (defect) => {
      throw defect;
    },
  });
  const { port, follow } = service;
  const connect = async (): Promise<Client> => {
    const client = new Client(port);
    await once(client.socket, 'open');
    return client;
  };
  const commit = (...events: VenueEvent[]): void => {
    reads.current += 1;
    const record = {
      sequence: reads.current as Sequence,
      epochMs: epochMs(1_000 + reads.current),
      command: {} as CommittedRecord['command'],
      events,
    };
    follow({ records: [record], chainDigest: '' });
  };
  return { reads, connect, commit };
}

const subscribe = (channel: string, marketId: string | undefined = MARKET_ID) => ({ op: 'subscribe', channel, marketId });

function traded(trade: number, price: number, origin: OrderOrigin = 'client'): VenueEvent {
  return {
    type: 'TradeExecuted',
    trade: trade as TradeOrdinal,
    market: BTC,
    origin,
    priceAtoms: priceAtoms(price),
    quantityAtoms: baseAtoms(2_000),
    notionalAtoms: quoteAtoms(price * 2_000),
    takerSide: 'buy',
  };
}

function rested(): VenueEvent {
  return {
    type: 'OrderRested',
    order: 1 as OrderOrdinal,
    account: 1 as never,
    market: BTC,
    side: 'buy',
    priceAtoms: priceAtoms(1_000),
    remainingAtoms: baseAtoms(5),
    accountReservedAtoms: quoteAtoms(5),
  };
}

describe('the realtime service', () => {
  test('greets, acknowledges, and sends the trades of a committed record in one frame with its sequence', async () => {
    const { connect, commit } = await open();
    const client = await connect();
    expect(await client.next('hello')).toEqual({ type: 'hello', version: 'realtime-contract/v1' });
    client.send(subscribe('market.trades'));
    expect(await client.next('subscribed')).toEqual({
      type: 'subscribed',
      channel: 'market.trades',
      marketId: MARKET_ID,
      sequence: 7,
    });
    commit(traded(1, 650_000), traded(2, 650_010));
    expect(await client.next('update')).toEqual({
      type: 'update',
      channel: 'market.trades',
      marketId: MARKET_ID,
      sequence: 8,
      epochMs: 1_008,
      data: {
        trades: [
          {
            tradeId: '1',
            marketId: MARKET_ID,
            side: 'buy',
            price: '65000',
            quantity: '0.02',
            notional: '1300',
            executedAtEpochMs: 1_008,
            sequence: 8,
          },
          {
            tradeId: '2',
            marketId: MARKET_ID,
            side: 'buy',
            price: '65001',
            quantity: '0.02',
            notional: '1300.02',
            executedAtEpochMs: 1_008,
            sequence: 8,
          },
        ],
      },
    });
    client.send({ op: 'unsubscribe', channel: 'market.trades', marketId: MARKET_ID });
    await client.next('unsubscribed');
    commit(traded(3, 650_000));
    client.send({ op: 'ping' });
    await client.next('pong');
    expect(client.frames.filter(({ type }) => type === 'update')).toHaveLength(1);
  });

  test('sends prices as they are published, with who observed them', async () => {
    const { connect, commit } = await open();
    const client = await connect();
    client.send(subscribe('market.price'));
    await client.next('subscribed');
    commit({
      type: 'MarketPriced',
      market: BTC,
      indexPriceAtoms: priceAtoms(650_001),
      markPriceAtoms: priceAtoms(650_003),
      observedAtEpochMs: epochMs(990),
      indexStatus: 'unconfirmed',
      fundingEstimatePpb: ppb(0),
      nextFundingAtEpochMs: epochMs(0),
    });
    expect(await client.next('update')).toMatchObject({
      sequence: 8,
      data: {
        indexPrice: '65000.1',
        markPrice: '65000.3',
        observedAtEpochMs: 990,
        indexStatus: 'unconfirmed',
        provider: 'generated',
      },
    });
  });

  test('sends what the venue closed as trades that say so; a price that nobody quoted moves neither ticker nor book', async () => {
    const { connect, commit } = await open();
    const client = await connect();
    for (const channel of ['market.trades', 'market.ticker', 'market.book']) client.send(subscribe(channel));
    await client.next('subscribed', 3);
    const updatesOf = (name: string) => client.frames.filter(({ type, channel }) => type === 'update' && channel === name);
    commit(traded(1, 650_000, 'auto_deleveraging'));
    await vi.waitFor(() => expect(updatesOf('market.trades')).toHaveLength(1));
    expect(updatesOf('market.trades')[0]).toMatchObject({ data: { trades: [{ tradeId: '1', origin: 'auto_deleveraging' }] } });
    // Long enough for what changed to go out.
    await new Promise((resolve) => setTimeout(resolve, 100));
    commit(traded(2, 650_000, 'liquidation'), traded(3, 650_000));
    await vi.waitFor(() => expect(updatesOf('market.ticker')).toHaveLength(2));
    const [flagged, plain] = (updatesOf('market.trades')[1]!.data as { trades: object[] }).trades;
    expect(flagged).toMatchObject({ tradeId: '2', origin: 'liquidation' });
    expect(plain).not.toHaveProperty('origin');
    // The first of each told how things stood; the deleveraging made none.
    expect(
      [updatesOf('market.ticker'), updatesOf('market.book')].map((frames) => frames.map(({ sequence }) => sequence)),
    ).toEqual([
      [7, 9],
      [7, 9],
    ]);
  });

  test('tells how things stand on subscribing to a book or ticker, then sends whole snapshots, conflated', async () => {
    const { connect, commit, reads } = await open();
    const client = await connect();
    client.send(subscribe('market.book'));
    client.send(subscribe('market.ticker'));
    await client.next('update', 2);
    expect(client.frames.filter(({ type }) => type === 'update').map(({ channel, sequence }) => [channel, sequence])).toEqual([
      ['market.book', 7],
      ['market.ticker', 7],
    ]);
    for (let count = 0; count < 500; count++) commit(rested());
    const book = await client.next('update', 3);
    expect(book).toMatchObject({
      channel: 'market.book',
      sequence: 507,
      data: { marketId: MARKET_ID, bids: [['100', '1']], asks: [] },
    });
    commit(traded(1, 650_000));
    await client.next('update', 5);
    expect(client.frames.filter(({ channel, type }) => type === 'update' && channel === 'market.ticker').at(-1)).toMatchObject({
      sequence: 508,
      data: { lastPrice: '508' },
    });
    expect(reads.bookReads).toBeLessThan(10);
  });

  test.each([
    ['not json', 'invalid_request'],
    [{ op: 'subscribe' }, 'invalid_request'],
    [{ op: 'shout' }, 'invalid_request'],
    [{ op: 'subscribe', channel: 'market.trades', marketId: MARKET_ID, depth: 3 }, 'invalid_request'],
    [{ op: 'subscribe', channel: 'market.trades' }, 'invalid_request'],
    [subscribe('market.rumours'), 'unknown_channel'],
    [subscribe('market.trades', 'DOGE-USD-PERP'), 'unknown_market'],
    [{ op: 'subscribe', channel: 'account.orders', accountId: 'acct-1' }, 'source_unavailable'],
    [subscribe('market.funding'), 'source_unavailable'],
  ])('answers %j with an error frame and stays open', async (frame, code) => {
    const { connect } = await open();
    const client = await connect();
    client.send(frame);
    expect(await client.next('error')).toMatchObject({ type: 'error', code, message: expect.stringMatching(/./) });
    client.send({ op: 'ping' });
    await client.next('pong');
  });

  test('refuses binary frames, too many subscriptions, and cuts off what is too large or too much', async () => {
    const { connect } = await open({ maxSubscriptions: 2, frameBurst: 30, framesPerSecond: 1 });
    const client = await connect();
    client.socket.send(Buffer.from([1, 2]));
    expect(await client.next('error')).toMatchObject({ code: 'invalid_request' });
    for (const channel of ['market.trades', 'market.price', 'market.book']) client.send(subscribe(channel));
    expect(await client.next('error', 2)).toMatchObject({ code: 'too_many_subscriptions' });
    const large = await connect();
    large.send(`{"op":"${'x'.repeat(5_000)}"}`);
    expect((await large.closes()).code).toBe(1009);
    for (let count = 0; count < 60; count++) client.send({ op: 'ping' });
    expect(await client.closes()).toEqual({ code: 4002, reason: 'too_many_frames' });
  });

  test('cuts off a client that reads too slowly, with a reason, and nobody else', async () => {
    const { connect, commit, reads } = await open({ maxQueuedBytes: 200_000, conflationMs: 5 });
    const slow = await connect();
    const other = await connect();
    for (const client of [slow, other]) client.send(subscribe('market.book'));
    await slow.next('update');
    await other.next('update');
    slow.socket.pause();
    reads.padding = '0'.repeat(500_000);
    await vi.waitFor(
      () => {
        commit(rested());
        expect(other.frames.length).toBeGreaterThan(60);
      },
      { timeout: 10_000, interval: 10 },
    );
    slow.socket.resume();
    const { code, reason } = await slow.closes();
    // Within two seconds it can take its close frame; then the line is cut.
    expect([4001, 1006]).toContain(code);
    if (code === 4001) expect(reason).toBe('slow_consumer');
    expect(other.closed).toBeUndefined();
  }, 20_000);

  test('pings, and cuts off a client that gives no sign of life', async () => {
    const { connect } = await open({ idleMs: 200 });
    const lively = await connect();
    const silent = await connect();
    // Takes the pings and does not answer them.
    silent.socket.pong = () => {};
    expect(await silent.closes()).toEqual({ code: 4003, reason: 'idle' });
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(lively.closed).toBeUndefined();
  });

  test('tells its clients when the venue stops', async () => {
    const { connect } = await open();
    const client = await connect();
    await client.next('hello');
    await service?.close();
    service = undefined;
    expect(await client.closes()).toEqual({ code: 1001, reason: 'venue_stops' });
  });
});
