/** The class on a venue that was just started: candles for indicators, and past funding rates. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const HOUR = 3_600_000;
const SPANS = { '1m': 60_000, '5m': 300_000, '1h': HOUR, '4h': 4 * HOUR };

let venue: TestVenue;
let exchange: OpenPerp;
const directory = temporaryDirectory();

beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory.path, { historyMs: 720 * HOUR }));
  exchange = new OpenPerp({ urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
});

afterAll(async () => {
  await venue.stop();
  directory.remove();
});

test.each(Object.entries(SPANS))('fetches 500 candles of %s, of trades and of the index', async (timeframe, spanMs) => {
  for (const params of [{}, { price: 'index' }]) {
    const candles = await exchange.fetchOHLCV(SYMBOL, timeframe, undefined, 500, params);
    expect(candles).toHaveLength(500);
    for (const [place, [time, open, high, low, close, volume]] of candles.entries()) {
      expect(time).toBe(candles[0]![0]! + place * spanMs);
      expect(low!).toBeLessThanOrEqual(Math.min(open!, close!));
      expect(high!).toBeGreaterThanOrEqual(Math.max(open!, close!));
      if (!('price' in params)) expect(volume).toBeGreaterThan(0);
    }
  }
});

test('fetches the same candles since a time, and page after page', async () => {
  const newest = await exchange.fetchOHLCV(SYMBOL, '1h', undefined, 300);
  const since = newest[0]![0]!;
  expect((await exchange.fetchOHLCV(SYMBOL, '1h', since, 200)).map(([time]) => time)).toEqual(
    newest.slice(0, 200).map(([time]) => time),
  );
  const until = newest[250]![0]!;
  const paged = await exchange.fetchOHLCV(SYMBOL, '1h', since, undefined, { until, paginate: true });
  expect(paged).toEqual(newest.slice(0, 251));
});

const timeAndRate = ({ timestamp, fundingRate }: Record<string, unknown>) => [timestamp, fundingRate];

test('fetches past funding rates, newest and since a time', async () => {
  const newest = await exchange.fetchFundingRateHistory(SYMBOL, undefined, 100);
  expect(newest).toHaveLength(100);
  const since = newest[0]!.timestamp!;
  for (const [place, { timestamp, fundingRate, info }] of newest.entries()) {
    expect(timestamp).toBe(since + place * HOUR);
    expect(Math.abs(fundingRate!)).toBeLessThan(0.0076);
    expect(info.synthetic).toBe(true);
  }
  const rates = (await exchange.fetchFundingRateHistory(SYMBOL, since, 40)).map(timeAndRate);
  expect(rates).toEqual(newest.slice(0, 40).map(timeAndRate));
});
