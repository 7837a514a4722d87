/**
 * A program that is busy between two watches: it gets new updates, of each market in turn and in the venue's order, and never
 * stale ones of a broken connection.
 */
import ccxt from 'ccxt';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { OpenPerpPro } from '#adapter/dist/openperp.js';
import { liveChannels, overProxy, untilLost } from '#compat/testing/over-a-proxy.ts';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;
let other: string;

beforeAll(async () => {
  venue = await startOwnMarket();
  other = await venue.list('OTH');
});

afterAll(() => venue.stop());

async function trading(at = venue) {
  const it = await overProxy(at, { credit: '10000000' });
  onTestFinished(async () => {
    await it.trader.cancelAllOrders();
  });
  return it;
}

async function untilUnread({ realtime }: OpenPerpPro, messageHash: string): Promise<void> {
  await eventually(() => expect(realtime.unread).toHaveProperty([messageHash]));
}

/** Reads the best bid and the last trade. */
const priceFrom = {
  watchOrderBook: async (it: OpenPerpPro) => (await it.watchOrderBook(SYMBOL)).bids[0]?.[0],
  watchTicker: async (it: OpenPerpPro) => (await it.watchTicker(SYMBOL)).last,
  watchBidsAsks: async (it: OpenPerpPro) => (await it.watchBidsAsks([SYMBOL]))[SYMBOL]?.bid,
};

test.each([
  ['watchOrderBook', `orderbook:${SYMBOL}`],
  ['watchTicker', `ticker:${SYMBOL}`],
  ['watchBidsAsks', `bidask:${SYMBOL}`],
] as const)('%s: does not deliver updates of a broken connection as new', async (method, messageHash) => {
  const { proxy, exchange, trader } = await trading();
  const taker = (await trading()).trader;
  const trade = async (price: number) => {
    await trader.createOrder(SYMBOL, 'limit', 'buy', 1, price);
    await taker.createOrder(SYMBOL, 'limit', 'sell', 0.1, price);
  };
  await priceFrom[method](exchange);
  await trade(950);
  await untilUnread(exchange, messageHash);
  proxy.refuse(true);
  await untilLost(exchange, proxy.cut);
  await trade(960);
  await expect(priceFrom[method](exchange)).rejects.toBeInstanceOf(ccxt.NetworkError);
  proxy.refuse(false);
  expect(await priceFrom[method](exchange)).toBe(960);
});

/** Updates both markets repeatedly while the program reads. */
function keepBusy(update: () => Promise<unknown>): void {
  let isBusy = true;
  const busy = (async () => {
    while (isBusy) await update();
  })();
  onTestFinished(() => {
    isBusy = false;
    return busy as Promise<void>;
  });
}

const pause = () => new Promise((resolve) => setTimeout(resolve, 20));

test.each(['watchOrderBookForSymbols', 'watchTradesForSymbols', 'watchOHLCVForSymbols'] as const)(
  '%s: returns each market in turn, however slow the reader',
  async (method) => {
    const { exchange, trader } = await trading();
    const maker = (await trading()).trader;
    for (const symbol of [SYMBOL, other]) await maker.createOrder(symbol, 'limit', 'sell', 1_000, 1_001);
    keepBusy(() => Promise.all([SYMBOL, other].map((symbol) => trader.createOrder(symbol, 'limit', 'buy', 0.1, 1_001))));
    const turns: string[] = [];
    const watch = {
      watchOrderBookForSymbols: async () => (await exchange.watchOrderBookForSymbols([SYMBOL, other])).symbol,
      watchTradesForSymbols: async () => (await exchange.watchTradesForSymbols([SYMBOL, other]))[0]?.symbol,
      watchOHLCVForSymbols: async () =>
        Object.keys(await exchange.watchOHLCVForSymbols([SYMBOL, other].map((symbol) => [symbol, '1m'])))[0],
    }[method];
    while (turns.length < 12) {
      turns.push((await watch()) as string);
      await pause();
    }
    for (const symbol of [SYMBOL, other]) expect(turns.filter((turn) => turn === symbol).length).toBeGreaterThanOrEqual(4);
  },
);

test('watches a market that is added beside a busy one from that call on', async () => {
  const { exchange, trader } = await trading();
  const maker = (await trading()).trader;
  for (const symbol of [SYMBOL, other]) await maker.createOrder(symbol, 'limit', 'sell', 1_000, 1_001);
  const trade = (symbol: string) => trader.createOrder(symbol, 'limit', 'buy', 0.1, 1_001);
  const watch = async () => (await exchange.watchTradesForSymbols([SYMBOL, other])).map(({ symbol }) => symbol);
  const isLive = (market: string) => exchange.realtime.feeds[`market.trades:${market}-USD-PERP`]?.live;
  const first = exchange.watchTrades(SYMBOL);
  await eventually(() => expect(isLive('TST')).toEqual({ 'market.trades': true }));
  await trade(SYMBOL);
  await first;
  await trade(SYMBOL);
  await untilUnread(exchange, `trades:${SYMBOL}`);
  // This call returns an unread update, and subscribes to the other market.
  expect(await watch()).toEqual([SYMBOL]);
  await eventually(() => expect(isLive('OTH')).toEqual({ 'market.trades': true }));
  for (const symbol of [SYMBOL, other]) {
    await trade(symbol);
    await untilUnread(exchange, `trades:${symbol}`);
  }
  expect([await watch(), await watch()]).toEqual([[SYMBOL], [other]]);
});

test('takes no symbols as all markets for quotes, and throws for other methods', async () => {
  const { exchange, trader } = await trading();
  await trader.createOrder(other, 'limit', 'buy', 1, 970);
  for (const quotes of [exchange.watchTickers([]), exchange.watchBidsAsks([])])
    expect(Object.keys(await quotes).length).toBeGreaterThan(0);
  expect(await exchange.unWatchTickers([])).toBe(true);
  expect(await exchange.unWatchBidsAsks([])).toBe(true);
  expect(exchange.realtime.feeds).toEqual({});
  for (const watch of [
    exchange.watchOrderBookForSymbols([]),
    exchange.watchTradesForSymbols([]),
    exchange.watchOHLCVForSymbols([]),
    exchange.unWatchOrderBookForSymbols([]),
    exchange.unWatchTradesForSymbols([]),
  ])
    await expect(watch).rejects.toBeInstanceOf(ccxt.ArgumentsRequired);
});

test('keeps the venue’s order for trades of one millisecond, live and replayed', async () => {
  // Its first trade ids sort differently as strings.
  const young = await startOwnMarket();
  onTestFinished(() => young.stop());
  const [{ proxy, exchange, trader }, maker] = [await trading(young), (await trading(young)).trader];
  const sweep = async () => {
    for (let level = 0; level < 6; level += 1) await maker.createOrder(SYMBOL, 'limit', 'sell', 0.1, 1_001 + level / 10);
    await trader.createOrder(SYMBOL, 'limit', 'buy', 0.6, 1_003);
  };
  const watch = () => Promise.all([exchange.watchTrades(SYMBOL), exchange.watchMyTrades(SYMBOL)]);
  const first = watch();
  await eventually(() => expect(liveChannels(exchange)).toHaveLength(2));
  await sweep();
  const firstTrades = await first;
  proxy.refuse(true);
  await untilLost(exchange, proxy.cut);
  await sweep();
  proxy.refuse(false);
  for (const [at, trades] of (await watch()).entries()) {
    const ids = [...(firstTrades[at] ?? []), ...trades].map(({ id }) => Number(id));
    expect(ids).toEqual(Array.from({ length: 12 }, (_, before) => before + 1));
  }
});
