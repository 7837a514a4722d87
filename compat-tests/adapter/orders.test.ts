/** The requests of the class for an order: refused before any request, or sent once, with a key that a retry keeps. */
import ccxt, { Precise } from 'ccxt';
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type Recorder, startRecorder } from '#compat/recorder.ts';
import { cannedResponse, MARKET } from '#compat/testing/canned.ts';
import { IDEMPOTENCY_KEY_PATTERN } from '#contract/fields.ts';
import { orderBatchBody } from '#contract/order-batches.ts';
import { placementBody } from '#contract/orders.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
let recorder: Recorder;
let failuresLeft: number;
let exchange: OpenPerp;

beforeEach(async () => {
  failuresLeft = 0;
  recorder = await startRecorder((request) =>
    request.method === 'POST' && failuresLeft-- > 0 ? { status: 503, body: {} } : cannedResponse(request),
  );
  exchange = new OpenPerp({ apiKey: 'opk_test', urls: { api: { rest: recorder.url } } });
});

afterEach(() => recorder.close());

/** The placements that arrived, each valid for the venue. */
function placements() {
  return recorder.requests
    .filter(({ method }) => method === 'POST')
    .map(({ body, headers }) => ({ body: placementBody.parse(JSON.parse(body)), key: headers['idempotency-key'] }));
}

describe('an unsupported order', () => {
  test.each([
    ['an unknown timeInForce', 'limit', { timeInForce: 'DAY' }],
    ['timeInForce FOK', 'market', { timeInForce: 'fok' }],
    ['timeInForce GTD', 'market', { timeInForce: 'GTD', expiresAt: 1_763_670_000_000 }],
    ['cross margin', 'limit', { marginMode: 'cross' }],
    ['hedged positions', 'limit', { hedged: true }],
    ['another type of order', 'iceberg', {}],
  ])('with %s is refused before any request', async (_, type, params) => {
    await expect(exchange.createOrder(SYMBOL, type, 'buy', 0.1, 65_000, params)).rejects.toThrow(ccxt.NotSupported);
    expect(recorder.requests).toHaveLength(0);
  });

  test.each([undefined, ''])('with the id %j is refused before any request', async (id) => {
    await exchange.loadMarkets();
    recorder.clear();
    await expect(exchange.fetchOrder(id as string)).rejects.toThrow(ccxt.ArgumentsRequired);
    await expect(exchange.cancelOrder(id as string)).rejects.toThrow(ccxt.ArgumentsRequired);
    await expect(exchange.fetchOrderTrades(id as string)).rejects.toThrow(ccxt.ArgumentsRequired);
    expect(recorder.requests).toHaveLength(0);
  });

  test.each(['.', '..', 'batch', '4.2', '../accounts/acct-1?x=', '9'.repeat(16)])('with the id %s is not found', async (id) => {
    await exchange.loadMarkets();
    recorder.clear();
    for (const name of ['fetchOrder', 'cancelOrder', 'fetchOrderTrades'] as const)
      await expect(exchange[name](id, SYMBOL)).rejects.toThrow(ccxt.OrderNotFound);
    expect(recorder.requests).toHaveLength(0);
  });

  test.each(['.', '..'])('with the client order id %s is not found', async (clientOrderId) => {
    await exchange.loadMarkets();
    recorder.clear();
    await expect(exchange.fetchOrderWithClientOrderId(clientOrderId)).rejects.toThrow(ccxt.OrderNotFound);
    await expect(exchange.cancelOrderWithClientOrderId(clientOrderId)).rejects.toThrow(ccxt.OrderNotFound);
    expect(recorder.requests).toHaveLength(0);
  });

  test('without amount, or a limit order without price, is refused', async () => {
    const nothing = undefined as unknown as number;
    await expect(exchange.createOrder(SYMBOL, 'market', 'buy', nothing)).rejects.toThrow(ccxt.ArgumentsRequired);
    await expect(exchange.createOrder(SYMBOL, 'limit', 'buy', 0.1)).rejects.toThrow(ccxt.ArgumentsRequired);
    await expect(exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, { postOnly: true })).rejects.toThrow(
      ccxt.InvalidOrder,
    );
    expect(placements()).toHaveLength(0);
  });
});

describe('exact numbers', () => {
  const { tickSize, lotSize, minPrice, maxPrice, minQuantity, maxQuantity } = MARKET;
  const stepsBetween = (step: string, least: string, most: string) =>
    fc
      .integer({ min: Number(Precise.stringDiv(least, step)), max: Number(Precise.stringDiv(most, step)) })
      .map((steps) => Precise.stringMul(String(steps), step) as string);

  test('sends a price on a tick and an amount of whole lots unchanged', async () => {
    await exchange.loadMarkets();
    fc.assert(
      fc.property(
        stepsBetween(tickSize, minPrice, maxPrice),
        stepsBetween(lotSize, minQuantity, maxQuantity),
        (price, amount) => {
          const { price: sent, quantity } = exchange.createOrderRequest(SYMBOL, 'limit', 'buy', Number(amount), Number(price));
          expect({ sent, quantity }).toEqual({ sent: price, quantity: amount });
        },
      ),
      { numRuns: 2_000 },
    );
  });

  test('truncates an amount, and rounds a price to the nearest tick', async () => {
    await exchange.loadMarkets();
    const any = fc.double({ min: 100.5, max: 99_999, noNaN: true });
    fc.assert(
      fc.property(any, any, (price, thousandfold) => {
        const amount = thousandfold / 1_000;
        const { price: sent, quantity } = exchange.createOrderRequest(SYMBOL, 'limit', 'buy', amount, price);
        expect(Math.abs(Number(sent) - price)).toBeLessThan(Number(tickSize) / 2 + 1e-9);
        expect(Number(quantity)).toBeLessThanOrEqual(amount);
        expect(Number(quantity)).toBeGreaterThan(amount - Number(lotSize) - 1e-12);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('the request', () => {
  const QUANTITY = { quantity: '0.1' };
  const LIMIT = { ...QUANTITY, price: '65000' };
  const SOON = 1_763_670_060_000;
  const UNTIL_SOON = { timeInForce: 'GTD', expiresAtEpochMs: SOON };
  test.each<[string, 'limit' | 'market', number | undefined, object, object]>([
    ['a limit order, cut to lot and tick', 'limit', 0.123456789, {}, { quantity: '0.12345', price: '65000' }],
    ['a market order, without its price', 'market', 0.1, {}, QUANTITY],
    ['a market order by cost', 'market', undefined, { cost: 1_000.1234567 }, { notional: '1000.123456' }],
    ['post only', 'limit', 0.1, { postOnly: true }, { ...LIMIT, postOnly: true }],
    ['timeInForce PO', 'limit', 0.1, { timeInForce: 'PO' }, { ...LIMIT, postOnly: true }],
    ['timeInForce GTC', 'limit', 0.1, { timeInForce: 'GTC' }, LIMIT],
    ['timeInForce IOC', 'limit', 0.1, { timeInForce: 'IOC' }, { ...LIMIT, timeInForce: 'IOC' }],
    ['timeInForce FOK', 'limit', 0.1, { timeInForce: 'fok' }, { ...LIMIT, timeInForce: 'FOK' }],
    ['timeInForce IOC, which a market order has', 'market', 0.1, { timeInForce: 'IOC' }, QUANTITY],
    ['an expiry', 'limit', 0.1, { timeInForce: 'GTD', expiresAt: SOON }, { ...LIMIT, ...UNTIL_SOON }],
    ['an expiry as on Binance', 'limit', 0.1, { timeInForce: 'GTD', goodTillDate: `${SOON}` }, { ...LIMIT, ...UNTIL_SOON }],
    [
      'an expiry, post only',
      'limit',
      0.1,
      { timeInForce: 'GTD', expiresAt: SOON, postOnly: true },
      { ...LIMIT, ...UNTIL_SOON, postOnly: true },
    ],
    ['reduce only', 'market', 0.1, { reduceOnly: true }, { ...QUANTITY, reduceOnly: true }],
    ['neither of both', 'limit', 0.1, { reduceOnly: false, postOnly: false }, LIMIT],
    ['leverage', 'market', 0.1, { leverage: 5, marginMode: 'isolated' }, { ...QUANTITY, leverageX: 5 }],
  ])('%s', async (_, type, amount, params, expected) => {
    await exchange.createOrder(SYMBOL, type, 'buy', amount as number, 65_000.04, { clientOrderId: 'mine', ...params });
    const common = { accountId: 'acct-7', marketId: 'BTC-USD-PERP', clientOrderId: 'mine', side: 'buy', orderType: type };
    expect(placements().map(({ body }) => body)).toEqual([{ ...common, ...expected }]);
  });

  test.each<[string, object, typeof ccxt.BaseError]>([
    ['GTD without an expiry', { timeInForce: 'GTD' }, ccxt.ArgumentsRequired],
    ['an expiry without GTD', { expiresAt: SOON }, ccxt.BadRequest],
    ['an expiry that is no time', { timeInForce: 'GTD', expiresAt: 'tomorrow' }, ccxt.BadRequest],
    ['an expiry with a fraction', { timeInForce: 'GTD', expiresAt: 0.5 }, ccxt.BadRequest],
    ['post only and IOC', { timeInForce: 'IOC', postOnly: true }, ccxt.InvalidOrder],
  ])('with %s is refused before any request', async (_, params, error) => {
    await expect(exchange.createOrder(SYMBOL, 'limit', 'buy', 0.1, 65_000, params)).rejects.toThrow(error);
    expect(recorder.requests).toHaveLength(0);
  });

  test('reads an order by its client order id if given', async () => {
    await exchange.fetchOrderWithClientOrderId('a/b+c=', SYMBOL);
    expect(recorder.requests.at(-1)?.path).toBe('/v1/orders/by-client-order-id/a%2Fb%2Bc%3D');
  });

  test('finds the account of the API key once', async () => {
    await exchange.createOrder(SYMBOL, 'market', 'buy', 0.1);
    await exchange.createOrder(SYMBOL, 'market', 'buy', 0.1);
    expect(recorder.requests.filter(({ path }) => path === '/v1/api-keys/current')).toHaveLength(1);
  });

  test('cancels an order by its client order id if given', async () => {
    await exchange.cancelOrderWithClientOrderId('mine');
    await exchange.cancelOrderWithClientOrderId('a/b+c=', SYMBOL);
    expect(recorder.requests.slice(-2).map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
      'POST /v1/orders/by-client-order-id/mine/cancel ',
      'POST /v1/orders/by-client-order-id/a%2Fb%2Bc%3D/cancel {"marketId":"BTC-USD-PERP"}',
    ]);
  });

  test('sends several orders as one batch, under one idempotency key that a retry keeps', async () => {
    exchange.options.maxRetriesOnFailure = 1;
    failuresLeft = 1;
    const orders = await exchange.createOrders([
      {
        symbol: SYMBOL,
        type: 'limit',
        side: 'buy',
        amount: 0.1,
        price: 65_000.04,
        params: { clientOrderId: 'a', postOnly: true },
      },
      { symbol: SYMBOL, type: 'limit', side: 'sell', amount: 0.2, price: 65_000 },
    ]);
    const posts = recorder.requests.filter(({ method }) => method === 'POST');
    expect(posts.map(({ path }) => path)).toEqual(['/v1/orders/batch', '/v1/orders/batch']);
    expect(posts[0]).toMatchObject({
      body: posts[1]!.body,
      headers: { 'idempotency-key': posts[1]!.headers['idempotency-key'] },
    });
    const { orders: sent } = orderBatchBody.parse(JSON.parse(posts[0]!.body));
    expect(sent).toMatchObject([
      { accountId: 'acct-7', clientOrderId: 'a', side: 'buy', price: '65000', quantity: '0.1', postOnly: true },
      { side: 'sell', price: '65000', quantity: '0.2' },
    ]);
    expect(orders).toMatchObject([
      { id: '42', status: 'canceled', filled: 0.1, info: { index: 0, accepted: true } },
      { id: undefined, clientOrderId: 'b', symbol: SYMBOL, status: 'rejected', info: { code: 'insufficient_margin' } },
    ]);
  });

  test.each([
    ['a market order', { type: 'market' }],
    ['an unknown time in force', { params: { timeInForce: 'DAY' } }],
  ])('refuses a batch with %s before any request', async (_, fields) => {
    const order = { symbol: SYMBOL, type: 'limit' as const, side: 'buy' as const, amount: 0.1, price: 65_000 };
    await expect(exchange.createOrders([order, { ...order, ...fields } as typeof order])).rejects.toThrow(ccxt.NotSupported);
    expect(recorder.requests).toHaveLength(0);
  });

  test('cancels several orders in one request, by either id, and all orders in another', async () => {
    const cancelled = await exchange.cancelOrders(['42', '43'], SYMBOL);
    await exchange.cancelOrdersWithClientOrderIds(['mine', 'yours'], SYMBOL);
    const all = await exchange.cancelAllOrders();
    await exchange.cancelAllOrders(SYMBOL);
    expect(recorder.requests.filter(({ method }) => method === 'POST').map(({ path, body }) => [path, JSON.parse(body)])).toEqual(
      [
        ['/v1/orders/batch/cancel', { orderIds: ['42', '43'], marketId: 'BTC-USD-PERP' }],
        ['/v1/orders/batch/cancel', { clientOrderIds: ['mine', 'yours'], marketId: 'BTC-USD-PERP' }],
        ['/v1/orders/cancel-all', { accountId: 'acct-7' }],
        ['/v1/orders/cancel-all', { accountId: 'acct-7', marketId: 'BTC-USD-PERP' }],
      ],
    );
    expect(cancelled).toMatchObject([
      { id: '42', status: 'canceled', info: { accepted: true } },
      { id: '43', status: undefined, info: { accepted: false, code: 'order_not_found' } },
      { id: '42', filled: 0.1, info: { accepted: false, code: 'order_not_open' } },
    ]);
    expect(all).toMatchObject([{ id: '42', clientOrderId: 'mine', symbol: SYMBOL, status: 'canceled' }]);
  });
});

describe('the idempotency key', () => {
  test('is generated for every call, like a missing client order id', async () => {
    for (const params of [{}, {}, { clientOrderId: 'mine' }, { clientOrderId: 'mine' }])
      await exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, params);
    expect(new Set(placements().map(({ key }) => key)).size).toBe(4);
    expect(new Set(placements().map(({ body }) => body.clientOrderId)).size).toBe(3);
  });

  test('is kept when ccxt retries the request', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 0, max: 3 }),
        fc.option(fc.stringMatching(/^[a-z0-9]{1,64}$/)),
        async (failures, reference) => {
          recorder.clear();
          failuresLeft = failures;
          exchange.options.maxRetriesOnFailure = 3;
          await exchange.createOrder(
            SYMBOL,
            'market',
            'buy',
            0.1,
            undefined,
            reference === null ? {} : { clientOrderId: reference },
          );
          const sent = placements();
          expect(sent).toHaveLength(failures + 1);
          for (const placement of sent) expect(placement).toEqual(sent[0]);
          expect(sent[0]?.key).toMatch(IDEMPOTENCY_KEY_PATTERN);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('can be given for a call that may be repeated', async () => {
    await exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, { clientOrderId: 'mine', idempotencyKey: 'first' });
    expect(placements()[0]).toMatchObject({ key: 'first', body: { clientOrderId: 'mine' } });
  });

  test('is one for all orders of a batch', async () => {
    const order = { symbol: SYMBOL, type: 'limit' as const, side: 'buy' as const, amount: 0.1, price: 65_000 };
    const batch = [order, { ...order, params: { idempotencyKey: 'its-own' } }];
    await expect(exchange.createOrders(batch)).rejects.toThrow(ccxt.BadRequest);
    expect(recorder.requests).toHaveLength(0);
  });

  test.each(['a\nb', 'ü', 'a b', 'ключ'])(
    'that no header can contain, %j, is refused before any request',
    async (idempotencyKey) => {
      const place = exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, { idempotencyKey });
      await expect(place).rejects.toThrow(ccxt.BadRequest);
      expect(placements()).toHaveLength(0);
    },
  );
});
