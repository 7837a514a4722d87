/** Markets, their statistics and rules in the class, and the URL of the venue. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startRecorder } from '#compat/recorder.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';

const canned = cannedExchange();

test('has the fields of a market', () => {
  expect(canned.exchange.market(SYMBOL)).toMatchObject({
    id: 'BTC-USD-PERP',
    base: 'BTC',
    quote: 'USD.E',
    settle: 'USD.E',
    type: 'swap',
    subType: 'linear',
    linear: true,
    inverse: false,
    margin: false,
    future: false,
    option: false,
    active: true,
    contractSize: 1,
    taker: 0.0005,
    maker: -0.0001,
    precision: { amount: 0.00001, price: 0.1, cost: 0.000001 },
    limits: {
      leverage: { min: 1, max: 50 },
      amount: { min: 0.0001, max: 100 },
      price: { min: 100, max: 1_000_000 },
      cost: { min: 0 },
    },
    marginModes: { cross: false, isolated: true },
  });
  expect(canned.exchange.currencies['USD.E']?.precision).toBe(0.000001);
});

test('has contiguous leverage tiers with the leverage that the venue grants in each', async () => {
  const tiers = await canned.exchange.fetchMarketLeverageTiers(SYMBOL);
  expect(tiers).toMatchObject([
    { tier: 1, currency: 'USD.E', minNotional: 0, maxNotional: 2_000_000, maintenanceMarginRate: 0.01, maxLeverage: 50 },
    { tier: 2, minNotional: 2_000_000, maxNotional: 10_000_000, maintenanceMarginRate: 0.015, maxLeverage: 33 },
    { tier: 3, minNotional: 10_000_000, maxNotional: 562_949_953.421312, maintenanceMarginRate: 0.025, maxLeverage: 20 },
  ]);
  expect(await canned.exchange.fetchLeverageTiers([SYMBOL])).toEqual({ [SYMBOL]: tiers });
});

test('leaves fields of a ticker before the first trade undefined instead of zero', async () => {
  const ticker = await canned.exchange.fetchTicker(SYMBOL);
  for (const key of ['last', 'open', 'high', 'low', 'bid', 'ask', 'vwap', 'percentage'] as const)
    expect(ticker[key], key).toBeUndefined();
  expect(ticker).toMatchObject({ symbol: SYMBOL, baseVolume: 0, timestamp: 1_763_670_000_123 });
});

describe('all markets in one request, and no request for an unknown symbol', () => {
  test.each([
    ['fetchTickers', '/v1/market-data/stats'],
    ['fetchBidsAsks', '/v1/market-data/stats'],
    ['fetchMarkPrices', '/v1/market-data/stats'],
    ['fetchOpenInterests', '/v1/market-data/stats'],
    ['fetchFundingRates', '/v1/market-data/stats'],
    ['fetchFundingIntervals', '/v1/market-data/stats'],
    ['fetchLastPrices', '/v1/markets'],
    ['fetchLeverageTiers', '/v1/markets'],
  ] as const)('%s', async (method, path) => {
    await expect(canned.exchange[method](['DOGE/USD.E:USD.E'])).rejects.toThrow(ccxt.BadSymbol);
    expect(canned.requestedPaths()).toEqual([]);
    for (const symbols of [undefined, [], [SYMBOL]])
      expect(Object.keys(await canned.exchange[method](symbols))).toEqual([SYMBOL]);
    expect(canned.requestedPaths()).toEqual([path, path, path]);
  });
});

test('reports maintenance with the reason for a venue that is not ready', async () => {
  const halted = await startRecorder(() => ({
    status: 503,
    body: { status: 'not_ready', reasons: ['disk full'], journalSequence: 9 },
  }));
  canned.exchange.urls.api = { rest: halted.url };
  expect(await canned.exchange.fetchStatus()).toMatchObject({ status: 'maintenance', info: { reasons: ['disk full'] } });
  await halted.close();
});

test('uses the hostname as URL', async () => {
  const elsewhere = new OpenPerp({ hostname: canned.recorder.url.replace('http://', '') });
  await elsewhere.loadMarkets();
  expect(canned.recorder.requests.at(-1)?.path).toBe('/v1/markets');
});
