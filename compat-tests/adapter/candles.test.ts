/** Candles up to a time: the venue has no such parameter, so the class requests candles early enough, and cuts the rest. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse } from '#compat/testing/canned.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const MINUTE = 60_000;
/** So long ago that pages up to now have no candles. */
const START = Math.floor((Date.now() - 5_000 * MINUTE) / MINUTE) * MINUTE;
/** No candle in every third minute, as if nothing traded. */
const OPENED = Array.from({ length: 4_000 }, (_, index) => index).filter((index) => index % 3 !== 2);

let recorder: Recorder;
let exchange: OpenPerp;

beforeEach(async () => {
  recorder = await startRecorder((request) => {
    const { pathname, searchParams: query } = new URL(request.path, 'http://venue');
    if (!pathname.endsWith('/candles')) return cannedResponse(request);
    if (query.has('until')) return { status: 400, body: {} };
    const limit = Number(query.get('limit') ?? 500);
    const since = query.get('since');
    const times = OPENED.map((index) => START + index * MINUTE).filter((time) => since === null || time >= Number(since));
    const candles = (since === null ? times.slice(-limit) : times.slice(0, limit)).map((openTimeEpochMs) => ({
      ...{ openTimeEpochMs, open: '1', high: '1', low: '1', close: '1', volume: '1' },
    }));
    return { status: 200, body: { version: 'external-candle-series/v1', candles } };
  });
  exchange = new OpenPerp({ urls: { api: { rest: recorder.url } } });
  await exchange.loadMarkets();
  recorder.clear();
});

afterEach(() => recorder.close());

async function minutes(since?: number, limit?: number, params: object = {}): Promise<readonly number[]> {
  const from = since === undefined ? undefined : START + since * MINUTE;
  const candles = await exchange.fetchOHLCV(SYMBOL, '1m', from, limit, params);
  return candles.map(([time]) => ((time as number) - START) / MINUTE);
}

const until = (minute: number, within = 0) => ({ until: START + minute * MINUTE + within });
const opened = (first: number, last: number) => OPENED.filter((index) => index >= first && index <= last);

test.each([0, 1, MINUTE - 1])('fetches candles since and until a time %i ms into its minute', async (within) => {
  expect(await minutes(30, undefined, until(99, within))).toEqual(opened(30, 99));
  expect(await minutes(30, 500, until(99, within))).toEqual(opened(30, 99));
  expect(await minutes(30, 5, until(99, within))).toEqual([30, 31, 33, 34, 36]);
});

test.each([0, 1, MINUTE - 1])(
  'fetches the newest candles until a time %i ms into its minute, within `limit` spans',
  async (within) => {
    expect(await minutes(undefined, 10, until(99, within))).toEqual(opened(90, 99));
    expect(await minutes(undefined, undefined, until(3_000, within))).toEqual(opened(2_001, 3_000));
    expect(await minutes(undefined, 9_999, until(3_000, within))).toEqual(opened(2_001, 3_000));
  },
);

test('fetches candles until a time before the first or after the last', async () => {
  expect(await minutes(undefined, 10, { until: 5 })).toEqual([]);
  expect(await minutes(3_990, undefined, until(9_999))).toEqual(opened(3_990, 3_999));
});

test('fetches candles page after page', async () => {
  expect(await minutes(0, undefined, { ...until(2_500), paginate: true })).toEqual(opened(0, 2_500));
  expect(await minutes(undefined, 2_000, { ...until(2_500), paginate: true })).toEqual(opened(501, 2_500));
});

test('fetches candles of the index likewise', async () => {
  await exchange.fetchIndexOHLCV(SYMBOL, '1m', undefined, 10, until(99));
  const query = new URL(recorder.requests[0]!.path, recorder.url).searchParams;
  expect(Object.fromEntries(query)).toEqual({
    timeframe: '1m',
    series: 'index',
    since: String(START + 90 * MINUTE),
    limit: '10',
  });
});
