/** Our checks of an account's own reads. */
import assert from 'node:assert/strict';
import { assertSum } from '#compat/decimals.ts';
import type { OwnCheck } from '#compat/own-check.ts';
import { balanceOf, known, type Stage } from '#compat/stage.ts';
import {
  assertAscending,
  assertDistinct,
  assertOrder,
  assertSumOfFills,
  assertTime,
  assertTrade,
  fieldsOf,
  numberOf,
  positive,
} from '#compat/structures.ts';

const POSITION_KEYS = [
  'liquidationPrice',
  'initialMargin',
  'initialMarginPercentage',
  'maintenanceMargin',
  'maintenanceMarginPercentage',
  'marginRatio',
  'hedged',
];

export const ACCOUNT_CHECKS: readonly OwnCheck[] = [
  {
    method: 'fetchBalance',
    description: 'free + used = total to the last decimal, with something in use',
    run: async (stage) => {
      const { exchange, amount, symbol } = stage;
      const before = await balanceOf(stage);
      assert(before.used > 0 && before.free > 0, 'no margin in use');
      const lowest = exchange.market(symbol).limits.price?.min ?? 0;
      const { id } = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, lowest * 2));
      const during = await balanceOf(stage);
      await exchange.cancelOrder(id, symbol);
      assert.equal(during.total, before.total, 'an order that rests changes the total');
      assert(during.used > before.used, 'a resting order uses no margin');
    },
  },
  {
    method: 'fetchBalance',
    description: 'an unknown API key throws AuthenticationError',
    run: async ({ another }) => {
      await assert.rejects(another({ apiKey: 'opk_unknown_0000' }).fetchBalance(), { name: 'AuthenticationError' });
      await assert.rejects(another({ apiKey: undefined }).fetchBalance(), { name: 'AuthenticationError' });
    },
  },
  {
    method: 'fetchAccounts',
    description: 'returns the account of the key without configuration',
    run: async ({ exchange, another }) => {
      const [account, ...others] = await exchange.fetchAccounts();
      assert.equal(others.length, 0);
      assert.equal(account?.id, exchange.accountId);
      const sameAccount = another({ accountId: account?.id });
      assert.deepEqual((await sameAccount.fetchBalance()).total, (await exchange.fetchBalance()).total);
    },
  },
  {
    method: 'fetchPositions',
    description: 'the open position with its exact risk, also by symbol, or by an empty list',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const before = Date.now();
      for (const symbols of [undefined, [symbol], []]) {
        const positions = await exchange.fetchPositions(symbols);
        const here = positions.filter((position) => position.symbol === symbol);
        assert.equal(here.length, 1, `${here.length} positions for ${JSON.stringify(symbols)}`);
        assertLong(here[0], stage, before);
      }
      for (const other of exchange.symbols.filter((it) => it !== symbol))
        for (const position of await exchange.fetchPositions([other])) assert.equal(position.symbol, other, 'not requested');
    },
  },
  {
    method: 'fetchPosition',
    description: 'the open position, or a flat one if the account has no open position',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      assertLong(await exchange.fetchPosition(symbol), stage, Date.now());
      const symbols = (await exchange.fetchPositions()).map((position) => position.symbol);
      const free = exchange.symbols.find((other) => !symbols.includes(other));
      assert(free !== undefined, 'the account holds a position in every market');
      const { contracts, side } = await exchange.fetchPosition(free);
      assert.deepEqual({ contracts, side }, { contracts: 0, side: undefined });
    },
  },
  {
    method: 'fetchOrder',
    description: 'each order with its status; an unknown one throws OrderNotFound',
    run: async (stage) => {
      const { exchange, symbol, resting, filled, cancelled } = stage;
      for (const [order, status] of [
        [resting, 'open'],
        [filled, 'closed'],
        [cancelled, 'canceled'],
      ] as const) {
        const fields = assertOrder(await exchange.fetchOrder(order.id, symbol), stage);
        assert.deepEqual([fields.id, fields.status], [order.id, status]);
      }
      for (const id of ['999999999999', 'no-such-order'])
        await assert.rejects(exchange.fetchOrder(id, symbol), { name: 'OrderNotFound' });
    },
  },
  {
    method: 'fetchOrderWithClientOrderId',
    description: 'the order of that reference; an unknown one throws OrderNotFound',
    run: async ({ exchange, symbol, filled }) => {
      const { id } = await exchange.fetchOrderWithClientOrderId(filled.clientOrderId, symbol);
      assert.equal(id, filled.id);
      await assert.rejects(exchange.fetchOrderWithClientOrderId('no-such-reference', symbol), { name: 'OrderNotFound' });
    },
  },
  {
    method: 'fetchOrders',
    description: 'orders of every status, of one market or of all, since a time and up to a limit',
    run: async (stage) => {
      const { exchange, symbol, resting, filled, cancelled, startedAt } = stage;
      const orders = await exchange.fetchOrders(symbol);
      assertList(orders, stage);
      const ids = orders.map(({ id }) => id);
      for (const { id } of [resting, filled, cancelled]) assert(ids.includes(id), `order ${id} is missing`);
      assert((await exchange.fetchOrders()).length >= orders.length, 'fewer orders of all markets than of one');
      assert.equal((await exchange.fetchOrders(symbol, startedAt, 1))[0]?.timestamp, startedAt);
      assert.equal((await exchange.fetchOrders(symbol, undefined, 2)).length, 2);
      assert.deepEqual(await exchange.fetchOrders(symbol, Date.now() + 60_000), []);
    },
  },
  {
    method: 'fetchOpenOrders',
    description: 'only the open ones',
    run: (stage) => assertOnly(stage, 'fetchOpenOrders', 'open', stage.resting.id),
  },
  {
    method: 'fetchClosedOrders',
    description: 'only the filled ones',
    run: (stage) => assertOnly(stage, 'fetchClosedOrders', 'closed', stage.filled.id),
  },
  {
    method: 'fetchCanceledOrders',
    description: 'only the cancelled ones',
    run: (stage) => assertOnly(stage, 'fetchCanceledOrders', 'canceled', stage.cancelled.id),
  },
  {
    method: 'fetchMyTrades',
    description: 'fills with their order and fee, in order, without duplicates',
    run: async (stage) => {
      const { exchange, symbol, filled, startedAt } = stage;
      const trades = await exchange.fetchMyTrades(symbol);
      for (const trade of trades) assertTrade(trade, stage, { own: true });
      assertAscending(trades);
      assertDistinct(trades);
      const ofFilled = trades.filter(({ order }) => order === filled.id);
      assertSumOfFills(await exchange.fetchOrder(filled.id, symbol), ofFilled);
      assert((await exchange.fetchMyTrades()).length >= trades.length, 'fewer fills of all markets than of one');
      assert(
        (await exchange.fetchMyTrades(symbol, startedAt)).every(({ timestamp }) => (timestamp as number) >= startedAt),
        'a fill before since',
      );
      assert.equal((await exchange.fetchMyTrades(symbol, undefined, 1)).length, 1);
    },
  },
  {
    method: 'fetchOrderTrades',
    description: 'the fills of one order add up to it',
    run: async (stage) => {
      const { exchange, symbol, filled } = stage;
      const trades = await exchange.fetchOrderTrades(filled.id, symbol);
      for (const trade of trades) assert.equal(assertTrade(trade, stage, { own: true }).order, filled.id);
      assertSumOfFills(filled, trades);
    },
  },
];

type Lists = 'fetchOpenOrders' | 'fetchClosedOrders' | 'fetchCanceledOrders';

async function assertOnly(stage: Stage, method: Lists, status: string, expectedId: string): Promise<void> {
  const orders = await stage.exchange[method](stage.symbol);
  assertList(orders, stage);
  assert(
    orders.every((order) => order.status === status),
    `an order that is not ${status}`,
  );
  assert(
    orders.some(({ id }) => id === expectedId),
    `order ${expectedId} is missing`,
  );
  assert.equal((await stage.exchange[method](stage.symbol, stage.startedAt, 1)).length, 1);
}

function assertList(orders: readonly object[], stage: Stage): void {
  assert(orders.length > 0, 'no order');
  for (const order of orders) assertOrder(order, stage);
  assertAscending(orders);
  assertDistinct(orders);
}

/** The position of the stage: bought, and half of it sold again. */
function assertLong(position: unknown, stage: Stage, asOf: number): void {
  const fields = fieldsOf(position, ...POSITION_KEYS);
  assert.equal(fields.symbol, stage.symbol);
  assertTime(fields, stage, asOf);
  assert.deepEqual([fields.side, fields.marginMode, fields.hedged, fields.contractSize], ['long', 'isolated', false, 1]);
  assert.equal(fields.contracts, stage.amount);
  positive(
    fields,
    'entryPrice',
    'markPrice',
    'notional',
    'leverage',
    'collateral',
    'initialMargin',
    'maintenanceMargin',
    'marginRatio',
  );
  const [size, entry, mark] = [numberOf(fields, 'contracts'), numberOf(fields, 'entryPrice'), numberOf(fields, 'markPrice')];
  const [pnl, margin] = [numberOf(fields, 'unrealizedPnl'), numberOf(fields, 'initialMargin')];
  assert(Math.abs(pnl - (mark - entry) * size) < 1e-5, `a pnl of ${pnl} from ${entry} to ${mark} on ${size}`);
  assertSum(margin, pnl, numberOf(fields, 'collateral'), 'margin + pnl = collateral');
  assert(Math.abs(numberOf(fields, 'percentage') - (pnl / margin) * 100) < 1e-9, 'percentage is not pnl over margin');
  assert(numberOf(fields, 'leverage') <= 200 && numberOf(fields, 'marginRatio') < 1, 'a position that is already lost');
}
