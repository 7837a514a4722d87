/**
 * A service that accepts a connection but does not respond, is not a venue, or leaves one frame unanswered: waiting callers get a
 * timeout, no received state is lost, and the next call starts again. It waits for a response that is late for a known reason.
 */
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { WebSocket, WebSocketServer } from 'ws';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { SOON, untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

const TIMEOUT_MS = 1_000;
const IMPATIENT = { ...SOON, catchUpTimeout: 1_500 };

interface Frame {
  readonly type: string;
  readonly channel?: string;
}

/** Scripts what a client receives for each frame of the venue. */
type RelayFrame = (frame: Frame, send: (text: string) => void) => void;

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
  const maker = new OpenPerp(await config());
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
});

afterAll(() => venue.stop());

async function config() {
  const { apiKey } = await venue.openAccount('10000000');
  return { apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false };
}

const faithful: RelayFrame = (frame, send) => send(JSON.stringify(frame));

/** Starts a scripted proxy between the client and the venue. */
async function between() {
  let relay = faithful;
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  let opened = 0;
  server.on('connection', (client) => {
    opened += 1;
    const upstream = new WebSocket(venue.realtimeUrl);
    const waiting: string[] = [];
    upstream.on('open', () => {
      for (const frame of waiting.splice(0)) upstream.send(frame);
    });
    client.on('message', (bytes) => {
      if (upstream.readyState === WebSocket.OPEN) upstream.send(String(bytes));
      else waiting.push(String(bytes));
    });
    upstream.on('message', (bytes) => relay(JSON.parse(String(bytes)), (text) => client.send(text)));
    upstream.on('close', () => client.close());
    upstream.on('error', () => client.close());
    client.on('close', () => upstream.close());
  });
  onTestFinished(() => {
    for (const client of server.clients) client.terminate();
    server.close();
  });
  const own = await config();
  const ws = `ws://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const exchange = new OpenPerpPro({ ...own, urls: { api: { ...own.urls.api, ws } }, options: IMPATIENT });
  onTestFinished(() => exchange.close());
  await exchange.loadMarkets();
  exchange.timeout = TIMEOUT_MS;
  const trader = new OpenPerp(own);
  return {
    server,
    exchange,
    trader,
    trade: () => trader.createOrder(SYMBOL, 'market', 'buy', 0.1),
    relayBy: (it: RelayFrame) => {
      relay = it;
    },
    opened: () => opened,
  };
}

async function timesOut(watch: Promise<unknown>, message = '127.0.0.1'): Promise<void> {
  await expect(watch).rejects.toBeInstanceOf(ccxt.RequestTimeout);
  await expect(watch).rejects.toThrow(message);
}

test.each<readonly [string, RelayFrame]>([
  ['says nothing', () => undefined],
  ['sends another protocol', (_, send) => send('{"event":"welcome"}')],
  ['sends invalid JSON', (_, send) => send('hello there')],
])(
  'throws RequestTimeout to all callers for a service that %s, and closes the connection; the next call opens another',
  async (_, relay) => {
    const { exchange, server, relayBy, opened } = await between();
    relayBy(relay);
    for (let time = 1; time <= 2; time += 1) {
      await Promise.all([
        timesOut(exchange.watchTicker(SYMBOL)),
        timesOut(exchange.watchOrders()),
        timesOut(exchange.watchBalance()),
      ]);
      expect(opened()).toBe(time);
      expect(exchange.clients).toEqual({});
      await eventually(() => expect(server.clients.size).toBe(0));
    }
    relayBy(faithful);
    expect((await exchange.watchTicker(SYMBOL)).symbol).toBe(SYMBOL);
    expect((await exchange.watchBalance()).total).toBeDefined();
    expect(opened()).toBe(3);
  },
);

const without =
  (type: string, channel?: string): RelayFrame =>
  (frame, send) => {
    if (frame.type !== type || frame.channel !== channel) faithful(frame, send);
  };

test.each([
  ['auth', 'auth_ok', undefined],
  ['subscribe account.fills', 'subscribed', 'account.fills'],
])('throws RequestTimeout for %s without a response; loses no received state', async (frame, type, channel) => {
  const { exchange, trader, trade, relayBy, server } = await between();
  const watched: unknown[] = [];
  const watch = async () => {
    for (const { id } of await exchange.watchMyTrades()) watched.push(id);
  };
  const first = watch();
  await untilLive(exchange, 'account.fills');
  await trade();
  await first;
  for (const client of server.clients) client.terminate();
  await eventually(() => expect(exchange.clients).toEqual({}));
  await trade();
  relayBy(without(type, channel));
  await timesOut(watch(), `no answer to ${frame}`);
  await trade();
  relayBy(faithful);
  while (watched.length < 3) await watch();
  expect(watched).toEqual((await trader.fetchMyTrades(SYMBOL)).map(({ id }) => id));
});

test('throws RequestTimeout for an unanswered subscription to a snapshot channel, and for an unanswered unsubscription, which has then ended', async () => {
  const { exchange, relayBy } = await between();
  relayBy(without('subscribed', 'market.book'));
  await timesOut(exchange.watchOrderBook(SYMBOL), 'subscribe market.book');
  relayBy(faithful);
  await exchange.watchOrderBook(SYMBOL);
  const other = exchange.watchTrades(SYMBOL);
  const cut = timesOut(other, 'unsubscribe market.book');
  relayBy(without('unsubscribed', 'market.book'));
  expect(await exchange.unWatchOrderBook(SYMBOL)).toBe(true);
  await cut;
});

test('waits for consecutive replays that each respond in time, however long all take', async () => {
  const { exchange, trade, relayBy } = await between();
  let before = Promise.resolve();
  relayBy((frame, send) => {
    if (frame.type !== 'subscribed') return faithful(frame, send);
    before = before.then(() => new Promise((resolve) => setTimeout(resolve, IMPATIENT.catchUpTimeout * 0.6)));
    before.then(() => faithful(frame, send));
  });
  const watches: Promise<readonly unknown[]>[] = [
    exchange.watchTrades(SYMBOL),
    exchange.watchOHLCV(SYMBOL),
    exchange.watchMyTrades(),
    exchange.watchOrders(),
  ];
  for (const channel of ['market.trades', 'market.candles', 'account.fills', 'account.orders'])
    await untilLive(exchange, channel);
  await trade();
  for (const watched of await Promise.all(watches)) expect(watched.length).toBeGreaterThan(0);
});

test('accepts a response that arrived while the program was busy for longer than the timeout', async () => {
  const { exchange } = await between();
  const send = exchange.sendFrames.bind(exchange);
  exchange.sendFrames = async (client) => {
    await send(client);
    const until = Date.now() + TIMEOUT_MS * 1.5;
    while (Date.now() < until);
  };
  expect((await exchange.watchTicker(SYMBOL)).symbol).toBe(SYMBOL);
});
