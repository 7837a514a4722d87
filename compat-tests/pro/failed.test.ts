/**
 * Errors that occur without a waiting caller, or late, on a closed connection or an ended feed: thrown once, without effect on
 * later state.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { OpenPerp, type OpenPerpPro } from '#adapter/dist/openperp.js';
import { overProxy, untilLive, untilLost } from '#compat/testing/over-a-proxy.ts';
import { MARKET_ID, type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

const UNAVAILABLE = new ccxt.NetworkError('unavailable');

let venue: OwnMarket;
let maker: OpenPerp;

beforeAll(async () => {
  venue = await startOwnMarket();
  maker = new OpenPerp({
    apiKey: (await venue.openAccount()).apiKey,
    urls: { api: { rest: venue.url } },
    enableRateLimit: false,
  });
  await maker.createOrder(SYMBOL, 'limit', 'sell', 100, 1_001);
});

afterAll(() => venue.stop());

async function buying() {
  const it = await overProxy(venue);
  return { ...it, buy: () => it.trader.createOrder(SYMBOL, 'limit', 'buy', 0.01, 1_001) };
}

const feedOf = (exchange: OpenPerpPro, name: string) => exchange.realtime.feeds[name];

test('is thrown to the next caller only', async () => {
  const { exchange, buy } = await buying();
  const name = `market.trades:${MARKET_ID}`;
  const first = exchange.watchTrades(SYMBOL);
  await untilLive(exchange, 'market.trades');
  await buy();
  await first;
  const fetchTrades = vi.spyOn(exchange, 'publicGetV1MarketsMarketIdTrades').mockRejectedValueOnce(UNAVAILABLE);
  const lastSequence = feedOf(exchange, name).sequences['market.trades'];
  const [client] = Object.values(exchange.clients);
  const gap = { sequence: lastSequence + 9, previousSequence: lastSequence + 5, data: { trades: [] } };
  exchange.handleMessage(client!, { type: 'update', channel: 'market.trades', marketId: MARKET_ID, ...gap });
  await eventually(() => expect(client!.rejections).toHaveProperty(`trades:${SYMBOL}`));
  expect(fetchTrades).toHaveBeenCalledOnce();
  await expect(exchange.watchTrades(SYMBOL)).rejects.toBe(UNAVAILABLE);
  const next = exchange.watchTrades(SYMBOL);
  await untilLive(exchange, 'market.trades');
  await buy();
  expect(await next).toHaveLength(1);
});

test('of an ended feed does not affect its successor', async () => {
  const { exchange, buy } = await buying();
  const name = `market.trades:${MARKET_ID}`;
  const late = Promise.withResolvers<never>();
  const loads = vi.spyOn(exchange, 'loadSequence').mockReturnValueOnce(late.promise);
  const ended = exchange.watchTrades(SYMBOL);
  await eventually(() => expect(loads).toHaveBeenCalledOnce());
  const expectEnded = expect(ended).rejects.toBeInstanceOf(ccxt.UnsubscribeError);
  await exchange.unWatchTrades(SYMBOL);
  await expectEnded;
  const first = exchange.watchTrades(SYMBOL);
  await untilLive(exchange, 'market.trades');
  late.reject(UNAVAILABLE);
  await exchange.sleep(0);
  const [client] = Object.values(exchange.clients);
  expect(client!.subscriptions).toHaveProperty([name]);
  const second = exchange.watchTrades(SYMBOL);
  await buy();
  expect([await first, await second].map(({ length }) => length)).toEqual([1, 1]);
  expect(exchange.trades[SYMBOL]).toHaveLength(1);
});

test('uses a balance that was requested on a connection that broke', async () => {
  const { exchange, proxy } = await overProxy(venue);
  await exchange.watchBalance();
  await untilLive(exchange, 'account.margin');
  const snapshot = await exchange.fetchAccountSnapshot();
  const slow = Promise.withResolvers<object>();
  vi.spyOn(exchange, 'fetchAccountSnapshot').mockReturnValueOnce(slow.promise as never);
  const feed = feedOf(exchange, 'account.margin');
  const [client] = Object.values(exchange.clients);
  const sequence = feed.sequences['account.margin'] + 1;
  const digest = { sequence, previousSequence: sequence - 1, data: { kind: 'digest' } };
  exchange.handleMessage(client!, { type: 'update', channel: 'account.margin', accountId: exchange.accountId, ...digest });
  await untilLost(exchange, proxy.cut);
  slow.resolve({ ...snapshot, snapshotSequence: sequence, cashBalance: '5000', availableForOrders: '5000', positionMargin: '0' });
  await eventually(() => expect(exchange.balance['USD.E'].total).toBe(5_000));
});
