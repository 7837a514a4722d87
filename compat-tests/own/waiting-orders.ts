/** Our checks of orders that wait for a price: each way to place one, read back, listed, and cancelled. */
import assert from 'node:assert/strict';
import type { Exchange, Order } from 'ccxt';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { assertOrder } from '#compat/structures.ts';

/** What a waiting order is expected to show. */
interface Expected {
  readonly type: 'market' | 'limit';
  readonly reduceOnly: boolean;
  readonly kind: 'stop_loss' | 'take_profit' | 'trigger' | 'trailing_stop';
  readonly triggerPrice?: number;
}

/** Prices that the market does not reach during a check, on the tick. */
interface Prices {
  readonly below: number;
  readonly above: number;
}

type Place = (exchange: Exchange, prices: Prices, stage: Stage) => Promise<Order>;

function waits(method: string, expected: (prices: Prices) => Expected, place: Place): OwnCheck {
  return {
    method,
    description: 'waits as it was placed, is listed among trigger orders, and is cancelled',
    run: async (stage) => {
      const prices = await unreached(stage);
      const placed = await place(stage.exchange, prices, stage);
      await assertWaits(stage, placed, expected(prices));
      assert.equal((await stage.exchange.cancelOrder(String(placed.id), stage.symbol)).status, 'canceled');
      assert.deepEqual(await stage.exchange.fetchOpenOrders(stage.symbol, undefined, undefined, { trigger: true }), []);
    },
  };
}

const opening = { type: 'market', reduceOnly: false, kind: 'trigger' } as const;

/** The account has a long position, which sells close. */
export const WAITING_ORDER_CHECKS: readonly OwnCheck[] = [
  waits(
    'createStopLossOrder',
    ({ below }) => ({ type: 'market', reduceOnly: true, kind: 'stop_loss', triggerPrice: below }),
    (exchange, { below }, { symbol, amount }) => exchange.createStopLossOrder(symbol, 'market', 'sell', amount, undefined, below),
  ),
  waits(
    'createTakeProfitOrder',
    ({ above }) => ({ type: 'limit', reduceOnly: true, kind: 'take_profit', triggerPrice: above }),
    (exchange, { above }, { symbol, amount }) => exchange.createTakeProfitOrder(symbol, 'limit', 'sell', amount, above, above),
  ),
  waits(
    'createTriggerOrder',
    ({ below }) => ({ ...opening, type: 'limit', triggerPrice: below }),
    (exchange, { below }, { symbol, amount }) =>
      exchange.createTriggerOrder(symbol, 'limit', 'buy', amount, below, below, { triggerDirection: 'descending' }),
  ),
  waits(
    'createStopOrder',
    ({ above }) => ({ ...opening, triggerPrice: above }),
    (exchange, { above }, { symbol, amount }) => exchange.createStopOrder(symbol, 'market', 'buy', amount, undefined, above),
  ),
  waits(
    'createStopLimitOrder',
    ({ above }) => ({ ...opening, type: 'limit', triggerPrice: above }),
    (exchange, { above }, { symbol, amount }) => exchange.createStopLimitOrder(symbol, 'buy', amount, above, above),
  ),
  waits(
    'createStopMarketOrder',
    ({ below }) => ({ ...opening, reduceOnly: true, triggerPrice: below }),
    (exchange, { below }, { symbol, amount }) =>
      exchange.createStopMarketOrder(symbol, 'sell', amount, below, { reduceOnly: true }),
  ),
  waits(
    'createTrailingAmountOrder',
    () => ({ type: 'market', reduceOnly: true, kind: 'trailing_stop' }),
    (exchange, { above, below }, { symbol, amount }) =>
      exchange.createTrailingAmountOrder(symbol, 'market', 'sell', amount, undefined, (above - below) / 2),
  ),
  waits(
    'createTrailingPercentOrder',
    () => ({ type: 'market', reduceOnly: true, kind: 'trailing_stop' }),
    (exchange, _, { symbol, amount }) => exchange.createTrailingPercentOrder(symbol, 'market', 'sell', amount, undefined, 7.25),
  ),
  {
    method: 'createOrderWithTakeProfitAndStopLoss',
    description: 'opens, with a stop-loss and a take-profit of that amount, which are cancelled like any order',
    run: async (stage) => {
      const { exchange, symbol, amount } = stage;
      const { above, below } = await unreached(stage);
      const entry = await exchange.createOrderWithTakeProfitAndStopLoss(symbol, 'market', 'buy', amount, undefined, above, below);
      assert.equal(assertOrder(entry, stage).status, 'closed');
      const legs = await exchange.fetchOpenOrders(symbol, undefined, undefined, { trigger: true });
      assert.deepEqual(
        legs.map((leg) => [leg.id, leg.amount, leg.stopLossPrice, leg.takeProfitPrice]),
        [
          [Object(entry.info).attachedOrderIds[0], amount, below, undefined],
          [Object(entry.info).attachedOrderIds[1], amount, undefined, above],
        ],
      );
      for (const { id } of legs) assert.equal((await exchange.cancelOrder(String(id), symbol)).status, 'canceled');
      await exchange.createOrder(symbol, 'market', 'sell', amount, undefined, { reduceOnly: true });
    },
  },
];

async function assertWaits(stage: Stage, placed: Order, { kind, triggerPrice, ...expected }: Expected): Promise<void> {
  const { exchange, symbol, amount } = stage;
  const listed = await exchange.fetchOpenOrders(symbol, undefined, undefined, { trigger: true });
  assert.equal(listed.length, 1, 'not the only trigger order');
  for (const order of [placed, listed[0]!, await exchange.fetchOrder(String(placed.id), symbol)]) {
    const { id, type, reduceOnly, status, filled, info } = assertOrder(order, stage);
    assert.deepEqual({ id, status, filled, type, reduceOnly }, { id: placed.id, status: 'open', filled: 0, ...expected });
    assert.deepEqual([order.amount, Object(info).trigger.type], [amount, kind]);
    if (triggerPrice !== undefined) assert.equal(order.triggerPrice, triggerPrice);
    const { stopLossPrice, takeProfitPrice } = order;
    assert.deepEqual(
      [stopLossPrice, takeProfitPrice],
      [kind === 'stop_loss' ? triggerPrice : undefined, kind === 'take_profit' ? triggerPrice : undefined],
    );
  }
}

async function unreached({ account, exchange, symbol }: Stage): Promise<Prices> {
  const { bid, ask } = await account.bestPrices(symbol);
  const onTick = (price: number) => Number(exchange.priceToPrecision(symbol, price));
  return { below: onTick(bid * 0.93), above: onTick(ask * 1.07) };
}
