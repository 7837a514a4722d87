/**
 * A request that the venue carried out and whose answer never arrived: ccxt, told to retry, sends it again, and the program
 * hears what it would have heard. Between the two stands a proxy that breaks the connection instead of the first answer.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import { LOST, passOn, type Recorder, startRecorder } from './recorder.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const AMOUNT = 0.01;

let venue: BootedVenue;
let proxy: Recorder;
let answersToLose: number;
let exchange: OpenPerp;
/** As another program with the same key sees the account. */
let onlooker: OpenPerp;

beforeAll(async () => {
  venue = await bootVenue();
}, 60_000);

afterAll(() => venue.stop());

beforeEach(async () => {
  answersToLose = 0;
  proxy = await startRecorder(async (request) => {
    const answer = await passOn(venue.url, request);
    return request.method === 'POST' && answersToLose-- > 0 ? LOST : answer;
  });
  const { apiKey } = await venue.openAccount('100000');
  exchange = new OpenPerp({ apiKey, urls: { api: { rest: proxy.url } }, options: { maxRetriesOnFailure: 2 } });
  onlooker = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
});

afterEach(() => proxy.close());

function posts() {
  return proxy.requests.filter(({ method }) => method === 'POST');
}

async function restingPrice(): Promise<number> {
  const { bid } = await onlooker.fetchTicker(SYMBOL);
  return (bid as number) * 0.96;
}

test.each([1, 2])('a limit order whose answer is lost %i times is placed once', async (times) => {
  answersToLose = times;
  const order = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  expect(posts()).toHaveLength(times + 1);
  expect(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(order).toMatchObject({ status: 'open', amount: AMOUNT });
  expect((await onlooker.fetchOrders()).map(({ id }) => id)).toEqual([order.id]);
});

test('a market order whose answer is lost is filled once', async () => {
  answersToLose = 1;
  const order = await exchange.createOrder(SYMBOL, 'market', 'buy', AMOUNT);
  expect(posts()).toHaveLength(2);
  expect(order).toMatchObject({ status: 'closed', filled: AMOUNT });
  expect((await onlooker.fetchPosition(SYMBOL)).contracts).toBe(AMOUNT);
  const fills = await onlooker.fetchMyTrades(SYMBOL);
  expect(new Set(fills.map((fill) => fill.order))).toEqual(new Set([order.id]));
});

test.each([1, 2])('a cancel whose answer is lost %i times answers the cancelled order', async (times) => {
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  proxy.clear();
  answersToLose = times;
  const order = await exchange.cancelOrder(id as string, SYMBOL);
  expect(posts()).toHaveLength(times + 1);
  expect(order).toMatchObject({ id, status: 'canceled', filled: 0 });
  expect(order).toEqual(await onlooker.fetchOrder(id as string, SYMBOL));
});

test('without retries the program hears that the network failed, not that the order was refused', async () => {
  exchange.options.maxRetriesOnFailure = 0;
  answersToLose = 1;
  const place = exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  await expect(place).rejects.toMatchObject({ name: 'NetworkError' });
  expect(await onlooker.fetchOpenOrders()).toHaveLength(1);
});
