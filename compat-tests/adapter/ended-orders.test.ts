/** Orders that ended and positions that are closed, as programs read them: on a real venue without market makers. */
import ccxt, { type Order } from 'ccxt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { startTestVenue, type TestVenue, temporaryDirectory, testConfig } from '#app/testing/test-venue.ts';
import { refusalOf } from '#compat/testing/refusal.ts';

const SYMBOL = 'BTC/USD.E:USD.E';
const directory = temporaryDirectory();
let venue: TestVenue;
let mark: number;
let taker: OpenPerp;
let maker: OpenPerp;

beforeAll(async () => {
  venue = await startTestVenue(testConfig(directory.path));
});

afterAll(async () => {
  await venue.stop();
  directory.remove();
});

beforeEach(async () => {
  await maker?.cancelAllOrders();
  [taker, maker] = [await trader(), await trader()];
  mark = (await taker.fetchTicker(SYMBOL)).markPrice as number;
});

async function trader(): Promise<OpenPerp> {
  const { apiKey, accountId } = await venue.createAccount({ label: 'trader', credit: '100000' });
  const exchange = new OpenPerp({ apiKey, accountId, urls: { api: { rest: venue.url } } });
  await exchange.loadMarkets();
  return exchange;
}

const quote = (side: 'buy' | 'sell', amount: number) =>
  maker.createOrder(SYMBOL, 'limit', side, amount, side === 'buy' ? mark * 0.999 : mark * 1.001);

async function messageOf(call: () => Promise<unknown>, error: typeof ccxt.BaseError): Promise<string> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  return thrown.message;
}

describe('a cancel', () => {
  test('of a filled order says that it is already filled', async () => {
    await quote('sell', 0.01);
    const { id, clientOrderId } = await taker.createOrder(SYMBOL, 'market', 'buy', 0.01);
    for (const call of [
      () => taker.cancelOrder(id as string, SYMBOL),
      () => taker.cancelOrderWithClientOrderId(clientOrderId as string, SYMBOL),
    ]) {
      const text = await messageOf(call, ccxt.OrderNotFound);
      expect(text).toContain(`order ${id} is already filled`);
      expect(text).toContain('order_not_open');
      expect(text).not.toContain('already cancelled');
    }
  });

  test('of an order that the venue cancelled says that it is already cancelled', async () => {
    const { id } = await taker.createOrder(SYMBOL, 'market', 'buy', 0.01);
    const text = await messageOf(() => taker.cancelOrder(id as string, SYMBOL), ccxt.OrderNotFound);
    expect(text).toContain(`order ${id} is already cancelled`);
    expect(text).not.toContain('already filled');
  });

  test('of an order that its owner cancelled returns it', async () => {
    const { id } = await taker.createOrder(SYMBOL, 'limit', 'buy', 0.01, mark * 0.97);
    for (const _ of ['cancels', 'repeats'])
      expect(await taker.cancelOrder(id as string, SYMBOL)).toMatchObject({ id, status: 'canceled' });
  });

  test('and a read of an unknown order say that it is not found, in the words that programs look for', async () => {
    for (const id of ['999999', 'abc'])
      for (const call of [() => taker.cancelOrder(id, SYMBOL), () => taker.fetchOrder(id, SYMBOL)]) {
        const text = await messageOf(call, ccxt.OrderNotFound);
        expect(text).toContain('order not found');
        expect(text).toMatch(/[0-9a-z]+ NotFound/);
        expect(text).not.toContain('already');
      }
  });
});

describe('a reduce-only market order that is larger than the position', () => {
  let cut: Order;

  beforeEach(async () => {
    await quote('sell', 0.01);
    await taker.createOrder(SYMBOL, 'market', 'buy', 0.01);
    await quote('buy', 0.05);
    cut = await taker.createOrder(SYMBOL, 'market', 'sell', 0.03, undefined, { reduceOnly: true });
  });

  test('ends closed', async () => {
    const expected = { status: 'closed', amount: 0.03, filled: 0.01, remaining: 0.02 };
    expect(cut).toMatchObject(expected);
    expect(await taker.fetchOrder(cut.id as string, SYMBOL)).toMatchObject(expected);
    expect(await taker.fetchPosition(SYMBOL)).toMatchObject({ contracts: 0 });
  });

  test('is in no list of cancelled orders, and once in that of all ended orders', async () => {
    expect(await taker.fetchCanceledOrders(SYMBOL)).toEqual([]);
    expect((await taker.fetchCanceledAndClosedOrders(SYMBOL)).map(({ status }) => status)).toEqual(['closed', 'closed']);
  });

  test('is already filled to a cancel', async () => {
    expect(await messageOf(() => taker.cancelOrder(cut.id as string), ccxt.OrderNotFound)).toContain('already filled');
  });
});

describe('an order that is not cut to a position stays canceled', () => {
  test('if the book had too few orders', async () => {
    await quote('sell', 0.01);
    expect(await taker.createOrder(SYMBOL, 'market', 'buy', 0.02)).toMatchObject({ status: 'canceled', filled: 0.01 });
    await quote('buy', 0.004);
    const reduce = await taker.createOrder(SYMBOL, 'market', 'sell', 0.01, undefined, { reduceOnly: true });
    expect(reduce).toMatchObject({ status: 'canceled', filled: 0.004 });
  });
});

describe('closePosition', () => {
  test.each(['long', 'short'] as const)('closes a %s position', async (side) => {
    const [open, close] = side === 'long' ? (['buy', 'sell'] as const) : (['sell', 'buy'] as const);
    await quote(close, 0.01);
    await taker.createOrder(SYMBOL, 'market', open, 0.01);
    await quote(open, 0.01);
    const other = side === 'long' ? 'short' : 'long';
    expect(await messageOf(() => taker.closePosition(SYMBOL, other), ccxt.InvalidOrder)).toContain(`no open ${other} position`);
    expect(await taker.closePosition(SYMBOL, side)).toMatchObject({
      ...{ status: 'closed', type: 'market', side: close, amount: 0.01, reduceOnly: true },
    });
    expect(await taker.fetchPositions()).toEqual([]);
    expect(await messageOf(() => taker.closePosition(SYMBOL), ccxt.InvalidOrder)).toContain('no open position');
  });

  test('refuses the side of an order', async () => {
    expect(await messageOf(() => taker.closePosition(SYMBOL, 'buy'), ccxt.NotSupported)).toContain('send long or short');
  });

  test('refuses a position that is larger than the largest order', async () => {
    await quote('sell', 0.01);
    await taker.createOrder(SYMBOL, 'market', 'buy', 0.01);
    taker.market(SYMBOL).limits!.amount!.max = 0.005;
    const text = await messageOf(() => taker.closePosition(SYMBOL), ccxt.InvalidOrder);
    expect(text).toContain('has 0.01 contracts, and an order at most 0.005');
  });
});

describe('closeAllPositions', () => {
  const ETH = 'ETH/USD.E:USD.E';

  async function openBoth(): Promise<void> {
    const ether = (await taker.fetchTicker(ETH)).markPrice as number;
    await quote('sell', 0.01);
    await maker.createOrder(ETH, 'limit', 'buy', 0.1, ether * 0.999);
    await taker.createOrder(SYMBOL, 'market', 'buy', 0.01);
    await taker.createOrder(ETH, 'market', 'sell', 0.1);
    await quote('buy', 0.01);
    await maker.createOrder(ETH, 'limit', 'sell', 0.06, ether * 1.001);
  }

  test('closes every position, and returns those that the book could not close', async () => {
    await openBoth();
    expect(await taker.closeAllPositions()).toMatchObject([{ symbol: ETH, side: 'short', contracts: 0.04 }]);
  });

  test('sends the other orders if one is refused, and then throws', async () => {
    await openBoth();
    taker.market(SYMBOL).limits!.amount!.max = 0.005;
    await messageOf(() => taker.closeAllPositions(), ccxt.InvalidOrder);
    expect(await taker.fetchPositions()).toMatchObject([
      { symbol: SYMBOL, contracts: 0.01 },
      { symbol: ETH, contracts: 0.04 },
    ]);
  });

  test('returns nothing without positions', async () => {
    expect(await taker.closeAllPositions()).toEqual([]);
  });
});
