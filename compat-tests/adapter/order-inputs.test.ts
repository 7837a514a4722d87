/** Invalid input for an order: refused before any request, alone and in a batch; never silently ignored. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { refusalOf } from '#compat/testing/refusal.ts';

const canned = cannedExchange({ accountId: 'acct-7' });

const place = (amount: unknown, price: unknown, params: object = {}) =>
  canned.exchange.createOrder(SYMBOL, 'limit', 'buy', amount as number, price as number, params);
const placeAll = (amount: unknown, price: unknown, params: object = {}) =>
  canned.exchange.createOrders([
    { symbol: SYMBOL, type: 'limit', side: 'buy', amount: 0.1, price: 65_000 },
    { symbol: SYMBOL, type: 'limit', side: 'buy', amount: amount as number, price: price as number, params },
  ]);

async function expectRefused(call: () => Promise<unknown>, error: typeof ccxt.BaseError): Promise<void> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  expect(canned.recorder.requests).toEqual([]);
}

const UNREADABLE: readonly unknown[] = [
  Number.NaN,
  Number.POSITIVE_INFINITY,
  'abc',
  '1.2.3',
  '5x',
  '0x10',
  '0b11',
  '1 0',
  '1_000',
  [5],
  {},
  null,
  true,
];
const NEVER = [0, -1, '-1', '0', 1e20, 1e21, '1e21', '-1e-4', 1e-9];

describe.each([...UNREADABLE, ...NEVER])('%o', (value) => {
  test('is refused as an amount', async () => {
    await expectRefused(() => place(value, 65_000), ccxt.InvalidOrder);
    await expectRefused(() => placeAll(value, 65_000), ccxt.InvalidOrder);
  });

  test('is refused as a price', async () => {
    await expectRefused(() => place(0.1, value), ccxt.InvalidOrder);
    await expectRefused(() => placeAll(0.1, value), ccxt.InvalidOrder);
  });

  test('is refused as a cost', async () => {
    const buy = (params: object) => canned.exchange.createOrder(SYMBOL, 'market', 'buy', Number.NaN, undefined, params);
    await expectRefused(() => buy({ cost: value }), ccxt.InvalidOrder);
  });
});

describe.each(['postOnly', 'post_only', 'reduceOnly', 'reduce_only', 'hedged', 'closePosition'])('%s', (name) => {
  test.each(['true', 'false', '', 1, 0, {}])('refuses %j', async (value) => {
    await expectRefused(() => place(0.1, 65_000, { [name]: value }), ccxt.BadRequest);
    await expectRefused(() => placeAll(0.1, 65_000, { [name]: value }), ccxt.BadRequest);
  });

  test.each([false, null, undefined])('accepts %j', async (value) => {
    await place(0.1, 65_000, { [name]: value });
    expect(JSON.parse(canned.recorder.requests[0]!.body)).not.toHaveProperty(name);
  });
});

test.each(['abc', '5x', '', [5], 0.5, 0, -1, Number.NaN, Number.POSITIVE_INFINITY, true, {}])(
  'refuses the leverage %j',
  async (leverage) => {
    await expectRefused(() => place(0.1, 65_000, { leverage }), ccxt.BadRequest);
    await expectRefused(() => placeAll(0.1, 65_000, { leverage }), ccxt.BadRequest);
  },
);

test('refuses an empty cost with any amount', async () => {
  const buy = () => canned.exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, { cost: '' });
  await expectRefused(buy, ccxt.InvalidOrder);
});

test.each<[amount: unknown, price: unknown, quantity: string, sent: string]>([
  ['1e-1', '1.2e2', '0.1', '120'],
  ['1E-4', '6.50001e4', '0.0001', '65000.1'],
  [' 0.5 ', '+65000', '0.5', '65000'],
  ['0.12345', '65000.10', '0.12345', '65000.1'],
])('accepts an amount of %j and a price of %j', async (amount, price, quantity, sent) => {
  await place(amount, price, { leverage: '5' });
  expect(JSON.parse(canned.recorder.requests[0]!.body)).toMatchObject({ quantity, price: sent, leverageX: 5 });
});

test('truncates and rounds strings like ccxt', () => {
  const amountByCcxt = ccxt.Exchange.prototype.amountToPrecision.bind(canned.exchange);
  for (const amount of ['1e-4', '0.3', '-1', '1.234567e1', 1e-4, -1])
    expect(canned.exchange.amountToPrecision(SYMBOL, amount)).toBe(amountByCcxt(SYMBOL, amount as number));
  expect(canned.exchange.priceToPrecision(SYMBOL, '1.2e2')).toBe('120');
  expect(canned.exchange.costToPrecision(SYMBOL, '1e-3' as unknown as number)).toBe('0.001');
});

describe.each(['clientOrderId', 'idempotencyKey', 'timeInForce', 'marginMode', 'linkedClientOrderId'])('%s', (name) => {
  test.each([123n, {}, ['IOC'], true, '', Object('mine')])('refuses %o', async (value) => {
    await expectRefused(() => place(0.1, 65_000, { [name]: value }), ccxt.BadRequest);
    await expectRefused(() => placeAll(0.1, 65_000, { [name]: value }), ccxt.BadRequest);
  });
});

test.each([123n, {}, ['mine'], true, ''])(
  'refuses %o as the clientOrderId of an order to read or cancel, and as an idempotency key',
  async (value) => {
    const { exchange } = canned;
    await expectRefused(() => exchange.fetchOrder('42', undefined, { clientOrderId: value }), ccxt.BadRequest);
    await expectRefused(() => exchange.cancelOrder('42', undefined, { clientOrderId: value }), ccxt.BadRequest);
    await expectRefused(() => exchange.createOrders([], { idempotencyKey: value }), ccxt.BadRequest);
    await expectRefused(() => exchange.cancelOrder('42', undefined, { idempotencyKey: value }), ccxt.BadRequest);
  },
);

test.each(['opk_a\n', 'opk_a\r\nx: y', ' opk_a', 'ключ', 'opk_ü'])(
  'refuses the API key %j without showing it',
  async (apiKey) => {
    canned.exchange.apiKey = apiKey;
    for (const call of [() => canned.exchange.fetchBalance(), () => place(0.1, 65_000)]) {
      await expectRefused(call, ccxt.AuthenticationError);
      await expect(call()).rejects.not.toThrow(apiKey);
    }
  },
);

test('sends a fraction of leverage as a number, of which the venue decides', async () => {
  await place(0.1, 65_000, { leverage: '2.50' });
  expect(JSON.parse(canned.recorder.requests[0]!.body)).toMatchObject({ leverageX: 2.5 });
});

test('cancels ids that are numbers like strings', async () => {
  await canned.exchange.cancelOrders([12, '13'] as string[]);
  expect(JSON.parse(canned.recorder.requests[0]!.body)).toMatchObject({ orderIds: ['12', '13'] });
});
