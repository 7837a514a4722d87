/** editOrder and its relatives: one request with a key that a retry keeps, and no fact that an amendment does not report. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { AMENDED } from '#compat/testing/canned.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { amendmentEntry, amendmentsBody } from '#contract/order-amendments.ts';

const canned = cannedExchange({ accountId: 'acct-7' });
const TARGET = { accountId: 'acct-7', marketId: 'BTC-USD-PERP' };

function amended() {
  return canned.recorder.requests.map(({ method, path, body }) => {
    expect([method, path]).toEqual(['POST', '/v1/orders/amend']);
    return amendmentEntry.parse(JSON.parse(body));
  });
}

const keys = () => canned.recorder.requests.map(({ headers }) => headers['idempotency-key']);

describe('editOrder', () => {
  test('sends the amount, the price or both, cut to lot and tick', async () => {
    const { exchange } = canned;
    await exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.123456789, 65_000.04);
    await exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.2);
    await exchange.editOrder('42', SYMBOL, 'limit', undefined as never, undefined, 65_000);
    await exchange.editOrderWithClientOrderId('mine', SYMBOL, 'limit', undefined as never, 0.2, 65_000);
    expect(amended()).toEqual([
      { ...TARGET, orderId: '42', quantity: '0.12345', price: '65000' },
      { ...TARGET, orderId: '42', quantity: '0.2' },
      { ...TARGET, orderId: '42', price: '65000' },
      { ...TARGET, clientOrderId: 'mine', quantity: '0.2', price: '65000' },
    ]);
    expect(new Set(keys()).size).toBe(4);
  });

  test('takes a key of the program', async () => {
    await canned.exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.2, undefined, { idempotencyKey: 'first' });
    expect(keys()).toEqual(['first']);
    expect(amended()).toEqual([{ ...TARGET, orderId: '42', quantity: '0.2' }]);
  });

  test('returns the order after the amendment', async () => {
    const order = await canned.exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.2, undefined, {
      clientOrderId: 'mine',
    });
    expect(order).toMatchObject({
      ...{ id: '42', clientOrderId: 'mine', symbol: SYMBOL, type: 'limit', side: 'buy', status: 'open' },
      ...{ price: 65_000.1, amount: 0.2, filled: 0, remaining: 0.2, lastUpdateTimestamp: AMENDED.amendedAtEpochMs },
      info: { keepsPriority: true },
    });
  });

  test('returns no cost of fills at other prices', async () => {
    canned.exchange.fetch = async () => ({ ...AMENDED, filledQuantity: '0.1', remainingQuantity: '0.1' });
    const order = await canned.exchange.editOrder('42', SYMBOL, 'limit', undefined as never, 0.2);
    expect([order.filled, order.cost, order.average, order.fee]).toEqual([0.1, undefined, undefined, undefined]);
  });

  test.each<[string, () => Promise<unknown>, typeof ccxt.BaseError]>([
    ['nothing to change', () => canned.exchange.editOrder('42', SYMBOL, 'limit', 'buy'), ccxt.ArgumentsRequired],
    ['another type', () => canned.exchange.editOrder('42', SYMBOL, 'market', 'buy', 0.1), ccxt.NotSupported],
    ['a malformed id', () => canned.exchange.editOrder('x', SYMBOL, 'limit', 'buy', 0.1), ccxt.OrderNotFound],
    ['no id', () => canned.exchange.editOrder(undefined as never, SYMBOL, 'limit', 'buy', 0.1), ccxt.ArgumentsRequired],
    ['an amount of zero', () => canned.exchange.editOrder('42', SYMBOL, 'limit', 'buy', 0), ccxt.InvalidOrder],
    ['an unreadable price', () => canned.exchange.editOrder('42', SYMBOL, 'limit', 'buy', 1, 'x' as never), ccxt.InvalidOrder],
    ['an unknown market', () => canned.exchange.editOrder('42', 'X/Y', 'limit', 'buy', 1), ccxt.BadSymbol],
  ])('refuses %s before any request', async (_, call, error) => {
    await expect(call()).rejects.toThrow(error);
    expect(canned.recorder.requests).toEqual([]);
  });
});

describe('editOrders', () => {
  const change = { symbol: SYMBOL, type: 'limit' };

  test('sends all in one request, and returns what each was changed to or why not', async () => {
    const results = await canned.exchange.editOrders([
      { ...change, id: '42', amount: 0.2 } as never,
      { ...change, price: 65_000, params: { clientOrderId: 'b' } } as never,
    ]);
    expect(canned.recorder.requests.map(({ path }) => path)).toEqual(['/v1/orders/batch/amend']);
    expect(amendmentsBody.parse(JSON.parse(canned.recorder.requests[0]!.body)).amendments).toEqual([
      { ...TARGET, orderId: '42', quantity: '0.2' },
      { ...TARGET, clientOrderId: 'b', price: '65000' },
    ]);
    expect(results).toMatchObject([
      { id: '42', symbol: SYMBOL, status: 'open', amount: 0.2, info: { accepted: true } },
      { id: undefined, clientOrderId: 'b', symbol: SYMBOL, status: undefined, info: { accepted: false, code: 'order_not_open' } },
    ]);
  });

  test('refuses one without a change before any request', async () => {
    const call = canned.exchange.editOrders([{ ...change, id: '42', amount: 0.2 } as never, { ...change, id: '43' } as never]);
    await expect(call).rejects.toThrow(ccxt.ArgumentsRequired);
    expect(canned.recorder.requests).toEqual([]);
  });
});

describe('cancelAllOrdersAfter', () => {
  const bodies = () => canned.recorder.requests.map(({ path, body }) => [path, JSON.parse(body)]);

  test('sets the timer of all markets or of one, and turns it off', async () => {
    const { exchange } = canned;
    expect(await exchange.cancelAllOrdersAfter(60_000)).toMatchObject({ marketId: null, lastSequence: 9 });
    await exchange.cancelAllOrdersAfter(5_000, { symbol: SYMBOL });
    await exchange.cancelAllOrdersAfter(0);
    const path = '/v1/orders/cancel-all-after';
    expect(bodies()).toEqual([
      [path, { accountId: 'acct-7', timeoutMs: 60_000 }],
      [path, { accountId: 'acct-7', timeoutMs: 5_000, marketId: 'BTC-USD-PERP' }],
      [path, { accountId: 'acct-7', timeoutMs: 0 }],
    ]);
  });

  test.each<[unknown, typeof ccxt.BaseError]>([
    [undefined, ccxt.ArgumentsRequired],
    [-1, ccxt.BadRequest],
    [1.5, ccxt.BadRequest],
    ['soon', ccxt.BadRequest],
    [1e21, ccxt.BadRequest],
  ])('refuses %s before any request', async (timeout, error) => {
    await expect(canned.exchange.cancelAllOrdersAfter(timeout as number)).rejects.toThrow(error);
    expect(canned.recorder.requests).toEqual([]);
  });
});
