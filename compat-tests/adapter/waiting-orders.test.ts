/** Orders that wait for a price and what ends them, amendments, timers, leverage and margin: by the class on a venue whose index the test sets. */
import ccxt, { type Order } from 'ccxt';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { OpenPerp } from '#adapter/dist/openperp.js';
import { type OwnMarket, SYMBOL, startOwnMarket } from '#compat/testing/own-market.ts';
import { eventually } from '#time/testing/eventually.ts';

let venue: OwnMarket;
let maker: OpenPerp;
let bot: OpenPerp;

beforeAll(async () => {
  venue = await startOwnMarket();
});

afterAll(() => venue.stop());

/** A maker that quotes both sides near 1,000, and a bot with a long position of 2. */
beforeEach(async () => {
  await maker?.cancelAllOrders();
  await venue.index(1_000);
  [maker, bot] = [await trader('10000000'), await trader('100000')];
  await maker.createOrder(SYMBOL, 'limit', 'sell', 1_000, 1_001);
  await maker.createOrder(SYMBOL, 'limit', 'buy', 1_000, 990);
  await bot.createOrder(SYMBOL, 'market', 'buy', 2);
});

async function trader(credit: string): Promise<OpenPerp> {
  const { apiKey } = await venue.openAccount(credit);
  const exchange = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } }, enableRateLimit: false });
  await exchange.loadMarkets();
  return exchange;
}

const read = ({ id }: Order) => bot.fetchOrder(id as string, SYMBOL);
const cancelReason = ({ info }: Order) => Object(info).cancelReason;
const contracts = async () => (await bot.fetchPosition(SYMBOL)).contracts;

/** The mark follows the index within the band around the book. */
const fall = () => venue.index(980);

describe('a stop-loss', () => {
  test('waits, and closes the position when the mark falls', async () => {
    const stop = await bot.createStopLossOrder(SYMBOL, 'market', 'sell', 2, undefined, 992);
    expect(stop).toMatchObject({ status: 'open', type: 'market', reduceOnly: true, triggerPrice: 992, stopLossPrice: 992 });
    expect(await bot.fetchOpenOrders(SYMBOL)).toEqual([stop]);
    expect(await bot.fetchOpenOrders(SYMBOL, undefined, undefined, { stop: true })).toEqual([stop]);
    expect(await bot.fetchOpenOrders(SYMBOL, undefined, undefined, { trailing: true })).toEqual([]);
    await fall();
    await eventually(async () => expect(await read(stop)).toMatchObject({ status: 'closed', filled: 2, average: 990 }));
    expect(await contracts()).toBe(0);
  });

  test('of more than the position ends closed', async () => {
    const stop = await bot.createOrder(SYMBOL, 'stop_market', 'sell', 3, undefined, { stopPrice: 992, reduceOnly: true });
    await fall();
    await eventually(async () => expect(await read(stop)).toMatchObject({ status: 'closed', filled: 2 }));
    expect((await bot.fetchCanceledOrders(SYMBOL)).map(({ id }) => id)).toEqual([]);
  });

  test('of the whole position follows its size', async () => {
    const stop = await bot.createOrder(SYMBOL, 'stop_market', 'sell', undefined as never, undefined, {
      stopPrice: 992,
      closePosition: true,
    });
    await bot.createOrder(SYMBOL, 'market', 'buy', 1);
    await fall();
    await eventually(async () => expect(await read(stop)).toMatchObject({ status: 'closed', filled: 3 }));
  });

  test('is cancelled, and says that it is already cancelled when the position has ended', async () => {
    const [first, second] = [
      await bot.createStopLossOrder(SYMBOL, 'limit', 'sell', 2, 985, 992),
      await bot.createStopLossOrder(SYMBOL, 'market', 'sell', 2, undefined, 991),
    ];
    expect(await bot.cancelOrder(first.id as string, SYMBOL, { stop: true })).toMatchObject({ status: 'canceled', price: 985 });
    await bot.closePosition(SYMBOL);
    expect(cancelReason(await read(second))).toBe('position_ended');
    await expect(bot.cancelOrder(second.id as string, SYMBOL)).rejects.toThrow('already cancelled');
  });

  test('that has closed the position says that it is already filled', async () => {
    const stop = await bot.createStopLossOrder(SYMBOL, 'market', 'sell', 3, undefined, 992);
    await fall();
    await eventually(async () => expect((await read(stop)).status).toBe('closed'));
    await expect(bot.cancelOrder(stop.id as string, SYMBOL)).rejects.toThrow('already filled');
  });

  test('without a position, or at a price that is reached, is InvalidOrder', async () => {
    await expect(bot.createStopLossOrder(SYMBOL, 'market', 'sell', 2, undefined, 1_020)).rejects.toThrow(ccxt.InvalidOrder);
    await bot.closePosition(SYMBOL);
    await expect(bot.createStopLossOrder(SYMBOL, 'market', 'sell', 2, undefined, 992)).rejects.toThrow(ccxt.InvalidOrder);
  });
});

test('of two linked orders, the one that is triggered cancels the other', async () => {
  const target = await bot.createTakeProfitOrder(SYMBOL, 'market', 'sell', 2, undefined, 1_050, { clientOrderId: 'target' });
  expect(target).toMatchObject({ triggerPrice: 1_050, takeProfitPrice: 1_050, stopLossPrice: undefined });
  const stop = await bot.createStopLossOrder(SYMBOL, 'market', 'sell', 1, undefined, 992, { linkedClientOrderId: 'target' });
  await fall();
  await eventually(async () => expect((await read(stop)).status).toBe('closed'));
  expect(await read(target)).toMatchObject({ status: 'canceled', info: { cancelReason: 'linked_order' } });
});

test('a take-profit sells when the mark has risen', async () => {
  const target = await bot.createOrder(SYMBOL, 'take_profit_market', 'sell', 2, undefined, {
    stopPrice: 1_004,
    reduceOnly: true,
  });
  await maker.cancelAllOrders();
  await maker.createOrder(SYMBOL, 'limit', 'buy', 10, 1_005);
  await venue.index(1_010);
  await eventually(async () => expect(await read(target)).toMatchObject({ status: 'closed', filled: 2, average: 1_005 }));
});

test('a trigger opens a position in the stated direction', async () => {
  const entry = await bot.createTriggerOrder(SYMBOL, 'limit', 'buy', 1, 992, 994, { triggerDirection: 'descending' });
  expect(entry).toMatchObject({ status: 'open', type: 'limit', price: 992, triggerPrice: 994, reduceOnly: false });
  await expect(bot.createTriggerOrder(SYMBOL, 'limit', 'buy', 1, 992, 994, { triggerDirection: 'ascending' })).rejects.toThrow(
    ccxt.InvalidOrder,
  );
  await fall();
  await eventually(async () => expect((await read(entry)).info).toMatchObject({ trigger: { status: 'triggered' } }));
});

test('cancelAllOrders cancels waiting orders only, or the others only', async () => {
  const limit = await bot.createOrder(SYMBOL, 'limit', 'sell', 1, 1_050);
  const stop = await bot.createStopLossOrder(SYMBOL, 'market', 'sell', 2, undefined, 992);
  expect((await bot.cancelAllOrders(SYMBOL, { trigger: false })).map(({ id, status }) => [id, status])).toEqual([
    [limit.id, 'canceled'],
  ]);
  expect(await bot.fetchOpenOrders(SYMBOL)).toEqual([stop]);
  expect((await bot.cancelAllOrders(undefined, { trigger: true })).map(({ id }) => id)).toEqual([stop.id]);
  expect(await bot.fetchOpenOrders(SYMBOL)).toEqual([]);
});

test('trailing stops wait at their distance', async () => {
  const mark = (await bot.fetchTicker(SYMBOL)).markPrice as number;
  const share = await bot.createTrailingPercentOrder(SYMBOL, 'market', 'sell', 1, undefined, 2.5);
  const amount = await bot.createTrailingAmountOrder(SYMBOL, 'market', 'sell', 1, undefined, 15, undefined, {
    triggerPriceType: 'index',
  });
  expect(share.info).toMatchObject({ trigger: { type: 'trailing_stop', source: 'mark', trailingBps: 250 } });
  expect(Number(Object(share.info).trigger.price)).toBeCloseTo(mark * 0.975, 0);
  expect(amount.info).toMatchObject({ trigger: { source: 'index', trailingAmount: '15', price: '985' } });
  expect([share.triggerPrice, amount.triggerPrice]).toEqual([undefined, undefined]);
  const trailing = await bot.fetchOpenOrders(SYMBOL, undefined, undefined, { trailing: true });
  expect(trailing.map(({ id }) => id)).toEqual([share.id, amount.id]);
});

test('the legs of an entry are orders of their own, with what the entry has opened', async () => {
  const entry = await bot.createOrderWithTakeProfitAndStopLoss(SYMBOL, 'market', 'buy', 1, undefined, 1_050, 992, {
    takeProfitLimitPrice: 1_051,
    stopLossPriceType: 'index',
  });
  expect(entry).toMatchObject({ status: 'closed', triggerPrice: undefined });
  const legs = await bot.fetchOpenOrders(SYMBOL);
  expect(legs.map(({ id }) => id)).toEqual(Object(entry.info).attachedOrderIds);
  expect(legs).toMatchObject([
    {
      stopLossPrice: 992,
      type: 'market',
      side: 'sell',
      amount: 1,
      info: { trigger: { source: 'index', entryOrderId: entry.id } },
    },
    { takeProfitPrice: 1_050, type: 'limit', price: 1_051, side: 'sell', amount: 1 },
  ]);
  await fall();
  await eventually(async () => expect(await contracts()).toBe(2));
  expect(await bot.fetchOpenOrders(SYMBOL)).toEqual([]);
});

test('a batch takes a resting order, and orders that wait', async () => {
  const order = { symbol: SYMBOL, side: 'sell' as const, amount: 1 };
  const results = await bot.createOrders([
    { ...order, type: 'limit', price: 1_050 },
    { ...order, type: 'market', params: { stopLossPrice: 992 } },
    { ...order, type: 'stop_limit', price: 985, params: { triggerPrice: 1_020, reduceOnly: true } },
  ]);
  expect(results.map(({ status }) => status)).toEqual(['open', 'open', 'rejected']);
  expect(results[2]).toMatchObject({ type: 'limit', info: { code: 'trigger_reached' } });
});

describe('time in force', () => {
  const buy = (price: number, amount: number, params: object) => bot.createOrder(SYMBOL, 'limit', 'buy', amount, price, params);

  test('IOC and FOK do not rest', async () => {
    const ioc = await buy(1_001, 1_500, { timeInForce: 'IOC', leverage: 50 });
    expect(ioc).toMatchObject({
      status: 'canceled',
      timeInForce: 'IOC',
      filled: 998,
      info: { cancelReason: 'immediate_or_cancel' },
    });
    const fok = await buy(1_001, 1, { timeInForce: 'FOK' });
    expect(fok).toMatchObject({ status: 'canceled', timeInForce: 'FOK', filled: 0, info: { cancelReason: 'fill_or_kill' } });
  });

  test('GTD ends at its time', async () => {
    const expiresAt = Number(await bot.fetchTime()) + 1_500;
    const order = await buy(970, 1, { timeInForce: 'GTD', expiresAt, postOnly: true });
    expect(order).toMatchObject({ status: 'open', timeInForce: 'GTD', postOnly: true, info: { expiresAtEpochMs: expiresAt } });
    await eventually(async () => expect(cancelReason(await read(order))).toBe('expired'));
    expect((await read(order)).status).toBe('expired');
    await expect(buy(970, 1, { timeInForce: 'GTD', expiresAt: 1 })).rejects.toThrow(ccxt.InvalidOrder);
  });
});

describe('an amendment', () => {
  test('keeps the id, and the place if the amount is smaller', async () => {
    const order = await bot.createOrder(SYMBOL, 'limit', 'buy', 2, 970, { clientOrderId: 'quote' });
    const smaller = await bot.editOrder(order.id as string, SYMBOL, 'limit', 'buy', 1.5);
    expect(smaller).toMatchObject({ id: order.id, status: 'open', amount: 1.5, price: 970, info: { keepsPriority: true } });
    const moved = await bot.editOrderWithClientOrderId('quote', SYMBOL, 'limit', 'buy', 1.5, 971);
    expect(moved).toMatchObject({ id: order.id, clientOrderId: 'quote', price: 971, info: { keepsPriority: false } });
    expect(await read(order)).toMatchObject({ status: 'open', amount: 1.5, price: 971 });
  });

  test('of several orders changes each on its own', async () => {
    const order = await bot.createOrder(SYMBOL, 'limit', 'buy', 2, 970);
    const change = { symbol: SYMBOL, type: 'limit', side: 'buy', price: 972 };
    const results = await bot.editOrders([{ ...change, id: order.id, amount: 1 } as never, { ...change, id: '999999' } as never]);
    expect(results).toMatchObject([{ id: order.id, price: 972, amount: 1 }, { info: { code: 'order_not_found' } }]);
  });

  test('of an order that ended or does not exist is OrderNotFound', async () => {
    const [filled] = await bot.fetchClosedOrders(SYMBOL);
    for (const id of [filled!.id as string, '999999'])
      await expect(bot.editOrder(id, SYMBOL, 'limit', 'buy', 3, 970)).rejects.toThrow(ccxt.OrderNotFound);
  });
});

test('cancelAllOrdersAfter cancels what is open when it runs out', async () => {
  const order = await bot.createOrder(SYMBOL, 'limit', 'buy', 1, 970);
  expect(await bot.cancelAllOrdersAfter(60_000, { symbol: SYMBOL })).toMatchObject({ marketId: 'TST-USD-PERP' });
  expect(await bot.cancelAllOrdersAfter(0, { symbol: SYMBOL })).toMatchObject({ cancelsAtEpochMs: null });
  await bot.cancelAllOrdersAfter(1_000);
  await eventually(async () => expect(cancelReason(await read(order))).toBe('cancel_all_after'));
  await expect(bot.cancelAllOrdersAfter(500)).rejects.toThrow(ccxt.BadRequest);
});

test('the leverage is that of the account, also for another instance', async () => {
  await bot.setLeverage(3, SYMBOL);
  const { apiKey } = bot;
  const restarted = new OpenPerp({ apiKey, urls: { api: { rest: venue.url } } });
  expect(await restarted.fetchLeverage(SYMBOL)).toMatchObject({ longLeverage: 3, shortLeverage: 3 });
  expect((await restarted.fetchLeverages())['BTC/USD.E:USD.E']).toMatchObject({ longLeverage: 10 });
  const order = await restarted.createOrder(SYMBOL, 'limit', 'buy', 1, 970);
  expect(order.info).toMatchObject({ leverageX: 3 });
});

test('margin is added to a position and removed from it', async () => {
  const marginOf = async () => (await bot.fetchPosition(SYMBOL)).initialMargin as number;
  const before = await marginOf();
  expect(await bot.addMargin(SYMBOL, 50)).toMatchObject({ type: 'add', amount: 50, code: 'USD.E', symbol: SYMBOL });
  expect(await marginOf()).toBeCloseTo(before + 50, 4);
  expect(await bot.reduceMargin(SYMBOL, 25)).toMatchObject({ type: 'reduce', amount: 25, total: await marginOf() });
  await expect(bot.reduceMargin(SYMBOL, 10_000)).rejects.toThrow(ccxt.InsufficientFunds);
  await expect(bot.addMargin(SYMBOL, 10_000_000)).rejects.toThrow(ccxt.InsufficientFunds);
});
