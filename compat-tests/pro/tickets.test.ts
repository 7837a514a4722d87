/**
 * The tickets that authenticate the socket class: rotated before they expire, never visible to others, and revoked once it is
 * closed.
 */
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { SOON, untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { startSeverableProxy } from '#compat/testing/severable-proxy.ts';
import { eventually } from '#time/testing/eventually.ts';
import { RunningTime } from '#time/testing/running-time.ts';

const MINUTE_MS = 60_000;
/** So often that a test sees the effect of each ping, and with enough patience for a busy machine. */
const PINGING = { keepAlive: 20, maxPingPongMisses: 1_000 };

let venue: OwnMarket;
const time = new RunningTime();

beforeAll(async () => {
  venue = await startOwnMarket({}, time);
});

afterAll(() => venue.stop());

async function open(config: object = {}) {
  const { apiKey, accountId } = await venue.openAccount();
  const exchange = new OpenPerpPro({
    apiKey,
    urls: { api: { rest: venue.url } },
    enableRateLimit: false,
    options: SOON,
    ...config,
  });
  onTestFinished(() => exchange.close());
  return { exchange, apiKey, accountId };
}

function ticketOf(exchange: OpenPerpPro): string {
  return exchange.realtime.ticket.ticket;
}

test('sends pings that the venue answers, and takes the answer as a sign of life: the Python class sends no others', async () => {
  const { exchange } = await open({ streaming: PINGING });
  const watching = exchange.watchOrders(SYMBOL).catch(() => undefined);
  await untilLive(exchange, 'account.orders');
  const client = Object.values(exchange.clients)[0]!;
  const sent = vi.spyOn(client, 'send');
  const longAgo = Date.now() - 5_000;
  client.lastPong = longAgo;
  await eventually(() => expect(sent.mock.calls).toContainEqual([{ op: 'ping' }]));
  await eventually(() => expect(client.lastPong).toBeGreaterThan(longAgo));
  await exchange.close();
  await watching;
});

test('rotates a ticket before it expires, and keeps the socket', async () => {
  const renewed = await open({ options: { ...SOON, ticketRefreshInterval: 20 }, streaming: PINGING });
  const left = await open({ streaming: PINGING });
  for (const { exchange } of [renewed, left]) await exchange.watchBalance();
  const [socket] = Object.values(renewed.exchange.clients);
  const waiting = left.exchange.watchOrders();
  const cut = expect(waiting).rejects.toBeInstanceOf(ccxt.NetworkError);
  await untilLive(left.exchange, 'account.orders');
  for (let step = 0; step < 2; step += 1) {
    time.pass(40 * MINUTE_MS);
    // The first rotation may have started before; the second starts after it.
    for (let rotation = 0; rotation < 2; rotation += 1) {
      const ticket = ticketOf(renewed.exchange);
      await eventually(() => expect(ticketOf(renewed.exchange)).not.toBe(ticket));
    }
  }
  // After the lifetime of the first ticket: a client that let it expire is disconnected, and authenticates again with the next
  // watch.
  await cut;
  const again = left.exchange.watchOrders();
  await untilLive(left.exchange, 'account.orders');
  // The index price became stale meanwhile.
  await venue.index(1_000);
  await left.exchange.createOrder(SYMBOL, 'limit', 'buy', 1, 950);
  expect(await again).toHaveLength(1);
  expect(Object.values(renewed.exchange.clients)).toEqual([socket]);
  expect(socket?.isOpen()).toBe(true);
});

test('throws AuthenticationError to all callers and the next one for a revoked API key; public feeds go on', async () => {
  const { exchange, apiKey, accountId } = await open();
  await exchange.watchBalance();
  const waiting = [exchange.watchOrders(), exchange.watchOrders(SYMBOL), exchange.watchMyTrades(), exchange.watchBalance()];
  const book = exchange.watchOrderBook(SYMBOL);
  await book;
  const trades = exchange.watchTrades(SYMBOL);
  const refused = Promise.all(waiting.map((it) => expect(it).rejects.toBeInstanceOf(ccxt.AuthenticationError)));
  const cut = expect(trades).rejects.toBeInstanceOf(ccxt.NetworkError);
  await untilLive(exchange, 'account.fills');
  const { keyId } = (await exchange.privateGetV1ApiKeysCurrent()) as unknown as { keyId: string };
  await venue.run({ type: 'RevokeApiKey', account: Number(accountId.replace('acct-', '')) as never, keyId });
  await refused;
  await cut;
  await expect(exchange.watchOrders()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
  await expect(exchange.watchBalance()).rejects.toBeInstanceOf(ccxt.AuthenticationError);
  expect((await exchange.watchOrderBook(SYMBOL)).symbol).toBe(SYMBOL);
  expect(apiKey).toMatch(/^opk_/);
});

test('throws AuthenticationError for revoked tickets; with a valid API key the next watch continues', async () => {
  const { exchange } = await open();
  await exchange.watchBalance();
  const waiting = exchange.watchOrders();
  const refused = expect(waiting).rejects.toBeInstanceOf(ccxt.AuthenticationError);
  await untilLive(exchange, 'account.orders');
  await exchange.publicDeleteV1RealtimeTicket({ ticket: ticketOf(exchange) });
  await refused;
  const again = exchange.watchOrders();
  await untilLive(exchange, 'account.orders');
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', 1, 950);
  expect((await again).map((order) => order.id)).toEqual([id]);
});

test('uses the next ticket of one family for each socket; no ticket is in a URL or in printed output', async () => {
  const proxy = await startSeverableProxy(venue.realtimeUrl);
  onTestFinished(() => proxy.close());
  const { exchange } = await open({ urls: { api: { rest: venue.url, ws: proxy.url } } });
  const printed = vi.spyOn(console, 'log');
  onTestFinished(() => printed.mockRestore());
  const requested: string[] = [];
  const fetch = exchange.fetch.bind(exchange);
  exchange.fetch = (...request: Parameters<typeof fetch>) => {
    requested.push(`${request[1]} ${request[0]}`);
    return fetch(...request);
  };
  const tickets = new Set<string>();
  for (let round = 0; round < 3; round += 1) {
    const waiting = exchange.watchOrders();
    const cut = expect(waiting).rejects.toBeInstanceOf(ccxt.NetworkError);
    await untilLive(exchange, 'account.orders');
    tickets.add(ticketOf(exchange));
    exchange.realtime.feeds['account.orders'].live = {};
    proxy.cut();
    await cut;
  }
  expect(tickets.size).toBe(3);
  const ticketRequests = requested.filter((it) => it.includes('/v1/realtime/ticket')).map((it) => it.split(' ')[0]);
  expect(ticketRequests).toEqual(['POST', 'PUT', 'PUT']);
  for (const text of [...requested, ...printed.mock.calls.flat().map(String), ...Object.keys(exchange.clients)])
    for (const ticket of tickets) expect(text).not.toContain(ticket);
});

test('revokes the tickets on close', async () => {
  const { exchange } = await open();
  await exchange.watchBalance();
  const ticket = ticketOf(exchange);
  const waiting = exchange.watchOrders();
  const closed = expect(waiting).rejects.toBeInstanceOf(ccxt.ExchangeClosedByUser);
  await exchange.close();
  await closed;
  await expect(exchange.publicPutV1RealtimeTicket({ ticket })).rejects.toBeInstanceOf(ccxt.AuthenticationError);
});

test.each([
  ['while it watches', 'await exchange.watchBalance(); await exchange.watchOrderBook(symbol);'],
  [
    'while it waits to reconnect',
    'await exchange.watchBalance(); await cut(); exchange.watchOrders().catch(() => {}); await dialled();',
  ],
  ['before it knows the URL', 'await exchange.loadMarkets(); exchange.watchOrders().catch(() => {});'],
  ['while it connects', 'exchange.watchOrders().catch(() => {}); exchange.watchTrades(symbol).catch(() => {}); await dialled();'],
])('leaves nothing after close that keeps a program from ending: %s', async (_, watching) => {
  const { apiKey } = await venue.openAccount();
  const program = `
    import { OpenPerpPro } from '#adapter/dist/openperp.js';
    const symbol = '${SYMBOL}';
    const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const exchange = new OpenPerpPro({ apiKey: '${apiKey}', urls: { api: { rest: '${venue.url}' } } });
    const dialled = async () => { while (Object.keys(exchange.clients).length === 0) await later(0); };
    const cut = async () => {
      Object.values(exchange.clients)[0].connection.terminate();
      while (Object.keys(exchange.clients).length > 0) await later(0);
    };
    ${watching}
    await exchange.close();
    console.log('closed');
  `;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  expect(stdout).toBe('closed\n');
});
