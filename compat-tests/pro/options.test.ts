/**
 * Bots replace `exchange.options` with their own dictionary at any time: the state of the sockets is not in it, and missing
 * settings have their defaults.
 */
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest';
import { OpenPerp, OpenPerpPro } from '#adapter/dist/openperp.js';
import { liveChannels } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

async function open(config: object = {}) {
  const { apiKey } = await venue.openAccount('10000000');
  const urls = { api: { rest: venue.url } };
  const exchange = new OpenPerpPro({ apiKey, urls, enableRateLimit: false, ...config });
  onTestFinished(() => exchange.close());
  return { exchange, trader: new OpenPerp({ apiKey, urls, enableRateLimit: false }) };
}

const BOTS = () => ({ defaultType: 'swap' });

test('keeps sockets, waiting callers and unread updates when options are replaced', async () => {
  const { exchange, trader } = await open();
  exchange.options = BOTS();
  expect((await exchange.watchBalance()).total).toBeDefined();
  exchange.options = BOTS();
  const [socket] = Object.values(exchange.clients);
  const book = exchange.watchOrderBook(SYMBOL);
  exchange.options = BOTS();
  expect((await book).symbol).toBe(SYMBOL);
  const waiting = exchange.watchBalance();
  exchange.options = BOTS();
  const { id } = await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 910);
  expect((await waiting).used).not.toEqual({});
  // No caller reads while this update arrives.
  await trader.cancelOrder(id as string, SYMBOL);
  await eventually(() => expect(exchange.balance).toEqual(expect.objectContaining({ used: { 'USD.E': 0 } })));
  exchange.options = BOTS();
  expect((await exchange.watchBalance()).used).toEqual({ 'USD.E': 0 });
  const ticket = vi.spyOn(exchange, 'publicDeleteV1RealtimeTicket');
  exchange.options = BOTS();
  expect(await exchange.unWatchOrderBook(SYMBOL)).toBe(true);
  expect(Object.values(exchange.clients)).toEqual([socket]);
  await exchange.close();
  expect(ticket).toHaveBeenCalledOnce();
});

test('uses defaults for missing options', async () => {
  const { exchange, trader } = await open();
  const described = new OpenPerpPro().options;
  exchange.options = BOTS();
  await exchange.watchBalance();
  const watches = [exchange.watchTrades(SYMBOL), exchange.watchOHLCV(SYMBOL), exchange.watchOrders(), exchange.watchMyTrades()];
  await eventually(() => expect(liveChannels(exchange)).toHaveLength(1 + watches.length));
  const { trader: maker } = await open();
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1, 1_001);
  await trader.createOrder(SYMBOL, 'limit', 'buy', 1, 1_001);
  await Promise.all<object>(watches);
  const caches = [exchange.trades[SYMBOL], exchange.ohlcvs[SYMBOL]?.['1m'], exchange.orders, exchange.myTrades];
  const { tradesLimit, OHLCVLimit, ordersLimit, myTradesLimit } = described;
  expect(caches.map((cache) => Object(cache).maxSize)).toEqual([tradesLimit, OHLCVLimit, ordersLimit, myTradesLimit]);
});

test('shares nothing between two exchanges, even if one has the options of the other', async () => {
  const { exchange } = await open();
  await exchange.watchBalance();
  const { exchange: other } = await open({ options: exchange.options });
  expect(other.realtime).toEqual(new OpenPerpPro().realtime);
  await other.watchOrderBook(SYMBOL);
  expect(Object.keys(exchange.realtime.feeds)).toEqual(['account.margin']);
  expect(Object.keys(other.realtime.feeds)).toEqual(['market.book:TST-USD-PERP']);
  await exchange.close();
  expect((await other.watchBalance()).total).toBeDefined();
});
