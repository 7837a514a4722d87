/**
 * The public socket methods, against markets of the built-in market makers: each returns what REST returns, and ends when
 * unwatched.
 */
import ccxt from 'ccxt';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OpenPerpPro } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from '#compat/booted-venue.ts';
import { eventually } from '#time/testing/eventually.ts';

const [BTC, ETH] = ['BTC/USD.E:USD.E', 'ETH/USD.E:USD.E'] as const;
let venue: BootedVenue;
let exchange: OpenPerpPro;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

beforeEach(() => {
  exchange = new OpenPerpPro({ urls: { api: { rest: venue.url } } });
});

afterEach(() => exchange.close());

/** Nothing is subscribed any more: neither in the class nor at the venue. */
function expectNothingWatched(): void {
  expect(exchange.realtime.feeds).toEqual({});
  expect(exchange.realtime.unread).toEqual({});
}

test('finds the URL of the realtime service at the venue', async () => {
  const requested: string[] = [];
  const fetch = exchange.fetch.bind(exchange);
  exchange.fetch = (...request: Parameters<typeof fetch>) => {
    requested.push(new URL(request[0]).pathname);
    return fetch(...request);
  };
  await Promise.all([exchange.watchOrderBook(BTC), exchange.watchTicker(ETH)]);
  expect(requested).toEqual(['/v1/markets', '/asyncapi.json']);
  expect(Object.keys(exchange.clients)).toEqual([`${venue.realtimeUrl}/`]);
  const withUrl = new OpenPerpPro({ hostname: 'nowhere.invalid', urls: { api: { rest: venue.url, ws: venue.realtimeUrl } } });
  expect((await withUrl.watchOrderBook(BTC)).symbol).toBe(BTC);
  await withUrl.close();
});

test('watchTicker: equals the ticker of REST, except a later book and mark price', async () => {
  const { info: _, ...watched } = await exchange.watchTicker(BTC);
  const read = await exchange.fetchTicker(BTC);
  expect(Object.keys(watched).sort()).toEqual(
    Object.keys(read)
      .filter((key) => key !== 'info')
      .sort(),
  );
  expect(watched).toMatchObject({ symbol: BTC, close: watched.last });
  expect(Math.abs((watched.last as number) / (read.last as number) - 1)).toBeLessThan(0.02);
  expect(await exchange.unWatchTicker(BTC)).toBe(true);
  expectNothingWatched();
});

test('watchTickers: returns the changed tickers of the given symbols, or of all', async () => {
  const seen = new Set<string>();
  await eventually(async () => {
    for (const symbol of Object.keys(await exchange.watchTickers([BTC, ETH]))) seen.add(symbol);
    expect([...seen].sort()).toEqual([BTC, ETH]);
  });
  const first = await exchange.watchTickers();
  expect(Object.keys(first).length).toBeGreaterThan(0);
  for (const [symbol, ticker] of Object.entries(first)) expect(ticker.symbol).toBe(symbol);
  expect(await exchange.unWatchTickers()).toBe(true);
  expectNothingWatched();
});

test('watchBidsAsks: returns the best levels of the book', async () => {
  const [quote] = Object.values(await exchange.watchBidsAsks([BTC]));
  const book = await exchange.watchOrderBook(BTC);
  expect(quote?.ask).toBeGreaterThan(quote?.bid as number);
  expect(Math.abs((quote?.bid as number) / (book.bids[0]?.[0] as number) - 1)).toBeLessThan(0.01);
  expect(await exchange.unWatchBidsAsks([BTC])).toBe(true);
  // The book stays subscribed for its own watcher.
  expect((await exchange.watchOrderBook(BTC)).symbol).toBe(BTC);
  expect(await exchange.unWatchOrderBook(BTC)).toBe(true);
  expectNothingWatched();
});

test('watchMarkPrice: returns the newest mark and index price', async () => {
  const watched = await exchange.watchMarkPrice(BTC);
  const read = await exchange.fetchTicker(BTC);
  expect(watched.symbol).toBe(BTC);
  expect(Math.abs((watched.markPrice as number) / (read.markPrice as number) - 1)).toBeLessThan(0.02);
  expect(Math.abs((watched.indexPrice as number) / (read.indexPrice as number) - 1)).toBeLessThan(0.02);
  // A ticker has more fields, and a mark price does not replace it.
  await exchange.watchTicker(BTC);
  await exchange.watchMarkPrice(BTC);
  expect(exchange.tickers[BTC]!.last).toBeGreaterThan(0);
  const seen = new Set<string>();
  await eventually(async () => {
    for (const symbol of Object.keys(await exchange.watchMarkPrices([BTC, ETH]))) seen.add(symbol);
    expect([...seen].sort()).toEqual([BTC, ETH]);
  });
  expect(await exchange.unWatchMarkPrices()).toBe(true);
  expect(await exchange.unWatchTicker(BTC)).toBe(true);
  expectNothingWatched();
});

test('watchFundingRate: returns the rate that REST has, at once', async () => {
  const watched = await exchange.watchFundingRate(BTC);
  const read = await exchange.fetchFundingRate(BTC);
  expect(Object.keys(watched).sort()).toEqual(Object.keys(read).sort());
  expect(watched).toMatchObject({ symbol: BTC, interval: read.interval, interestRate: read.interestRate });
  expect(Math.abs((watched.fundingRate as number) - (read.fundingRate as number))).toBeLessThan(0.001);
  expect(Math.abs((watched.fundingTimestamp as number) - (read.fundingTimestamp as number))).toBeLessThanOrEqual(3_600_000);
  expect(await exchange.unWatchFundingRate(BTC)).toBe(true);
  expect(Object.keys(await exchange.watchFundingRates([ETH]))).toEqual([ETH]);
  expect(await exchange.unWatchFundingRates([ETH])).toBe(true);
  expectNothingWatched();
});

test('watchOrderBook: returns 50 levels of each side, or the limit; the sequence grows', async () => {
  const book = await exchange.watchOrderBook(BTC);
  expect(book.bids[0]?.[0]).toBeLessThan(book.asks[0]?.[0] as number);
  const nonce = book.nonce as number;
  const short = await exchange.watchOrderBook(BTC, 3);
  expect([short.bids.length, short.asks.length]).toEqual([3, 3]);
  expect(short.nonce).toBeGreaterThan(nonce);
  const whole = await exchange.watchOrderBook(BTC);
  expect(whole.bids.length).toBeGreaterThan(3);
});

test('watchOrderBookForSymbols: returns every market in turn', async () => {
  const seen = new Set<string>();
  await eventually(async () => {
    seen.add((await exchange.watchOrderBookForSymbols([BTC, ETH], 5)).symbol as string);
    expect([...seen].sort()).toEqual([BTC, ETH]);
  });
  expect(await exchange.unWatchOrderBookForSymbols([BTC, ETH])).toBe(true);
  expectNothingWatched();
});

test('watchTrades: returns each trade once, like REST', async () => {
  const watched = new Map<string, object>();
  while (watched.size < 5)
    for (const trade of await exchange.watchTrades(BTC)) {
      expect(watched.has(trade.id as string)).toBe(false);
      watched.set(trade.id as string, trade);
    }
  await eventually(async () => {
    const read = new Map((await exchange.fetchTrades(BTC, undefined, 500)).map((trade) => [trade.id, trade]));
    for (const [id, trade] of watched) expect(read.get(id)).toEqual(trade);
  });
  expect(await exchange.unWatchTrades(BTC)).toBe(true);
  expectNothingWatched();
});

test('watchTradesForSymbols: returns trades of one market at a time', async () => {
  const seen = new Set<string>();
  await eventually(async () => {
    const trades = await exchange.watchTradesForSymbols([BTC, ETH]);
    expect(new Set(trades.map(({ symbol }) => symbol)).size).toBe(1);
    seen.add(trades[0]?.symbol as string);
    expect([...seen].sort()).toEqual([BTC, ETH]);
  });
  expect(await exchange.unWatchTradesForSymbols([BTC, ETH])).toBe(true);
  expectNothingWatched();
});

test.each(['trade', 'index'])('watchOHLCV: returns candles of the %s like REST', async (series) => {
  const params = series === 'index' ? { price: 'index' } : {};
  const [candle] = await exchange.watchOHLCV(BTC, '1m', undefined, undefined, params);
  expect(candle).toHaveLength(6);
  await eventually(async () => {
    const [watched] = (await exchange.watchOHLCV(BTC, '1m', undefined, undefined, params)).slice(-1);
    const read = await exchange.fetchOHLCV(BTC, '1m', undefined, 2, params);
    expect(read).toContainEqual(watched);
  });
  expect(await exchange.unWatchOHLCV(BTC, '1m', params)).toBe(true);
  expectNothingWatched();
});

test('watchOHLCVForSymbols: returns candles by symbol and timeframe', async () => {
  const pairs = [
    [BTC, '1m'],
    [ETH, '5m'],
  ];
  const seen = new Set<string>();
  await eventually(async () => {
    for (const [symbol, frames] of Object.entries(await exchange.watchOHLCVForSymbols(pairs)))
      for (const timeframe of Object.keys(frames)) seen.add(`${symbol} ${timeframe}`);
    expect([...seen].sort()).toEqual([`${BTC} 1m`, `${ETH} 5m`]);
  });
  expect(await exchange.unWatchOHLCVForSymbols(pairs)).toBe(true);
  expectNothingWatched();
});

test('refuses unknown markets and options: before a request if the class knows, otherwise by the venue', async () => {
  await expect(exchange.watchTicker('XRP/USD.E:USD.E')).rejects.toBeInstanceOf(ccxt.BadSymbol);
  await expect(exchange.watchOHLCV(BTC, '2m')).rejects.toBeInstanceOf(ccxt.NotSupported);
  await expect(exchange.watchOHLCV(BTC, '1m', undefined, undefined, { price: 'mark' })).rejects.toBeInstanceOf(ccxt.NotSupported);
  expect(exchange.clients).toEqual({});
});

test('throws to waiting callers when a watch ends', async () => {
  await exchange.watchTrades(BTC);
  const waiting = Promise.all([exchange.watchTrades(ETH), exchange.watchTrades(ETH)]);
  const refused = expect(waiting).rejects.toBeInstanceOf(ccxt.UnsubscribeError);
  await exchange.unWatchTrades(ETH);
  await refused;
  expect((await exchange.watchTrades(BTC)).length).toBeGreaterThan(0);
});
