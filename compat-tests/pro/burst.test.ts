/**
 * Ten thousand order updates while the program is busy: it gets each of them when it comes back, or an error that some are lost.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { SOON, untilLive } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

/** Orders per batch, and how many batches may be open at once. */
const BATCH = 32;
const OPEN_BATCHES = 10;
let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

async function watching(options: object, key?: string) {
  const { apiKey } = key === undefined ? await venue.openAccount('10000000') : { apiKey: key };
  const urls = { api: { rest: venue.url } };
  const exchange = new OpenPerpPro({ apiKey, urls, enableRateLimit: false, options });
  onTestFinished(() => exchange.close());
  const trader = new OpenPerp({ apiKey, urls, enableRateLimit: false });
  await trader.loadMarkets();
  const waiting = exchange.watchOrders();
  await untilLive(exchange, 'account.orders');
  await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 901);
  await waiting;
  return { exchange, trader, apiKey };
}

/** Places this many orders, and cancels all of them: two updates each. */
async function burst(trader: OpenPerp, orders: number): Promise<ReadonlySet<string>> {
  const placed = new Set<string>();
  while (placed.size < orders) {
    for (let batch = 0; batch < OPEN_BATCHES && placed.size < orders; batch += 1) {
      const size = Math.min(BATCH, orders - placed.size);
      const orderEntries = Array.from({ length: size }, (_, at) => ({
        symbol: SYMBOL,
        type: 'limit',
        side: 'buy',
        amount: 0.01,
        price: 910 + at / 10,
      }));
      for (const { id } of await trader.createOrders(orderEntries as never)) placed.add(id as string);
    }
    await trader.cancelAllOrders(SYMBOL);
  }
  return placed;
}

/** An order placed now is published after all earlier updates: once it arrives, all have arrived. */
async function untilReceived(exchange: OpenPerpPro, trader: OpenPerp): Promise<void> {
  const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 900);
  const known = () => expect(exchange.orders?.hashmap).toHaveProperty([SYMBOL, id as string]);
  await eventually(known);
}

test('buffers 10,000 updates while the program does not read', async () => {
  const { exchange, trader } = await watching({});
  const placed = await burst(trader, 5_000);
  await untilReceived(exchange, trader);
  const woken = await exchange.watchOrders();
  const ended = new Map(woken.map(({ id, status }) => [id as string, status]));
  expect(woken.length).toBe(ended.size);
  for (const id of placed) expect(ended.get(id), id).toBe('canceled');
});

test('recovers 10,000 updates after a disconnect: reads what exceeds the replay, and throws for what exceeds the buffer', async () => {
  const { exchange, trader, apiKey } = await watching(SOON);
  const short = await watching({ ...SOON, ordersLimit: 1_000 }, apiKey);
  const repairs = [exchange, short.exchange].map((it) => vi.spyOn(it, 'readMissed'));
  for (const it of [exchange, short.exchange]) Object.values(it.clients)[0]?.connection.terminate();
  const placed = await burst(trader, 5_000);
  const ended = new Map<string, string>();
  await eventually(async () => {
    for (const { id, status } of await exchange.watchOrders().catch(ignoreLostConnection))
      ended.set(id as string, status as string);
    expect([...placed].filter((id) => ended.get(id) !== 'canceled')).toEqual([]);
  });
  await eventually(async () => {
    const read = short.exchange.watchOrders().catch(ignoreLostConnection);
    await expect(read).rejects.toThrow('ordersLimit');
  });
  for (const heal of repairs) expect(heal).toHaveBeenCalled();
});

function ignoreLostConnection(error: unknown): readonly never[] {
  if (!(error instanceof ccxt.NetworkError)) throw error;
  return [];
}

test('throws once for missed fills beyond the buffer, then returns the buffered ones', async () => {
  const { exchange, trader } = await watching({ myTradesLimit: 500 });
  const maker = await watching({});
  const wanted = exchange.watchMyTrades();
  await eventually(() => expect(exchange.realtime.feeds['account.fills']?.live).toEqual({ 'account.fills': true }));
  const [client] = Object.values(exchange.clients);
  const deliver = exchange.handleMessage.bind(exchange);
  let dropped = 0;
  client!.onMessageCallback = (from: never, message: { channel: string; data: { fills: object[] } }) => {
    if (message.channel === 'account.fills') dropped += message.data.fills.length;
    else deliver(from, message);
  };
  await maker.trader.createOrder(SYMBOL, 'limit', 'sell', 10, 1_000);
  const buys = Array.from({ length: BATCH }, () => ({ symbol: SYMBOL, type: 'limit', side: 'buy', amount: 0.01, price: 1_000 }));
  let missed = 0;
  for (; missed < 600; missed += BATCH) await trader.createOrders(buys as never);
  await eventually(() => expect(dropped).toBe(missed));
  client!.onMessageCallback = deliver;
  // In one message: a second message would trigger the error twice.
  await trader.createOrder(SYMBOL, 'market', 'buy', 0.01);
  await expect(wanted).rejects.toThrow('myTradesLimit');
  expect(await exchange.watchMyTrades()).toHaveLength(500);
});

test('throws once for updates beyond the buffer, then returns the buffered ones', async () => {
  const { exchange, trader } = await watching({ ordersLimit: 100 });
  await burst(trader, 200);
  await untilReceived(exchange, trader);
  const lost = exchange.watchOrders();
  await expect(lost).rejects.toBeInstanceOf(ccxt.ExchangeError);
  await expect(lost).rejects.toThrow('ordersLimit');
  expect(await exchange.watchOrders()).toHaveLength(100);
  const next = exchange.watchOrders();
  const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 902);
  expect((await next).map((order) => order.id)).toEqual([id]);
});
