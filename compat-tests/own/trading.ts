/** Our checks of orders: their immediate result, a read right after, and refusals. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OwnCheck } from '#compat/own-check.ts';
import { balanceOf, known, positionSizeOf, RESTING_DISTANCE, type Stage } from '#compat/stage.ts';
import { assertOrder, numberOf } from '#compat/structures.ts';

type Side = 'buy' | 'sell';

export const TRADING_CHECKS: readonly OwnCheck[] = [
  {
    method: 'createOrder',
    description: 'a limit order away from the market rests on either side, and its price is rounded to the tick',
    run: async (stage) => {
      for (const side of ['buy', 'sell'] as const) await assertRests(stage, await unavailable(stage, side));
    },
  },
  {
    method: 'createOrder',
    description: 'a limit order through the market is filled at once, and a reduce-only market order closes it',
    run: async (stage) => {
      const { account, exchange, symbol, amount } = stage;
      for (const side of ['buy', 'sell'] as const) {
        const { bid, ask } = await account.bestPrices(symbol);
        // Selling on top of the stage's position reduces it, so the opposite order is not reduce-only.
        const reduceOnly = side === 'buy';
        await assertFilled(
          stage,
          await exchange.createOrder(
            symbol,
            'limit',
            side,
            amount,
            side === 'buy' ? ask * RESTING_DISTANCE : bid / RESTING_DISTANCE,
          ),
        );
        await assertFilled(stage, await exchange.createOrder(symbol, 'market', opposite(side), amount, bid, { reduceOnly }));
      }
    },
  },
  {
    method: 'createOrder',
    description:
      'the same key and order again is the same order; the same client order id is DuplicateOrderId, and free after a refusal',
    run: async ({ exchange, symbol, amount, resting: { price } }) => {
      const clientOrderId = `compat-${randomUUID()}`;
      const params = { clientOrderId, idempotencyKey: randomUUID() };
      const place = (at: number, with_: object) => exchange.createOrder(symbol, 'limit', 'buy', amount, at, with_);
      await assert.rejects(place(price * 2, { clientOrderId }), { name: 'InvalidOrder' });
      const first = known(await place(price, params));
      const again = await place(price, params);
      await exchange.cancelOrder(first.id, symbol);
      assert.equal(again.id, first.id);
      assert.equal(first.clientOrderId, clientOrderId);
      await assert.rejects(place(price * 0.99, params), { name: 'DuplicateOrderId' });
      await assert.rejects(place(price, { clientOrderId }), { name: 'DuplicateOrderId' });
    },
  },
  {
    method: 'createOrder',
    description: 'less leverage reserves more',
    run: async (stage) => {
      const { exchange, symbol, amount, resting } = stage;
      const reservedAt = async (leverage: number) => {
        const before = await balanceOf(stage);
        const { id } = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, resting.price, { leverage }));
        const during = await balanceOf(stage);
        await exchange.cancelOrder(id, symbol);
        return during.used - before.used;
      };
      const [little, much, cost] = [await reservedAt(10), await reservedAt(2), resting.price * amount];
      assert(little >= cost / 10 && much >= cost / 2 && much < cost, `${little} at 10x and ${much} at 2x for ${cost}`);
    },
  },
  {
    method: 'createOrder',
    description: 'an order for more than the account has is InsufficientFunds',
    lacking: async (stage) => {
      const free = Number((await stage.account.read('')).availableForOrders);
      const most = stage.market.maxAmount * stage.resting.price;
      return free < most ? undefined : `the account has ${free}, and the largest order costs ${most}: it can pay for it`;
    },
    run: async (stage) => {
      const { exchange, symbol, market, resting } = stage;
      const { free } = await balanceOf(stage);
      const tooMuch = Math.min((free * 1.5) / resting.price, market.maxAmount);
      await assert.rejects(exchange.createOrder(symbol, 'limit', 'buy', tooMuch, resting.price, { leverage: 1 }), {
        name: 'InsufficientFunds',
      });
    },
  },
  {
    method: 'createOrder',
    description: 'invalid input throws its own error: a price or an amount out of bounds, a wrong symbol, a time in force',
    run: async (stage) => {
      const { exchange, symbol, amount, market } = stage;
      const { price } = stage.resting;
      const place = (quantity: number, at: number, params = {}) =>
        exchange.createOrder(symbol, 'limit', 'buy', quantity, at, params);
      await assert.rejects(place(amount, price * 2), { name: 'InvalidOrder' });
      await assert.rejects(place(market.maxAmount * 2, price), { name: 'InvalidOrder' });
      await assert.rejects(place(amount, price, { leverage: 9_999 }), { name: 'InvalidOrder' });
      await assert.rejects(place(amount, price, { leverage: 0.5 }), { name: 'BadRequest' });
      // /v2 reports it as unsupported.
      const unknown = stage.surface === 'v2' ? 'NotSupported' : 'BadRequest';
      await assert.rejects(place(amount, price, { noSuchParameter: 1 }), { name: unknown });
      await assert.rejects(place(amount, price, { timeInForce: 'DAY' }), { name: 'NotSupported' });
      await assert.rejects(exchange.createOrder('NONE/NONE:NONE', 'limit', 'buy', amount, price), { name: 'BadSymbol' });
    },
  },
  ...wrappers(),
  {
    method: 'createPostOnlyOrder',
    description: 'rests, and throws OrderImmediatelyFillable if it would trade',
    run: async (stage) => {
      const { account, exchange, symbol, amount, resting } = stage;
      const order = await exchange.createPostOnlyOrder(symbol, 'limit', 'buy', amount, resting.price);
      assert.deepEqual([order.postOnly, order.timeInForce], [true, 'PO']);
      await assertRests(stage, order);
      const { ask } = await account.bestPrices(symbol);
      await assert.rejects(exchange.createPostOnlyOrder(symbol, 'limit', 'buy', amount, ask * 1.01), {
        name: 'OrderImmediatelyFillable',
      });
    },
  },
  {
    method: 'createReduceOnlyOrder',
    description: 'makes a position smaller, never larger',
    run: async (stage) => {
      const { exchange, symbol, amount } = stage;
      await assert.rejects(exchange.createReduceOnlyOrder(symbol, 'market', 'buy', amount), { name: 'InvalidOrder' });
      const order = await exchange.createReduceOnlyOrder(symbol, 'market', 'sell', amount);
      assert.equal(order.reduceOnly, true);
      await assertFilled(stage, order);
      assert.equal(await positionSizeOf(stage), 0);
      await exchange.createOrder(symbol, 'market', 'buy', amount);
    },
  },
  {
    method: 'cancelOrder',
    description: 'cancels an open order, and repeats the same result; a filled or unknown one throws OrderNotFound',
    run: async (stage) => {
      const { exchange, symbol, filled } = stage;
      const { id } = await unavailable(stage, 'sell');
      const cancelled = assertOrder(await exchange.cancelOrder(id, symbol), stage);
      assert.deepEqual([cancelled.id, cancelled.status], [id, 'canceled']);
      assert.equal((await exchange.fetchOrder(id, symbol)).status, 'canceled');
      assert.deepEqual(await exchange.cancelOrder(id, symbol), cancelled, 'a repeated cancel returns another result');
      for (const gone of [filled.id, '999999999999'])
        await assert.rejects(exchange.cancelOrder(gone, symbol), { name: 'OrderNotFound' });
    },
  },
  {
    method: 'createOrders',
    description: 'each order is placed or rejected separately, in order',
    run: async (stage) => {
      const { exchange, symbol, amount, resting } = stage;
      const order = { symbol, type: 'limit' as const, side: 'buy' as const, amount, price: resting.price };
      const { price } = resting;
      const [first, second, third, ...more] = await exchange.createOrders([
        order,
        { ...order, price: price * 2 },
        { ...order, params: { clientOrderId: `compat-${randomUUID()}` } },
      ]);
      assert.equal(more.length, 0);
      assert.deepEqual([second?.status, Object(second?.info).code], ['rejected', 'price_out_of_band']);
      for (const placed of [first, third]) await assertRests(stage, placed);
      await assert.rejects(exchange.createOrders([{ ...order, type: 'market' }]), { name: 'NotSupported' });
      await assert.rejects(exchange.createOrders(Array.from({ length: 33 }, () => order)), { name: 'BadRequest' });
    },
  },
  {
    method: 'cancelOrders',
    description: 'cancels each open order, and returns the status of the others',
    run: async (stage) => {
      const { exchange, symbol, filled } = stage;
      const first = await unavailable(stage, 'buy');
      const cancelled = await exchange.cancelOrders([first.id, filled.id, '999999999999'], symbol);
      const outcomes = cancelled.map(({ id, status, info }) => [id, status, Object(info).accepted]);
      assert.deepEqual(outcomes, [
        [first.id, 'canceled', true],
        [filled.id, 'closed', false],
        ['999999999999', undefined, false],
      ]);
      assertOrder(cancelled[0], stage);
    },
  },
  {
    method: 'cancelOrdersWithClientOrderIds',
    description: 'cancels the open orders of those references',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const { id, clientOrderId } = await unavailable(stage, 'sell');
      const [cancelled] = await exchange.cancelOrdersWithClientOrderIds([clientOrderId], symbol);
      assert.deepEqual([cancelled?.id, cancelled?.status], [id, 'canceled']);
    },
  },
  {
    method: 'cancelAllOrders',
    description: 'cancels the open orders of one market only, and no order when repeated',
    run: async ({ account, exchange, symbol, funded: elsewhere, resting }) => {
      assert.deepEqual(await account.openOrders(elsewhere), [], 'another program has placed orders of the account');
      const { bid } = await account.bestPrices(elsewhere);
      const amount = (100 / bid) * 1.5;
      const order = { symbol: elsewhere, type: 'limit' as const, side: 'buy' as const, amount, price: bid / RESTING_DISTANCE };
      const placed = await exchange.createOrders([order, order, order]);
      const cancelled = await exchange.cancelAllOrders(elsewhere);
      assert.deepEqual(
        cancelled.map(({ id, status }) => [id, status]),
        placed.map(({ id }) => [id, 'canceled']),
      );
      assert.deepEqual(await exchange.cancelAllOrders(elsewhere), []);
      assert.deepEqual(await account.openOrders(elsewhere), []);
      assert.equal((await exchange.fetchOrder(resting.id, symbol)).status, 'open');
    },
  },
  {
    method: 'cancelOrderWithClientOrderId',
    description: 'cancels the open order of that reference',
    run: async ({ exchange, symbol, amount, resting }) => {
      const clientOrderId = `compat-${randomUUID()}`;
      const { id } = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, resting.price, { clientOrderId }));
      const cancelled = await exchange.cancelOrderWithClientOrderId(clientOrderId, symbol);
      assert.deepEqual([cancelled.id, cancelled.status], [id, 'canceled']);
      await assert.rejects(exchange.cancelOrderWithClientOrderId('unknown', symbol), { name: 'OrderNotFound' });
    },
  },
];

/** The methods that are createOrder with fixed arguments; each buys or sells, and each position is closed. */
function wrappers(): readonly OwnCheck[] {
  const resting = (method: 'createLimitOrder' | 'createLimitBuyOrder' | 'createLimitSellOrder'): OwnCheck => ({
    method,
    description: 'rests',
    run: async (stage) => {
      const { account, exchange, symbol, amount } = stage;
      const { bid, ask } = await account.bestPrices(symbol);
      if (method === 'createLimitOrder')
        await assertRests(stage, await exchange.createLimitOrder(symbol, 'buy', amount, bid / RESTING_DISTANCE));
      else if (method === 'createLimitBuyOrder')
        await assertRests(stage, await exchange.createLimitBuyOrder(symbol, amount, bid / RESTING_DISTANCE));
      else await assertRests(stage, await exchange.createLimitSellOrder(symbol, amount, ask * RESTING_DISTANCE));
    },
  });
  const filled = (method: string, side: Side, place: (stage: Stage) => Promise<unknown>): OwnCheck => ({
    method,
    description: 'is filled at once',
    run: async (stage) => {
      const fields = await assertFilled(stage, await place(stage));
      assert.equal(fields.side, side);
      if (method.endsWith('WithCost')) assertSpent(fields, stage);
      await stage.exchange.createOrder(stage.symbol, 'market', opposite(side), numberOf(fields, 'filled'));
    },
  });
  const cost = ({ amount, resting: { price } }: Stage) => amount * price;
  return [
    resting('createLimitOrder'),
    resting('createLimitBuyOrder'),
    resting('createLimitSellOrder'),
    filled('createMarketOrder', 'buy', ({ exchange, symbol, amount }) => exchange.createMarketOrder(symbol, 'buy', amount)),
    filled('createMarketBuyOrder', 'buy', ({ exchange, symbol, amount }) => exchange.createMarketBuyOrder(symbol, amount)),
    filled('createMarketSellOrder', 'sell', ({ exchange, symbol, amount }) => exchange.createMarketSellOrder(symbol, amount)),
    filled('createMarketOrderWithCost', 'buy', (stage) =>
      stage.exchange.createMarketOrderWithCost(stage.symbol, 'buy', cost(stage)),
    ),
    filled('createMarketBuyOrderWithCost', 'buy', (stage) =>
      stage.exchange.createMarketBuyOrderWithCost(stage.symbol, cost(stage)),
    ),
    filled('createMarketSellOrderWithCost', 'sell', (stage) =>
      stage.exchange.createMarketSellOrderWithCost(stage.symbol, cost(stage)),
    ),
  ];
}

/** An order by cost spends the cost, up to less than one more lot. */
function assertSpent(order: Record<string, unknown>, { amount, resting, market }: Stage): void {
  const given = amount * resting.price;
  const spent = numberOf(order, 'cost');
  const lot = numberOf(order, 'average') * market.lot;
  assert(spent <= given && spent > given - lot * 1.01, `spent ${spent} of ${given}, where a lot costs ${lot}`);
}

async function unavailable({ account, exchange, symbol, amount }: Stage, side: Side) {
  const { bid, ask } = await account.bestPrices(symbol);
  return known(
    await exchange.createOrder(symbol, 'limit', side, amount, side === 'buy' ? bid / RESTING_DISTANCE : ask * RESTING_DISTANCE),
  );
}

/** The result of the call, a read, and gone once cancelled. */
async function assertRests(stage: Stage, created: unknown): Promise<void> {
  const { exchange, symbol } = stage;
  const { tick } = stage.market;
  const { id, price } = assertOrder(created, stage) as { id: string; price: number };
  assert(Math.abs(price / tick - Math.round(price / tick)) < 1e-6, `a price of ${price} is off the tick ${tick}`);
  for (const order of [created, await exchange.fetchOrder(id, symbol)]) {
    const fields = assertOrder(order, stage);
    assert.deepEqual([fields.status, fields.filled], ['open', 0]);
  }
  assert.equal((await exchange.cancelOrder(id, symbol)).status, 'canceled');
}

async function assertFilled(stage: Stage, created: unknown): Promise<Record<string, unknown>> {
  const fields = assertOrder(created, stage);
  for (const order of [created, await stage.exchange.fetchOrder(fields.id as string, stage.symbol)])
    assert.equal(assertOrder(order, stage).status, 'closed');
  return fields;
}

function opposite(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}
