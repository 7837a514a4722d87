/**
 * A client order id through the class on a real venue: used by an order, and free after a refusal, for the same order or another.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const directory = temporaryDirectory();
let venue: TestVenue;
let exchange: OpenPerp;
let maker: OpenPerp;
let mark: number;

beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory.path));
  [exchange, maker] = [await trader(), await trader()];
  mark = (await exchange.fetchTicker(SYMBOL)).markPrice as number;
});

afterAll(async () => {
  await venue.stop();
  directory.remove();
});

async function trader(): Promise<OpenPerp> {
  const { apiKey } = await venue.createAccount({ label: 'trader', credit: '100000' });
  const created = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  await created.loadMarkets();
  return created;
}

const place = (price: number, params: object) => exchange.createOrder(SYMBOL, 'limit', 'buy', 0.01, price, params);

test('accepts the same order once the reason of its refusal is gone', async () => {
  const ask = await maker.createOrder(SYMBOL, 'limit', 'sell', 0.01, mark * 1.001);
  const params = { clientOrderId: 'again', postOnly: true };
  await expect(place(mark * 1.002, params)).rejects.toMatchObject({ name: 'OrderImmediatelyFillable' });
  await maker.cancelOrder(ask.id as string, SYMBOL);
  const order = await place(mark * 1.002, params);
  expect(order).toMatchObject({ status: 'open', clientOrderId: 'again' });
  await exchange.cancelOrder(order.id as string, SYMBOL);
});

test('accepts the id of a refused order for an order at another price', async () => {
  await expect(place(mark * 2, { clientOrderId: 'repriced' })).rejects.toMatchObject({ name: 'InvalidOrder' });
  expect(await place(mark * 0.97, { clientOrderId: 'repriced' })).toMatchObject({ status: 'open', clientOrderId: 'repriced' });
});

test('places one order for a call that is repeated with its idempotency key, alone and in a batch', async () => {
  const [first, again] = [
    await place(mark * 0.97, { idempotencyKey: 'key' }),
    await place(mark * 0.97, { idempotencyKey: 'key' }),
  ];
  expect(again).toEqual(first);
  const order = { symbol: SYMBOL, type: 'limit' as const, side: 'buy' as const, amount: 0.01, price: mark * 0.96 };
  const placeAll = () => exchange.createOrders([order, order], { idempotencyKey: 'key' });
  const batch = await placeAll();
  expect(await placeAll()).toEqual(batch);
  const ids = [first, ...batch].map(({ id }) => id);
  expect((await exchange.fetchOpenOrders()).map(({ id }) => id)).toEqual(expect.arrayContaining(ids));
  expect(new Set([first, ...batch].map(({ clientOrderId }) => clientOrderId)).size).toBe(3);
  expect(new Set(ids).size).toBe(3);
});

test('refuses the id of a closed order', async () => {
  const { id } = await place(mark * 0.97, { clientOrderId: 'ended' });
  await exchange.cancelOrder(id as string, SYMBOL);
  await expect(place(mark * 0.97, { clientOrderId: 'ended' })).rejects.toMatchObject({ name: 'DuplicateOrderId' });
});
