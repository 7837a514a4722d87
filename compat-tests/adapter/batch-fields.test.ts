/** Fields of the orders of a batch that the class would not send, and the side of an amendment: refused before the order changes. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { refusalOf } from '#compat/testing/refusal.ts';

const canned = cannedExchange({ accountId: 'acct-7' });
const order = { symbol: SYMBOL, type: 'limit', side: 'sell', amount: 0.1, price: 65_000 };
const change = { id: '42', symbol: SYMBOL, type: 'limit', amount: 0.1 };

async function expectRefused(call: () => Promise<unknown>, error: typeof ccxt.BaseError, text: string): Promise<void> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  expect(thrown.message).toContain(text);
  expect(canned.requestedPaths().filter((path) => path.includes('batch') || path.includes('amend'))).toEqual([]);
}

describe.each<[string, object, (orders: unknown) => Promise<unknown>]>([
  ['createOrders', order, (orders) => canned.exchange.createOrders(orders as never)],
  ['editOrders', change, (orders) => canned.exchange.editOrders(orders as never)],
])('%s', (_, valid, send) => {
  test.each<[string, object, string]>([
    ['a stop-loss price beside params', { stopLossPrice: 60_000 }, 'stopLossPrice: put it in params'],
    ['a flag beside params', { reduceOnly: true }, 'reduceOnly: put it in params'],
    ['params that are a list', { params: [] }, 'dictionary'],
    ['params that are a string', { params: 'postOnly' }, 'dictionary'],
    ['an idempotency key of one order', { params: { idempotencyKey: 'a' } }, 'params.idempotencyKey'],
  ])('refuses %s', async (__, fields, text) => {
    await expectRefused(() => send([valid, { ...valid, ...fields }]), ccxt.BadRequest, text);
  });

  test('refuses what is not a list of orders', async () => {
    await expectRefused(() => send(undefined), ccxt.ArgumentsRequired, 'list of orders');
    await expectRefused(() => send(['42']), ccxt.BadRequest, 'dictionary');
  });
});

describe('the side of an amendment', () => {
  test.each(['BUY', 'long', 'both'])('is refused as %j', async (side) => {
    await expectRefused(() => canned.exchange.editOrder('42', SYMBOL, 'limit', side as never, 0.1), ccxt.InvalidOrder, side);
    await expectRefused(() => canned.exchange.editOrders([{ ...change, side }] as never), ccxt.InvalidOrder, side);
    expect(canned.recorder.requests).toEqual([]);
  });

  test('is compared with that of the order', async () => {
    await expectRefused(() => canned.exchange.editOrder('42', SYMBOL, 'limit', 'sell', 0.1), ccxt.InvalidOrder, 'is a buy');
    expect(canned.requestedPaths()).toEqual(['/v1/orders/42']);
    canned.recorder.clear();
    await canned.exchange.editOrder('42', SYMBOL, 'limit', 'buy', 0.1);
    expect(canned.requestedPaths()).toEqual(['/v1/orders/42', '/v1/orders/amend']);
  });

  test('costs no request if it is not given', async () => {
    await canned.exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.1);
    expect(canned.requestedPaths()).toEqual(['/v1/orders/amend']);
  });

  test('is compared for a batch with the open orders, in one request', async () => {
    const { exchange } = canned;
    exchange.fetchOpenOrders = async () => [exchange.safeOrder({ id: '42', clientOrderId: 'mine', side: 'buy' })];
    const edit = (fields: object) => exchange.editOrders([{ ...change, ...fields }] as never);
    await expectRefused(() => edit({ side: 'sell' }), ccxt.InvalidOrder, 'is a buy');
    await expectRefused(() => edit({ side: 'sell', params: { clientOrderId: 'mine' } }), ccxt.InvalidOrder, 'is a buy');
    await edit({ side: 'buy' });
    expect(canned.requestedPaths()).toEqual(['/v1/orders/batch/amend']);
  });
});
