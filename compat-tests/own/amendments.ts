/** Our checks of amendments of open orders, and of the timer that cancels them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import type { OwnCheck } from '#compat/own-check.ts';
import { type KnownOrder, known, type Stage } from '#compat/stage.ts';
import { assertOrder } from '#compat/structures.ts';

export const AMENDMENT_CHECKS: readonly OwnCheck[] = [
  {
    method: 'editOrder',
    description: 'changes amount and price of the same order; an order that has ended or does not exist is OrderNotFound',
    run: async (stage) => {
      const { exchange, symbol, amount, filled } = stage;
      const order = await resting(stage);
      const { id } = order;
      const { info, ...smaller } = await exchange.editOrder(id, symbol, 'limit', 'buy', amount);
      assert.deepEqual([smaller.id, smaller.amount, smaller.price, info.keepsPriority], [id, amount, order.price, true]);
      const price = order.price * 0.99;
      const moved = await exchange.editOrder(id, symbol, 'limit', 'buy', amount * 2, price);
      await assertReads(stage, id, amount * 2, Number(moved.price));
      assert(Math.abs(Number(moved.price) - price) <= stage.market.tick, `moved to ${moved.price} instead of ${price}`);
      await exchange.cancelOrder(id, symbol);
      for (const gone of [id, filled.id, '999999999999'])
        await assert.rejects(exchange.editOrder(gone, symbol, 'limit', 'buy', amount), { name: 'OrderNotFound' });
    },
  },
  {
    method: 'editOrderWithClientOrderId',
    description: 'changes the order of that reference',
    run: async (stage) => {
      const { exchange, symbol, amount } = stage;
      const { id, clientOrderId, price } = await resting(stage);
      const edited = await exchange.editOrderWithClientOrderId(clientOrderId, symbol, 'limit', 'buy', amount);
      assert.deepEqual([edited.id, edited.clientOrderId, edited.amount], [id, clientOrderId, amount]);
      await assertReads(stage, id, amount, price);
      await exchange.cancelOrder(id, symbol);
    },
  },
  {
    method: 'editOrders',
    description: 'each order is changed or refused separately, in order',
    run: async (stage) => {
      const { exchange, symbol, amount, filled } = stage;
      const { id, price } = await resting(stage);
      const change = { symbol, type: 'limit', side: 'buy', amount };
      const edits = [
        { ...change, id: filled.id },
        { ...change, id },
      ] as never[];
      const results = await exchange.editOrders(edits);
      assert.deepEqual(
        results.map((order) => [order.id, order.amount, Object(order.info).accepted, Object(order.info).code]),
        [
          [filled.id, undefined, false, 'order_not_open'],
          [id, amount, true, undefined],
        ],
      );
      await assertReads(stage, id, amount, price);
      await exchange.cancelOrder(id, symbol);
    },
  },
  {
    method: 'cancelAllOrdersAfter',
    description: 'sets a timer of one market by the clock of the venue, and turns it off before it runs out',
    run: async ({ account, exchange, symbol }) => {
      const timer = Object(await exchange.cancelAllOrdersAfter(60_000, { symbol }));
      assert.equal(timer.cancelsAtEpochMs - timer.setAtEpochMs, 60_000);
      const timers = async () => (await account.read('/cancel-all-after')).timers;
      const { marketId, cancelsAtEpochMs } = timer;
      assert.deepEqual(await timers(), [{ marketId, cancelsAtEpochMs }]);
      await exchange.cancelAllOrdersAfter(0, { symbol });
      assert.deepEqual(await timers(), []);
      await assert.rejects(exchange.cancelAllOrdersAfter(1, { symbol }), { name: 'BadRequest' });
    },
  },
];

async function resting({ exchange, symbol, amount, resting: { price } }: Stage): Promise<KnownOrder> {
  const clientOrderId = `compat-${randomUUID()}`;
  return known(await exchange.createOrder(symbol, 'limit', 'buy', amount * 2, price, { clientOrderId }));
}

async function assertReads(stage: Stage, id: string, amount: number, price: number): Promise<void> {
  const order = assertOrder(await stage.exchange.fetchOrder(id, stage.symbol), stage);
  assert.deepEqual([order.status, order.amount, order.price], ['open', amount, price]);
}
