/** Orders that wait for a price: the request of each way to ask for one, and what is refused before any request. */
import ccxt, { type Order } from 'ccxt';
import { describe, expect, test } from 'vitest';
import { WAITING_ORDER } from '#compat/testing/canned.ts';
import { cannedExchange, SYMBOL } from '#compat/testing/canned-exchange.ts';
import { refusalOf } from '#compat/testing/refusal.ts';
import { orderBatchBody } from '#contract/order-batches.ts';
import { placementBody } from '#contract/orders.ts';

const canned = cannedExchange({ accountId: 'acct-7' });

const sell = (params: object, type = 'market', amount = 0.1, price?: number) =>
  canned.exchange.createOrder(SYMBOL, type, 'sell', amount, price, params);

/** The placement that arrived, valid for the venue, without the fields that every one of these tests has. */
function placed() {
  const sent = canned.recorder.requests.map(({ body }) => placementBody.parse(JSON.parse(body)));
  expect(sent).toHaveLength(1);
  const { accountId, marketId, clientOrderId, ...fields } = sent[0]!;
  expect([accountId, marketId, typeof clientOrderId]).toEqual(['acct-7', 'BTC-USD-PERP', 'string']);
  return fields;
}

async function expectRefused(call: () => Promise<unknown>, error: typeof ccxt.BaseError, text = ''): Promise<void> {
  const thrown = await refusalOf(call);
  expect(thrown.constructor, thrown.message).toBe(error);
  expect(thrown.message).toContain(text);
  expect(canned.recorder.requests).toEqual([]);
}

const MARKET = { side: 'sell', orderType: 'market', quantity: '0.1' };
const LIMIT = { side: 'sell', orderType: 'limit', quantity: '0.1', price: '59000' };

describe('the request of a market order', () => {
  test.each<[string, object, object]>([
    ['stopLossPrice', { stopLossPrice: 60_000.04 }, { reduceOnly: true, trigger: { type: 'stop_loss', price: '60000' } }],
    ['takeProfitPrice', { takeProfitPrice: '70000' }, { reduceOnly: true, trigger: { type: 'take_profit', price: '70000' } }],
    ['triggerPrice', { triggerPrice: 6e4 }, { reduceOnly: false, trigger: { type: 'trigger', price: '60000' } }],
    ['stopPrice', { stopPrice: 60_000 }, { reduceOnly: false, trigger: { type: 'trigger', price: '60000' } }],
    [
      'triggerPrice of a closing order',
      { triggerPrice: 60_000, reduceOnly: true },
      { reduceOnly: true, trigger: { type: 'trigger', price: '60000' } },
    ],
    [
      'stopLossPrice that may open',
      { stopLossPrice: 60_000, reduceOnly: false },
      { reduceOnly: false, trigger: { type: 'stop_loss', price: '60000' } },
    ],
    ['trailingPercent', { trailingPercent: 1.25 }, { reduceOnly: true, trigger: { type: 'trailing_stop', trailingBps: 125 } }],
    [
      'trailingAmount',
      { trailingAmount: '250.04' },
      { reduceOnly: true, trigger: { type: 'trailing_stop', trailingAmount: '250' } },
    ],
    [
      'a link',
      { stopLossPrice: 60_000, linkedClientOrderId: 'target' },
      { reduceOnly: true, trigger: { type: 'stop_loss', price: '60000', linkedClientOrderId: 'target' } },
    ],
    [
      'leverage, a position side and a time in force that a market order has',
      { stopLossPrice: 60_000, leverage: 3, positionSide: 'LONG', timeInForce: 'IOC' },
      { reduceOnly: true, leverageX: 3, trigger: { type: 'stop_loss', price: '60000' } },
    ],
  ])('with %s', async (_, params, expected) => {
    await sell(params);
    expect(placed()).toEqual({ ...MARKET, ...expected });
  });

  test.each([
    ['stop_market', 'stop_loss'],
    ['take_profit_market', 'take_profit'],
  ])('of the type %s', async (type, kind) => {
    await sell({ stopPrice: 60_000 }, type);
    expect(placed()).toEqual({ ...MARKET, reduceOnly: false, trigger: { type: kind, price: '60000' } });
    canned.recorder.clear();
    await sell({ triggerPrice: 60_000, reduceOnly: true, positionSide: 'LONG' }, type);
    expect(placed()).toEqual({ ...MARKET, reduceOnly: true, trigger: { type: kind, price: '60000' } });
  });

  test('that closes the position has no amount', async () => {
    await sell({ stopPrice: 60_000, closePosition: true }, 'stop_market');
    const trigger = { type: 'stop_loss', price: '60000', closePosition: true };
    expect(placed()).toEqual({ side: 'sell', orderType: 'market', reduceOnly: true, trigger });
    canned.recorder.clear();
    await sell({ trailingPercent: 3, closePosition: true }, 'market', undefined);
    expect(placed().trigger).toEqual({ type: 'trailing_stop', trailingBps: 300, closePosition: true });
  });

  test.each([
    ['triggerPriceType', 'mark', 'mark'],
    ['triggerPriceType', 'INDEX', 'index'],
    ['triggerBy', 'LastPrice', 'last'],
    ['triggerBy', 'MARK_PRICE', 'mark'],
  ])('with %s %s', async (name, value, source) => {
    await sell({ stopLossPrice: 60_000, [name]: value });
    expect(placed().trigger).toEqual({ type: 'stop_loss', price: '60000', source });
  });

  test.each([
    ['ascending', 'above'],
    ['up', 'above'],
    ['descending', 'below'],
    ['below', 'below'],
  ])('with triggerDirection %s', async (triggerDirection, direction) => {
    await sell({ triggerPrice: 60_000, triggerDirection });
    expect(placed().trigger).toEqual({ type: 'trigger', price: '60000', direction });
  });

  test('does not send a direction that follows from the side', async () => {
    await sell({ stopLossPrice: 60_000, triggerDirection: 'descending' });
    expect(placed().trigger).toEqual({ type: 'stop_loss', price: '60000' });
    canned.recorder.clear();
    await canned.exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, {
      takeProfitPrice: 60_000,
      triggerDirection: 'descending',
    });
    expect(placed().trigger).toEqual({ type: 'take_profit', price: '60000' });
  });
});

describe('the request of a limit order', () => {
  test.each([
    ['stop', 'stop_loss'],
    ['stop_limit', 'stop_loss'],
    ['take_profit', 'take_profit'],
    ['take_profit_limit', 'take_profit'],
    ['limit', 'trigger'],
  ])('of the type %s', async (type, kind) => {
    await sell({ triggerPrice: 60_000, timeInForce: 'GTC' }, type, 0.1, 59_000);
    expect(placed()).toEqual({ ...LIMIT, reduceOnly: false, trigger: { type: kind, price: '60000' } });
  });

  test('needs a price', async () => {
    await expectRefused(() => sell({ triggerPrice: 60_000 }, 'stop_limit'), ccxt.ArgumentsRequired, 'price');
  });
});

describe('the legs of an entry', () => {
  const enter = (params: object) => canned.exchange.createOrder(SYMBOL, 'market', 'buy', 0.1, undefined, params);

  test('are sent with it', async () => {
    await enter({
      stopLoss: { triggerPrice: 60_000.04, triggerPriceType: 'last' },
      takeProfit: { triggerPrice: '70000', price: 69_999.96, type: 'limit' },
    });
    const legs = { stopLoss: { triggerPrice: '60000', source: 'last' }, takeProfit: { triggerPrice: '70000', price: '70000' } };
    expect(placed()).toEqual({ ...MARKET, side: 'buy', ...legs });
  });

  test('that are market orders have no price', async () => {
    await enter({ stopLoss: { stopPrice: 60_000, type: 'market', price: 59_000, amount: 0.1 } });
    expect(placed().stopLoss).toEqual({ triggerPrice: '60000' });
  });

  test.each<[string, object, typeof ccxt.BaseError, string]>([
    ['a price instead of a dictionary', { stopLoss: 60_000 }, ccxt.BadRequest, 'triggerPrice'],
    ['no trigger price', { takeProfit: { price: 70_000 } }, ccxt.ArgumentsRequired, 'takeProfit.triggerPrice'],
    ['a limit order without a price', { stopLoss: { triggerPrice: 1, type: 'limit' } }, ccxt.ArgumentsRequired, 'price'],
    ['another type', { stopLoss: { triggerPrice: 1, type: 'trailing' } }, ccxt.NotSupported, 'trailing'],
    ['another amount', { stopLoss: { triggerPrice: 60_000, amount: 0.05 } }, ccxt.NotSupported, 'stopLoss.amount'],
    ['an unknown field', { stopLoss: { triggerPrice: 60_000, tigger: 1 } }, ccxt.BadRequest, 'stopLoss.tigger'],
    ['an unknown source', { stopLoss: { triggerPrice: 60_000, priceType: 'mid' } }, ccxt.BadRequest, 'mid'],
    ['a price below zero', { stopLoss: { triggerPrice: -1 } }, ccxt.InvalidOrder, 'stopLoss.triggerPrice'],
    ['a closing order', { reduceOnly: true, stopLoss: { triggerPrice: 60_000 } }, ccxt.InvalidOrder, 'stopLossPrice'],
    ['an order that waits', { triggerPrice: 1, stopLoss: { triggerPrice: 60_000 } }, ccxt.NotSupported, 'stopLoss'],
  ])('are refused with %s', async (_, params, error, text) => {
    await expectRefused(() => enter(params), error, text);
  });
});

describe('is refused before any request', () => {
  test.each<[string, object, typeof ccxt.BaseError, string, string?]>([
    ['two prices', { stopLossPrice: 60_000, takeProfitPrice: 70_000 }, ccxt.InvalidOrder, 'another order'],
    ['a type without a price', {}, ccxt.ArgumentsRequired, 'triggerPrice', 'stop_market'],
    ['a type with the price of another', { takeProfitPrice: 60_000 }, ccxt.BadRequest, 'takeProfitPrice', 'stop_market'],
    ['a type that trails', { trailingAmount: 10 }, ccxt.BadRequest, 'trailingAmount', 'take_profit_market'],
    ['an unknown source', { triggerPrice: 60_000, triggerBy: 'mid' }, ccxt.BadRequest, 'mark, index or last'],
    ['a trailing stop by trades', { trailingPercent: 1, triggerPriceType: 'last' }, ccxt.NotSupported, 'mark or the index'],
    ['an activation price', { trailingPercent: 1, trailingTriggerPrice: 60_000 }, ccxt.NotSupported, 'trailingTriggerPrice'],
    ['a fine share', { trailingPercent: 0.125 }, ccxt.InvalidOrder, 'two decimals'],
    ['a share of all', { trailingPercent: 100 }, ccxt.InvalidOrder, '99.99'],
    ['a share of nothing', { trailingPercent: 0 }, ccxt.InvalidOrder, 'trailingPercent'],
    ['a distance of nothing', { trailingAmount: -1 }, ccxt.InvalidOrder, 'trailingAmount'],
    ['an empty price', { stopLossPrice: '' }, ccxt.BadRequest, 'stopLossPrice is empty'],
    ['a text as a price', { stopLossPrice: 'low' }, ccxt.InvalidOrder, 'number'],
    ['an unknown direction', { triggerPrice: 60_000, triggerDirection: 'sideways' }, ccxt.BadRequest, 'sideways'],
    ['a direction against the side', { stopLossPrice: 60_000, triggerDirection: 'up' }, ccxt.BadRequest, 'below its price'],
    ['a cost', { triggerPrice: 60_000, cost: 100 }, ccxt.NotSupported, 'cost'],
    ['a time in force', { triggerPrice: 60_000, timeInForce: 'FOK' }, ccxt.NotSupported, 'IOC'],
    ['post only', { triggerPrice: 60_000, postOnly: true }, ccxt.NotSupported, 'GTC', 'stop_limit'],
    ['a position side to open', { stopLossPrice: 60_000, positionSide: 'SHORT' }, ccxt.BadRequest, 'LONG'],
    ['a position side to close', { triggerPrice: 60_000, positionSide: 'LONG' }, ccxt.BadRequest, 'reduceOnly'],
    ['closePosition without a price', { closePosition: true }, ccxt.NotSupported, 'closePosition()'],
    ['a source without a price', { triggerPriceType: 'mark' }, ccxt.BadRequest, 'triggerPriceType'],
    ['a link without a price', { linkedClientOrderId: 'a' }, ccxt.BadRequest, 'linkedClientOrderId'],
  ])('with %s', async (_, params, error, text, type = 'market') => {
    const price = type.endsWith('limit') ? 59_000 : undefined;
    await expectRefused(() => sell(params, type, 0.1, price), error, text);
  });
});

test('is sent in a batch, where other market orders are refused', async () => {
  const order = { symbol: SYMBOL, side: 'sell' as const, amount: 0.1 };
  await canned.exchange.createOrders([
    { ...order, type: 'market', params: { stopLossPrice: 60_000 } },
    { ...order, type: 'take_profit_limit', price: 70_000, params: { triggerPrice: 70_000, reduceOnly: true } },
  ]);
  const { orders } = orderBatchBody.parse(JSON.parse(canned.recorder.requests[0]!.body));
  expect(orders).toMatchObject([
    { orderType: 'market', quantity: '0.1', reduceOnly: true, trigger: { type: 'stop_loss', price: '60000' } },
    { orderType: 'limit', price: '70000', reduceOnly: true, trigger: { type: 'take_profit', price: '70000' } },
  ]);
  canned.recorder.clear();
  await expectRefused(() => canned.exchange.createOrders([{ ...order, type: 'market' }]), ccxt.NotSupported, 'wait');
});

describe('the methods of ccxt', () => {
  const closing = { reduceOnly: true };
  const opening = { reduceOnly: false };
  test.each<[string, () => Promise<Order>, object]>([
    [
      'createStopLossOrder',
      () => canned.exchange.createStopLossOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 60_000),
      { ...closing, trigger: { type: 'stop_loss', price: '60000' } },
    ],
    [
      'createTakeProfitOrder',
      () => canned.exchange.createTakeProfitOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 70_000),
      { ...closing, trigger: { type: 'take_profit', price: '70000' } },
    ],
    [
      'createTriggerOrder',
      () => canned.exchange.createTriggerOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 60_000),
      { ...opening, trigger: { type: 'trigger', price: '60000' } },
    ],
    [
      'createStopOrder',
      () => canned.exchange.createStopOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 60_000),
      { ...opening, trigger: { type: 'trigger', price: '60000' } },
    ],
    [
      'createStopMarketOrder',
      () => canned.exchange.createStopMarketOrder(SYMBOL, 'sell', 0.1, 60_000),
      { ...opening, trigger: { type: 'trigger', price: '60000' } },
    ],
    [
      'createTrailingAmountOrder',
      () => canned.exchange.createTrailingAmountOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 250),
      { ...closing, trigger: { type: 'trailing_stop', trailingAmount: '250' } },
    ],
    [
      'createTrailingPercentOrder',
      () => canned.exchange.createTrailingPercentOrder(SYMBOL, 'market', 'sell', 0.1, undefined, 3),
      { ...closing, trigger: { type: 'trailing_stop', trailingBps: 300 } },
    ],
    [
      'createOrderWithTakeProfitAndStopLoss',
      () =>
        canned.exchange.createOrderWithTakeProfitAndStopLoss(SYMBOL, 'market', 'sell', 0.1, undefined, 50_000, 70_000, {
          takeProfitPriceType: 'index',
          takeProfitLimitPrice: 50_100,
          stopLossType: 'market',
        }),
      { takeProfit: { triggerPrice: '50000', source: 'index', price: '50100' }, stopLoss: { triggerPrice: '70000' } },
    ],
  ])('%s', async (_, create, expected) => {
    await create();
    expect(placed()).toEqual({ ...MARKET, ...expected });
  });

  test('createStopLimitOrder', async () => {
    await canned.exchange.createStopLimitOrder(SYMBOL, 'sell', 0.1, 59_000, 60_000);
    expect(placed()).toEqual({ ...LIMIT, ...opening, trigger: { type: 'trigger', price: '60000' } });
  });
});

describe('the structure', () => {
  test('has the trigger price, and whether it is of a stop-loss or a take-profit', () => {
    const stop = canned.exchange.parseOrder(WAITING_ORDER);
    expect(stop).toMatchObject({ status: 'open', type: 'market', reduceOnly: true, triggerPrice: 60_000, stopPrice: 60_000 });
    expect([stop.stopLossPrice, stop.takeProfitPrice, stop.price, stop.amount]).toEqual([60_000, undefined, undefined, 0.3]);
    const trigger = { ...WAITING_ORDER.trigger, type: 'take_profit' };
    const target = canned.exchange.parseOrder({ ...WAITING_ORDER, trigger });
    expect([target.triggerPrice, target.stopLossPrice, target.takeProfitPrice]).toEqual([60_000, undefined, 60_000]);
  });
});
