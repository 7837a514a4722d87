/**
 * More subscriptions than a socket may have: they are spread over several sockets, frames stay within the venue's rate limit, and
 * each socket reconnects.
 */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { promisify } from 'node:util';
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { liveChannels, overProxy, SOON, untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

const MARKETS = 100;

let venue: OwnMarket;
let symbols: readonly string[];

beforeAll(async () => {
  venue = await startOwnMarket();
  const listed: string[] = [];
  while (listed.length < MARKETS) listed.push(await venue.list(`T${listed.length}`));
  symbols = listed;
});

afterAll(() => venue.stop());

test('watches a hundred markets and the account on two sockets, and again after both were cut', async () => {
  const { proxy, exchange, trader } = await overProxy(venue);
  const watched = new Set<string>();
  const errors: unknown[] = [];
  const all = async () => {
    await eventually(async () => {
      for (const symbol of Object.keys(await exchange.watchTickers([...symbols]).catch(noted))) watched.add(symbol);
      expect(watched.size).toBe(MARKETS);
    });
  };
  const noted = (error: unknown) => {
    errors.push(error);
    return {};
  };
  await all();
  await exchange.watchBalance();
  const orders = exchange.watchOrders();
  await untilLive(exchange, 'account.orders');
  const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  expect((await orders).map((order) => order.id)).toEqual([id]);
  expect(errors).toEqual([]);
  expect(proxy.opened).toBe(2);

  // A caller that waits only for the second socket gets its error.
  const last = exchange.watchTicker(symbols.at(-1) as string);
  const cut = expect(last).rejects.toBeInstanceOf(ccxt.NetworkError);
  proxy.cut();
  await cut;
  watched.clear();
  await all();
  expect(proxy.opened).toBe(4);
  for (const error of errors) expect(error).toBeInstanceOf(ccxt.NetworkError);
});

test('throws to callers of the second socket when only that is cut, and the first goes on', async () => {
  const { exchange, trader } = await overProxy(venue);
  const seen = new Set<string>();
  while (seen.size < MARKETS) for (const symbol of Object.keys(await exchange.watchTickers([...symbols]))) seen.add(symbol);
  const [first, second] = Object.values(exchange.clients);
  const lost = expect(exchange.watchTicker(symbols.at(-1) as string)).rejects.toBeInstanceOf(ccxt.NetworkError);
  const orders = exchange.watchOrders();
  await untilLive(exchange, 'account.orders');
  second?.connection.terminate();
  await lost;
  const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 911);
  expect((await orders).map((order) => order.id)).toEqual([id]);
  expect((await exchange.watchTicker(symbols.at(-1) as string)).symbol).toBe(symbols.at(-1));
  expect(Object.values(exchange.clients)[0]).toBe(first);
});

test('reopens a socket that ends while the other keeps the reader busy', async () => {
  const { exchange, trader } = await overProxy(venue);
  const some = [symbols[0], symbols.at(-1)] as string[];
  exchange.options.subscriptionsPerSocket = 6;
  await Promise.all(some.map((symbol) => exchange.watchOrderBook(symbol)));
  const [, second] = Object.values(exchange.clients);
  expect(second).toBeDefined();
  second?.connection.terminate();
  await eventually(() => expect(Object.values(exchange.clients)).toHaveLength(1));
  const watched = new Set<unknown>();
  for (let round = 0; round < 10; round += 1) {
    await trader.createOrder(some[0] as string, 'limit', 'buy', 1, 900 + round);
    await exchange.sleep(100); // the update has arrived, and is returned at once
    watched.add((await exchange.watchOrderBookForSymbols(some)).symbol);
  }
  expect([...watched].sort()).toEqual([...some].sort());
  await eventually(() => expect(Object.values(exchange.clients)).toHaveLength(2));
});

test('watches feeds that are ended and restarted repeatedly, within the frame rate limit', async () => {
  const { proxy, exchange } = await overProxy(venue);
  const some = symbols.slice(0, 50);
  const sent = vi.spyOn(exchange, 'sendFrame');
  for (let round = 0; round < 2; round += 1) {
    await Promise.all(some.map((symbol) => exchange.watchTicker(symbol)));
    expect(liveChannels(exchange)).toHaveLength(some.length);
    expect(await exchange.unWatchTickers([...some])).toBe(true);
  }
  // One frame to subscribe and one to unsubscribe.
  expect(sent).toHaveBeenCalledTimes(some.length * 2 * 2);
  await Promise.all(some.map((symbol) => exchange.watchTicker(symbol)));
  expect(proxy.opened).toBe(1);
});

test('uses the socket service of the venue that receives the requests, also after a change of venue', async () => {
  const other = await startOwnMarket();
  onTestFinished(() => other.stop());
  const exchange = new OpenPerpPro({ hostname: new URL(venue.url).host, options: SOON });
  onTestFinished(() => exchange.close());
  await exchange.watchTicker(SYMBOL);
  exchange.hostname = new URL(other.url).host;
  await exchange.watchOrderBook(SYMBOL);
  expect(Object.keys(exchange.clients)).toEqual([`${venue.realtimeUrl}/`, `${other.realtimeUrl}/`]);
});

test.each([
  ['http://localhost:8080', 'ws://localhost:8081/'],
  ['http://10.1.2.3:8080/', 'ws://10.1.2.3:8081/'],
  ['http://[fd00::1]:8080', 'ws://[fd00::1]:8081/'],
  ['https://venue.example/openperp', 'wss://venue.example:8081/'],
])('uses the requested host for a venue that listens on all interfaces: %s', async (rest, ws) => {
  const exchange = new OpenPerpPro({ urls: { api: { rest } } });
  const server = { host: '{host}:8081', pathname: '/', protocol: 'ws', variables: { host: { default: 'localhost' } } };
  vi.spyOn(exchange, 'publicGetAsyncapiJson').mockResolvedValue({ servers: { venue: server } });
  expect(await exchange.fetchRealtimeUrl()).toBe(ws);
});

test('throws ExchangeClosedByUser, not NetworkError, to callers of an unanswered connection', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  onTestFinished(() => void silent.close());
  await once(silent, 'listening');
  const ws = `ws://127.0.0.1:${(silent.address() as AddressInfo).port}`;
  const { apiKey } = await venue.openAccount();
  const exchange = new OpenPerpPro({ apiKey, urls: { api: { rest: venue.url, ws } }, options: SOON });
  const waiting = [exchange.watchTicker(SYMBOL), exchange.watchTrades(SYMBOL), exchange.watchOrders()].map((it) =>
    expect(it).rejects.toBeInstanceOf(ccxt.ExchangeClosedByUser),
  );
  await eventually(() => expect(Object.keys(exchange.clients)).toHaveLength(1));
  await exchange.close();
  await Promise.all(waiting);
  expect(exchange.clients).toEqual({});
});

test('throws for an unanswered connection, and ends no program, on any of the sockets', async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  const program = `
    import { OpenPerpPro } from '#adapter/dist/openperp.js';
    const urls = { api: { rest: '${venue.url}', ws: 'ws://127.0.0.1:${port}' } };
    const exchange = new OpenPerpPro({ urls, options: { subscriptionsPerSocket: 6 } });
    await exchange.loadMarkets();
    // In a turn of its own, so that the refusal comes before any timer set in it.
    await exchange.sleep(10);
    const all = exchange.symbols.slice(0, 3).map((symbol) => exchange.watchTicker(symbol));
    for (const { reason } of await Promise.allSettled(all)) console.log(reason.constructor.name);
    while (Object.keys(exchange.clients).length > 0) await exchange.sleep(0);
    await exchange.close();
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('NetworkError\n'.repeat(3));
});
