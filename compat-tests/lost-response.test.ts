/**
 * A request that the venue carried out, but whose response is lost: ccxt retries it, and the program gets the result. A proxy
 * between them breaks the connection before or within the first response, delays it, or responds that the venue is not available.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type BootedVenue, bootVenue } from './booted-venue.ts';
import { type CannedResponse, LOST, passOn, type Recorder, startRecorder } from './recorder.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const AMOUNT = 0.01;

let venue: BootedVenue;
let proxy: Recorder;
let responsesToLose: number;
/** The replacement of a lost response. */
let instead: (response: CannedResponse) => Promise<CannedResponse | typeof LOST>;
let exchange: OpenPerp;
/** Another program with the same key, to see the account. */
let observer: OpenPerp;

beforeAll(async () => {
  venue = await bootVenue();
});

afterAll(() => venue.stop());

beforeEach(async () => {
  responsesToLose = 0;
  instead = async () => LOST;
  proxy = await startRecorder(async (request) => {
    const response = await passOn(venue.url, request);
    return request.method === 'POST' && responsesToLose-- > 0 ? instead(response) : response;
  });
  const { apiKey } = await venue.openAccount('100000');
  exchange = new OpenPerp({ apiKey, urls: { api: { rest: proxy.url } }, options: { maxRetriesOnFailure: 2 } });
  observer = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
});

afterEach(() => proxy.close());

function posts() {
  return proxy.requests.filter(({ method }) => method === 'POST');
}

async function restingPrice(): Promise<number> {
  const { bid } = await observer.fetchTicker(SYMBOL);
  return (bid as number) * 0.96;
}

test.each([1, 2])('places a limit order once when its response is lost %i times', async (times) => {
  responsesToLose = times;
  const order = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  expect(posts()).toHaveLength(times + 1);
  expect(new Set(posts().map(({ headers }) => headers['idempotency-key'])).size).toBe(1);
  expect(order).toMatchObject({ status: 'open', amount: AMOUNT });
  expect((await observer.fetchOrders()).map(({ id }) => id)).toEqual([order.id]);
});

const TIMEOUT_MS = 400;
const COMPRESSED = { headers: { 'content-encoding': 'gzip' } };

test.each<[string, typeof instead]>([
  ['breaks off in its body', async (response) => ({ ...response, half: 'breaks' })],
  ['stops in its body', async (response) => ({ ...response, half: 'stalls' })],
  ['breaks off in a body that is compressed', async (response) => ({ ...response, ...COMPRESSED, half: 'breaks' })],
  ['comes too late', (response) => sleep(2 * TIMEOUT_MS, response)],
  ['is a 503 of a proxy', async () => ({ status: 503, body: {} })],
  ['is a 504 that is not a JSON object', async () => ({ status: 504, body: ['gateway'] })],
])('places an order once when its response %s', async (_, fault) => {
  exchange.timeout = TIMEOUT_MS;
  instead = fault;
  responsesToLose = 1;
  const { id } = await exchange.createOrder(SYMBOL, 'market', 'buy', AMOUNT);
  expect(posts()).toHaveLength(2);
  expect(posts()[0]).toMatchObject({ body: posts()[1]!.body, path: '/v1/orders' });
  expect((await observer.fetchOrders()).map((order) => order.id)).toEqual([id]);
  expect((await observer.fetchPosition(SYMBOL)).contracts).toBe(AMOUNT);
});

test('places the orders of a batch once when its response is lost', async () => {
  responsesToLose = 2;
  const order = { symbol: SYMBOL, type: 'limit', side: 'buy' as const, amount: AMOUNT, price: await restingPrice() };
  const placed = await exchange.createOrders([order, order, order]);
  expect(posts()).toHaveLength(3);
  expect((await observer.fetchOpenOrders()).map(({ id }) => id)).toEqual(placed.map(({ id }) => id));
});

test('throws DuplicateOrderId for a repeated client order id after a lost response, and finds the one order', async () => {
  exchange.options.maxRetriesOnFailure = 0;
  responsesToLose = 1;
  const [price, clientOrderId] = [await restingPrice(), 'repeated'];
  const place = () => exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, price, { clientOrderId });
  await expect(place()).rejects.toMatchObject({ name: 'NetworkError' });
  await expect(place()).rejects.toMatchObject({ name: 'DuplicateOrderId' });
  const order = await exchange.fetchOrder('', SYMBOL, { clientOrderId });
  expect(order).toMatchObject({ status: 'open', amount: AMOUNT, clientOrderId });
  expect((await observer.fetchOrders()).map(({ id }) => id)).toEqual([order.id]);
});

test('reports each repeated client order id of a batch as a duplicate', async () => {
  exchange.options.maxRetriesOnFailure = 0;
  responsesToLose = 1;
  const entry = { symbol: SYMBOL, type: 'limit', side: 'buy' as const, amount: AMOUNT, price: await restingPrice() };
  const place = () => exchange.createOrders(['a', 'b'].map((clientOrderId) => ({ ...entry, params: { clientOrderId } })));
  await expect(place()).rejects.toMatchObject({ name: 'NetworkError' });
  const outcomes = (await place()).map(({ status, info }) => [status, Object(info).code]);
  expect(outcomes).toEqual(Array(2).fill(['rejected', 'duplicate_client_order_id']));
  expect((await observer.fetchOpenOrders()).map(({ clientOrderId }) => clientOrderId)).toEqual(['a', 'b']);
});

test('returns the same order for a repeated idempotency key of the program', async () => {
  exchange.options.maxRetriesOnFailure = 0;
  responsesToLose = 1;
  const price = await restingPrice();
  const params = { clientOrderId: 'repeated', idempotencyKey: 'repeated' };
  const place = () => exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, price, params);
  await expect(place()).rejects.toMatchObject({ name: 'NetworkError' });
  const order = await place();
  expect((await observer.fetchOrders()).map(({ id }) => id)).toEqual([order.id]);
});

test('fills a market order once when its response is lost', async () => {
  responsesToLose = 1;
  const order = await exchange.createOrder(SYMBOL, 'market', 'buy', AMOUNT);
  expect(posts()).toHaveLength(2);
  expect(order).toMatchObject({ status: 'closed', filled: AMOUNT });
  expect((await observer.fetchPosition(SYMBOL)).contracts).toBe(AMOUNT);
  const fills = await observer.fetchMyTrades(SYMBOL);
  expect(new Set(fills.map((fill) => fill.order))).toEqual(new Set([order.id]));
});

test.each([1, 2])('returns the cancelled order when the response of the cancel is lost %i times', async (times) => {
  const { id } = await exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  proxy.clear();
  responsesToLose = times;
  const order = await exchange.cancelOrder(id as string, SYMBOL);
  expect(posts()).toHaveLength(times + 1);
  expect(order).toMatchObject({ id, status: 'canceled', filled: 0 });
  expect(order).toEqual(await observer.fetchOrder(id as string, SYMBOL));
});

test.each([
  ['is lost', 'NetworkError', async () => LOST],
  ['breaks off in its body', 'NetworkError', async (response) => ({ ...response, half: 'breaks' })],
  ['stops in its body', 'RequestTimeout', async (response) => ({ ...response, half: 'stalls' })],
] satisfies [string, string, typeof instead][])('without retries, when the response %s, throws %s', async (_, name, fault) => {
  exchange.options.maxRetriesOnFailure = 0;
  exchange.timeout = TIMEOUT_MS;
  instead = fault;
  responsesToLose = 1;
  const place = exchange.createOrder(SYMBOL, 'limit', 'buy', AMOUNT, await restingPrice());
  await expect(place).rejects.toMatchObject({ name });
  expect(await observer.fetchOpenOrders()).toHaveLength(1);
});
