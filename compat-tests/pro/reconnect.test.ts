/**
 * A watch whose connection is cut, whose venue is killed, or whose missed updates are no longer in the replay buffer: it
 * continues from its sequence, heals over REST, or throws. Afterwards there is no gap and no duplicate.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { temporaryDirectory } from '#app/testing/test-venue.ts';
import { VenueProcess } from '#app/testing/venue-process.ts';
import { liveChannels, overProxy, SOON } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { startSeverableProxy } from '#compat/testing/severable-proxy.ts';
import { unified, Watcher } from '#compat/testing/watcher.ts';
import { eventually } from '#time/testing/eventually.ts';

const BTC = 'BTC/USD.E:USD.E';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

/** An account that trades with another, and its watcher on a connection that can be cut. */
async function watching() {
  const { proxy, trader, exchange } = await overProxy(venue);
  const { apiKey } = await venue.openAccount('10000000');
  const maker = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
  const watcher = new Watcher(exchange).begin();
  onTestFinished(() => watcher.close());
  await eventually(() => expect(sortedLive(exchange)).toEqual(ACCOUNT_FEEDS));
  await maker.createOrder(SYMBOL, 'limit', 'sell', 100, 1_001);
  await maker.createOrder(SYMBOL, 'limit', 'buy', 100, 999);
  /** Places a resting order, a cancelled one, and two that trade. */
  const trade = async () => {
    const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 950);
    await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 951);
    await trader.createOrder(SYMBOL, 'limit', 'buy', 0.3, 1_001);
    await trader.createOrder(SYMBOL, 'market', 'sell', 0.1);
    await trader.cancelOrder(id as string, SYMBOL);
  };
  return { proxy, trader, exchange, watcher, trade };
}

const ACCOUNT_FEEDS = ['account.fills', 'account.margin', 'account.orders', 'account.pnl', 'account.positions'];

const sortedLive = (exchange: OpenPerpPro) => liveChannels(exchange).toSorted();

async function expectSame({ orders, trades, positions, balance }: Watcher, reader: OpenPerp, symbol: string): Promise<void> {
  expect(unified(orders.values())).toEqual(unified(await reader.fetchOrders(symbol, undefined, 500)));
  expect(unified(trades)).toEqual(unified(await reader.fetchMyTrades(symbol, undefined, 500)));
  const fieldsOf = ({ contracts, side, entryPrice, id }: Record<string, unknown>) => ({ contracts, side, entryPrice, id });
  expect([...positions.values()].map(fieldsOf)).toEqual((await reader.fetchPositions()).map((it) => fieldsOf(Object(it))));
  expect(balance.total).toEqual((await reader.fetchBalance()).total);
}

/** Records the feeds that are healed from now on. */
function healsOf(exchange: OpenPerpPro): ReadonlySet<string> {
  const healed = new Set<string>();
  const heal = exchange.readMissed.bind(exchange);
  exchange.readMissed = (client, feed) => {
    healed.add(feed.name);
    return heal(client, feed);
  };
  return healed;
}

/** Each fill once: a watcher appends what it receives. */
async function becomesSame(watcher: Watcher, reader: OpenPerp, symbol = SYMBOL): Promise<void> {
  await eventually(() => expectSame(watcher, reader, symbol));
}

test('loses and duplicates nothing when the connection is cut repeatedly during trading', async () => {
  const { proxy, trader, watcher, trade } = await watching();
  for (let round = 0; round < 5; round += 1) {
    const trading = trade();
    proxy.cut();
    await trading;
    await becomesSame(watcher, trader);
  }
  expect(proxy.opened).toBeGreaterThanOrEqual(6);
  expect(watcher.errors.length).toBeGreaterThan(0);
  for (const error of watcher.errors) expect(error).toBeInstanceOf(ccxt.NetworkError);
});

test('throws while it cannot connect, and has all updates afterwards', async () => {
  const { proxy, trader, watcher, trade } = await watching();
  proxy.refuse(true);
  proxy.cut();
  await trade();
  await eventually(() => expect(watcher.errors.length).toBeGreaterThan(3));
  await trade();
  proxy.refuse(false);
  await becomesSame(watcher, trader);
});

test('throws NetworkError when the socket closes during the first watch, and the next call connects', async () => {
  const exchange = new OpenPerpPro({ urls: { api: { rest: venue.url } }, options: SOON });
  onTestFinished(() => exchange.close());
  await exchange.watchOrderBook(SYMBOL);
  const [client] = Object.values(exchange.clients);
  client?.connection.close();
  await expect(exchange.watchTrades(SYMBOL)).rejects.toBeInstanceOf(ccxt.NetworkError);
  expect((await exchange.watchOrderBook(SYMBOL)).symbol).toBe(SYMBOL);
});

test('detects a gap by the sequences, and heals it over REST', async () => {
  const { trader, exchange, watcher, trade } = await watching();
  await trade();
  await becomesSame(watcher, trader);
  const healed = healsOf(exchange);
  const [client] = Object.values(exchange.clients);
  const deliver = exchange.handleMessage.bind(exchange);
  let dropped = 0;
  // As if the updates of a period never arrived.
  client!.onMessageCallback = (from: never, message: { type: string }) => {
    if (message.type === 'update') dropped += 1;
    else deliver(from, message);
  };
  await trade();
  await eventually(() => expect(dropped).toBeGreaterThan(10));
  client!.onMessageCallback = deliver;
  await trade();
  await becomesSame(watcher, trader);
  expect(watcher.errors).toEqual([]);
  expect([...healed].sort()).toEqual(['account.fills', 'account.margin', 'account.orders', 'account.positions']);
});

test('ignores duplicate updates', async () => {
  const { trader, exchange, watcher, trade } = await watching();
  const [client] = Object.values(exchange.clients);
  const deliver = exchange.handleMessage.bind(exchange);
  client!.onMessageCallback = (from: never, message: unknown) => {
    deliver(from, message);
    deliver(from, message);
  };
  await trade();
  await becomesSame(watcher, trader);
  expect(watcher.trades).toHaveLength(2);
});

test('throws when healing over REST fails, and the next call tries again', async () => {
  const { trader, exchange, watcher, trade } = await watching();
  const fetch = exchange.fetch.bind(exchange);
  let failures = 0;
  exchange.fetch = async (...args: Parameters<typeof fetch>) => {
    if (failures < 8) {
      failures += 1;
      throw new ccxt.NetworkError('planted');
    }
    return fetch(...args);
  };
  for (const feed of Object.values<{ sequences: Record<string, number> }>(exchange.realtime.feeds))
    for (const channel of Object.keys(feed.sequences)) feed.sequences[channel] = 0;
  await trade();
  await eventually(() => expect(watcher.errors.map(({ message }) => message)).toContain('planted'));
  await becomesSame(watcher, trader);
});

test.each([
  ['killed', false],
  ['stopped, and has lost its replay log', true],
])('continues the same watch after a venue is %s', async (_, loses) => {
  const directory = temporaryDirectory();
  let running = await new VenueProcess(directory.path).runs();
  onTestFinished(async () => {
    await running.end('SIGKILL');
    directory.remove();
  });
  const { url, realtimeUrl, apiKey } = running.demo();
  const proxy = await startSeverableProxy(realtimeUrl);
  onTestFinished(() => proxy.close());
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: url, ws: proxy.url } }, options: SOON });
  const watcher = new Watcher(exchange).begin();
  onTestFinished(() => watcher.close());
  const healed = healsOf(exchange);
  const trades = new Map<string, object>();
  let doubled = 0;
  watcher.loop(async () => {
    for (const { id, price, amount } of await exchange.watchTrades(BTC)) {
      if (trades.has(id as string)) doubled += 1;
      trades.set(id as string, { id, price, amount });
    }
  });
  const reader = new OpenPerp({ apiKey, urls: { api: { rest: url } } });
  await eventually(() => expect(sortedLive(exchange)).toEqual([...ACCOUNT_FEEDS, 'market.trades']));
  const trade = async () => {
    const { bid } = await reader.fetchTicker(BTC);
    const { id } = await reader.createOrder(BTC, 'limit', 'buy', 0.01, (bid as number) * 0.97);
    await reader.createOrder(BTC, 'market', 'buy', 0.002);
    await reader.createOrder(BTC, 'limit', 'buy', 0.01, (bid as number) * 0.96);
    return id as string;
  };
  const resting = await trade();
  await eventually(() => expect(trades.size).toBeGreaterThan(0));
  const [first] = trades.keys();
  proxy.refuse(true);
  proxy.cut();
  await trade();
  await running.end(loses ? 'SIGTERM' : 'SIGKILL');
  if (loses) rmSync(join(directory.path, 'replay'), { recursive: true });
  running = await new VenueProcess(directory.path).runs();
  const restarted = running.demo();
  reader.urls.api.rest = restarted.url;
  exchange.urls.api.rest = restarted.url;
  // While disconnected, a known order is cancelled, and new ones are placed.
  await reader.cancelOrder(resting, BTC);
  await trade();
  proxy.leadTo(restarted.realtimeUrl);
  proxy.refuse(false);
  await becomesSame(watcher, reader, BTC);
  await trade();
  await becomesSame(watcher, reader, BTC);
  await eventually(async () => {
    const read = (await reader.fetchTrades(BTC, undefined, 500)).map(({ id, price, amount }) => ({ id, price, amount }));
    expect(read.filter(({ id }) => Number(id) >= Number(first))).toEqual([...trades.values()]);
  });
  expect(doubled).toBe(0);
  expect(healed.size > 0).toBe(loses);
  for (const error of watcher.errors) expect(error).toBeInstanceOf(ccxt.NetworkError);
});
