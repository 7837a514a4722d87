/** Orders of which the venue returns little more than the ids: the class adds no other facts. */
import { expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { BATCH, CANCELLED, CANCELS, CATALOGUE, ORDER } from '#compat/testing/canned.ts';

const SYMBOL = 'BTC/USD.E:USD.E';

function answering(body: object): OpenPerp {
  const exchange = new OpenPerp({ apiKey: 'opk_test', accountId: 'acct-7' });
  exchange.setMarkets(exchange.parseMarkets([...CATALOGUE.markets]));
  exchange.fetch = async () => structuredClone(body);
  return exchange;
}

const entry = { symbol: SYMBOL, type: 'limit', side: 'buy' as const, amount: 0.1, price: 65_000 };

test.each<[string, () => Promise<object | undefined>]>([
  ['an order cancelled by cancelAllOrders', async () => (await answering(CANCELLED).cancelAllOrders())[0]],
  ['an order that could not be found to cancel', async () => (await answering(CANCELS).cancelOrders(['42', '43']))[1]],
])('%s', async (_, find) => {
  const order = await find();
  for (const key of ['type', 'side', 'timeInForce', 'postOnly', 'price', 'amount', 'filled', 'cost', 'fee'])
    expect(order, key).toHaveProperty(key, undefined);
  expect(order).toMatchObject({ fees: [], trades: [] });
});

test('returns the request of an order rejected in a batch, without time in force, fill or fee', async () => {
  const order = (await answering(BATCH).createOrders([entry, { ...entry, price: 64_000.04 }]))[1];
  expect(order).toMatchObject({ status: 'rejected', symbol: SYMBOL, type: 'limit', side: 'buy', amount: 0.1, price: 64_000 });
  for (const key of ['timeInForce', 'postOnly', 'filled', 'cost', 'fee']) expect(order, key).toHaveProperty(key, undefined);
});

test('gives an order that was not found the requested market', async () => {
  const [, named] = await answering(CANCELS).cancelOrders(['42', '43'], SYMBOL);
  expect(named).toMatchObject({ id: '43', symbol: SYMBOL });
});

test('keeps all facts that the venue returns', () => {
  const exchange = answering({});
  const fee = { cost: 0, currency: 'USD.E' };
  const parse = (fields: object) => exchange.parseOrder({ ...ORDER, feePaid: '0', postOnly: false, ...fields });
  expect(parse({})).toMatchObject({ timeInForce: 'PO', postOnly: false, fee, fees: [fee] });
  for (const timeInForce of ['GTC', 'IOC', 'FOK', 'GTD']) expect(parse({ timeInForce })).toMatchObject({ timeInForce });
});
