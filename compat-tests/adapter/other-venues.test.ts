/** Params of other venues: not sent if they say what is so here anyway, refused before any request if they say otherwise. */
import ccxt from 'ccxt';
import { describe, expect, test } from 'vitest';
import { ORDER, ORDERS, TRAILING_ORDER, WAITING_ORDER } from '#compat/testing/canned.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { refusalOf } from '#compat/testing/refusal.ts';

const canned = cannedExchange({ accountId: 'acct-7' });

type Side = 'buy' | 'sell';
const place = (side: Side, params: object) => canned.exchange.createOrder(SYMBOL, 'limit', side, 0.1, 65_000, params);
const placeBatch = (side: Side, params: object) =>
  canned.exchange.createOrders([{ symbol: SYMBOL, type: 'limit', side, amount: 0.1, price: 65_000, params }]);

/** What was sent besides the fields of a plain limit order. */
function sentFields(): object {
  const { body } = canned.recorder.requests[0]!;
  const { orders: [first] = [], ...single } = JSON.parse(body);
  const { accountId, marketId, clientOrderId, side, orderType, price, quantity, ...others } = first ?? single;
  expect([accountId, marketId, orderType, price, quantity]).toEqual(['acct-7', 'BTC-USD-PERP', 'limit', '65000', '0.1']);
  expect([typeof clientOrderId, typeof side]).toEqual(['string', 'string']);
  return others;
}

async function expectRefused(call: () => Promise<unknown>, error: typeof ccxt.BaseError, advice: string): Promise<void> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  expect(thrown.message).toContain(advice);
  expect(canned.recorder.requests).toEqual([]);
}

const STATED: readonly (readonly [name: string, values: readonly unknown[]])[] = [
  ['positionSide', ['BOTH', 'both']],
  ['posSide', ['net', 'BOTH']],
  ['positionIdx', [0, '0']],
  ['position_idx', [0, '0']],
  ['hedged', [false]],
  ['tdMode', ['isolated']],
  ['mgnMode', ['isolated']],
  ['marginMode', ['isolated', 'ISOLATED']],
  ['marginType', ['ISOLATED']],
  ['type', ['swap']],
  ['subType', ['linear']],
  ['category', ['linear']],
  ['acknowledged', [true, false]],
  ['stop', [false]],
  ['trigger', [false]],
  ['trailing', [false]],
];

describe.each(STATED.flatMap(([name, values]) => values.map((value) => [name, value] as const)))('%s: %o', (name, value) => {
  test('is not sent with an order', async () => {
    await place('buy', { [name]: value });
    expect(sentFields()).toEqual({});
    canned.recorder.clear();
    await placeBatch('buy', { [name]: value });
    expect(sentFields()).toEqual({});
  });

  test('is not sent with reads and cancels', async () => {
    const params = { [name]: value };
    const { exchange } = canned;
    await exchange.fetchBalance(params);
    await exchange.fetchPositions([SYMBOL], params);
    await exchange.fetchTickers([SYMBOL], params);
    await exchange.fetchOrder('42', SYMBOL, params);
    await exchange.fetchOrders(SYMBOL, undefined, undefined, params);
    await exchange.cancelOrder('42', SYMBOL, params);
    expect(canned.recorder.requests.filter(({ path, body }) => path.includes(name) || body.includes(name))).toEqual([]);
  });
});

describe('refuses before any request', () => {
  test.each<[string, unknown, string]>([
    ['posSide', 'left', 'send both'],
    ['positionIdx', 1, 'send 0'],
    ['position_idx', 2, 'send 0'],
    ['hedged', true, 'send false'],
    ['tdMode', 'cross', 'send isolated'],
    ['tdMode', 'cash', 'send isolated'],
    ['mgnMode', 'cross', 'send isolated'],
    ['marginMode', 'cross', 'send isolated'],
    ['marginType', 'CROSSED', 'send isolated'],
    ['type', 'spot', 'send swap'],
    ['subType', 'inverse', 'send linear'],
    ['category', 'inverse', 'send linear'],
  ])('%s: %o', async (name, value, advice) => {
    const params = { [name]: value };
    const { exchange } = canned;
    for (const call of [
      () => place('buy', params),
      () => placeBatch('buy', params),
      () => exchange.fetchBalance(params),
      () => exchange.fetchPositions([SYMBOL], params),
      () => exchange.fetchOrder('42', SYMBOL, params),
      () => exchange.cancelAllOrders(SYMBOL, params),
      () => exchange.setLeverage(5, SYMBOL, params),
    ])
      await expectRefused(call, ccxt.NotSupported, advice);
  });

  test.each(['stop', 'trigger'])('%s: "true" for cancelling all orders, a text that would cancel all', async (name) => {
    await expectRefused(() => canned.exchange.cancelAllOrders(SYMBOL, { [name]: 'true' }), ccxt.BadRequest, 'boolean true');
  });

  test('a value that is no text', async () => {
    await expectRefused(() => place('buy', { tdMode: {} }), ccxt.BadRequest, 'params.tdMode must be');
    await expectRefused(() => place('buy', { positionSide: '' }), ccxt.BadRequest, 'positionSide is empty');
    await expectRefused(() => canned.exchange.fetchBalance({ type: '' }), ccxt.BadRequest, 'type is empty');
    await expectRefused(() => canned.exchange.fetchOrder('42', SYMBOL, { stop: 'yes' }), ccxt.NotSupported, 'omit it');
  });
});

describe.each(['positionSide', 'posSide'])('%s', (name) => {
  test.each<[Side, string, boolean]>([
    ['buy', 'LONG', false],
    ['buy', 'SHORT', true],
    ['sell', 'SHORT', false],
    ['sell', 'long', true],
  ])('with a %s of a %s position, reduceOnly %s, is not sent', async (side, positionSide, reduceOnly) => {
    const fields = reduceOnly ? { reduceOnly } : {};
    await place(side, { [name]: positionSide, ...fields });
    expect(sentFields()).toEqual(fields);
    canned.recorder.clear();
    await placeBatch(side, { [name]: positionSide, ...fields });
    expect(sentFields()).toEqual(fields);
  });

  test.each<[Side, string, boolean, string]>([
    ['sell', 'LONG', false, 'send params.reduceOnly true'],
    ['buy', 'SHORT', false, 'send params.reduceOnly true'],
    ['buy', 'LONG', true, `send params.${name} SHORT`],
    ['sell', 'short', true, `send params.${name} LONG`],
  ])('with a %s of a %s position, reduceOnly %s, is refused', async (side, positionSide, reduceOnly, advice) => {
    await expectRefused(() => place(side, { [name]: positionSide, reduceOnly }), ccxt.BadRequest, advice);
    await expectRefused(() => placeBatch(side, { [name]: positionSide, reduceOnly }), ccxt.BadRequest, advice);
  });

  test('of one side is refused where no order gives the side', async () => {
    await expectRefused(() => canned.exchange.setLeverage(5, SYMBOL, { [name]: 'LONG' }), ccxt.NotSupported, 'send both');
  });
});

/** A list of a trailing stop, a stop-loss and a limit order, newest first. */
async function respondWithTriggers(url: string): Promise<object> {
  expect(url).not.toMatch(/trailing|trigger|stop/);
  return structuredClone({ ...ORDERS, orders: [TRAILING_ORDER, WAITING_ORDER, ORDER] });
}

describe('stop and trigger', () => {
  test.each(['stop', 'trigger', 'trailing'])('%s: true reads and cancels an order like any other', async (name) => {
    const { exchange } = canned;
    expect(await exchange.fetchOrder('42', SYMBOL, { [name]: true })).toMatchObject({ id: '42' });
    expect(await exchange.cancelOrder('42', SYMBOL, { [name]: true })).toMatchObject({ id: '42' });
    await exchange.cancelOrders(['42'], SYMBOL, { [name]: true });
    expect(canned.recorder.requests.filter(({ path, body }) => path.includes(name) || body.includes(name))).toEqual([]);
  });

  test.each(['stop', 'trigger'])('%s: true lists trigger orders only', async (name) => {
    const { exchange } = canned;
    expect((await exchange.fetchOrders(SYMBOL)).length).toBeGreaterThan(0);
    expect(await exchange.fetchOrders(SYMBOL, undefined, undefined, { [name]: true })).toEqual([]);
    exchange.fetch = respondWithTriggers;
    for (const method of ['fetchOrders', 'fetchOpenOrders'] as const)
      expect((await exchange[method](SYMBOL, undefined, undefined, { [name]: true })).map(({ id }) => id)).toEqual(['43', '44']);
  });

  test('trailing: true lists trailing stops only', async () => {
    const { exchange } = canned;
    exchange.fetch = respondWithTriggers;
    for (const method of ['fetchOrders', 'fetchOpenOrders'] as const)
      expect((await exchange[method](SYMBOL, undefined, undefined, { trailing: true })).map(({ id }) => id)).toEqual(['44']);
  });
});

describe('margin and position mode', () => {
  test('are set to what they are without a request', async () => {
    const { exchange } = canned;
    expect(await exchange.setMarginMode('isolated', SYMBOL)).toMatchObject({ symbol: SYMBOL, marginMode: 'isolated' });
    expect(await exchange.setMarginMode('ISOLATED')).toMatchObject({ marginMode: 'isolated' });
    expect(await exchange.setPositionMode(false, SYMBOL)).toMatchObject({ symbol: SYMBOL, hedged: false });
    expect(await exchange.setPositionMode(false)).toMatchObject({ hedged: false });
    expect(await exchange.fetchPositionMode(SYMBOL)).toMatchObject({ symbol: SYMBOL, hedged: false });
    expect(canned.recorder.requests).toEqual([]);
  });

  test('are refused otherwise', async () => {
    const { exchange } = canned;
    await expectRefused(() => exchange.setMarginMode('cross', SYMBOL), ccxt.NotSupported, 'isolated margin only');
    await expectRefused(() => exchange.setMarginMode(5 as never), ccxt.NotSupported, 'isolated margin only');
    await expectRefused(() => exchange.setMarginMode(undefined as never), ccxt.ArgumentsRequired, 'send isolated');
    await expectRefused(() => exchange.setPositionMode(true, SYMBOL), ccxt.NotSupported, 'send false');
    await expectRefused(() => exchange.setPositionMode(undefined as never), ccxt.NotSupported, 'send false');
    await expectRefused(() => exchange.setPositionMode(false, 'BTC/USDT'), ccxt.BadSymbol, 'BTC/USDT');
  });

  test('take the leverage that some venues set with the margin mode', async () => {
    const { exchange } = canned;
    for (const params of [{ leverage: 7 }, { lever: '7' }]) {
      await exchange.setMarginMode('isolated', SYMBOL, params);
      expect(canned.recorder.requests.map(({ method, path, body }) => `${method} ${path} ${body}`)).toEqual([
        'PUT /v1/accounts/acct-7/leverage/BTC-USD-PERP {"leverageX":7}',
      ]);
      canned.recorder.clear();
    }
    const both = { leverage: 7, lever: 8 };
    await expectRefused(() => exchange.setMarginMode('isolated', SYMBOL, both), ccxt.BadRequest, 'params.lever');
    await expectRefused(() => exchange.setMarginMode('isolated', SYMBOL, { leverage: 1_000 }), ccxt.BadRequest, 'from 1 to 50');
  });
});
