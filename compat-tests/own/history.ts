/** Our checks of past data: closed positions, transfers, and other properties of an account. */
import assert from 'node:assert/strict';
import { NotSupported, PermissionDenied } from 'ccxt';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { assertAscending, assertDistinct, assertOrder, assertTime, fieldsOf, numberOf, positive } from '#compat/structures.ts';

export const HISTORY_CHECKS: readonly OwnCheck[] = [
  {
    method: 'fetchPositionsForSymbol',
    description: 'the open position of that market, or an empty list',
    run: async ({ exchange, symbol, funded }) => {
      const [position, ...others] = await exchange.fetchPositionsForSymbol(symbol);
      assert.deepEqual([position?.symbol, others.length], [symbol, 0]);
      assert.deepEqual(await exchange.fetchPositionsForSymbol(funded), []);
    },
  },
  {
    method: 'fetchPositionsHistory',
    description: 'a position that was opened and closed, with its result; of all markets or of the requested ones',
    run: async (stage) => {
      const closed = await openAndClose(stage);
      const { exchange, funded, symbol } = stage;
      for (const symbols of [undefined, [], [funded], [symbol, funded]]) {
        const positions = await exchange.fetchPositionsHistory(symbols);
        assertAscending(positions);
        assertDistinct(positions);
        const found = positions.at(-1);
        assertClosed(found, closed, stage);
      }
      assert.equal((await exchange.fetchPositionsHistory([funded], undefined, 1)).length, 1);
      assert.deepEqual(await exchange.fetchPositionsHistory([funded], Date.now() + 60_000), []);
    },
  },
  {
    method: 'fetchPositionHistory',
    description: 'the closed positions of one market',
    run: async (stage) => {
      const closed = await openAndClose(stage);
      assertClosed((await stage.exchange.fetchPositionHistory(stage.funded)).at(-1), closed, stage);
    },
  },
  {
    method: 'fetchPositionsADLRank',
    description: 'a rank from 1 to 5 for each open position',
    run: async ({ exchange, symbol, funded }) => {
      for (const symbols of [undefined, [symbol]]) {
        const ranks = await exchange.fetchPositionsADLRank(symbols);
        const [rank] = ranks.filter((it) => it.symbol === symbol);
        const place = numberOf(fieldsOf(rank, 'rating', 'percentage'), 'rank');
        assert(place >= 1 && place <= 5, `a rank of ${place}`);
      }
      assert.deepEqual(await exchange.fetchPositionsADLRank([funded]), []);
    },
  },
  {
    method: 'fetchPositionADLRank',
    description: 'that of one market',
    run: async ({ exchange, symbol }) => assert.equal((await exchange.fetchPositionADLRank(symbol)).symbol, symbol),
  },
  {
    method: 'fetchMarginMode',
    description: 'isolated, as the account says',
    run: async ({ exchange, symbol }) => {
      const { marginMode, symbol: reported } = fieldsOf(await exchange.fetchMarginMode(symbol));
      assert.deepEqual({ marginMode, reported }, { marginMode: 'isolated', reported: symbol });
    },
  },
  {
    method: 'fetchCanceledAndClosedOrders',
    description: 'filled and cancelled orders, in order, and no open ones',
    run: async (stage) => {
      const { exchange, symbol, filled, cancelled, startedAt } = stage;
      const orders = await exchange.fetchCanceledAndClosedOrders(symbol);
      for (const order of orders) assert.notEqual(assertOrder(order, stage).status, 'open');
      assertAscending(orders);
      assertDistinct(orders);
      for (const { id } of [filled, cancelled])
        assert(
          orders.some((order) => order.id === id),
          `order ${id} is missing`,
        );
      const first = await exchange.fetchCanceledAndClosedOrders(symbol, startedAt, 1);
      assert.deepEqual(
        first.map(({ id }) => id),
        [cancelled.id],
      );
    },
  },
  {
    method: 'fetchDeposits',
    description: 'the deposits of the account, and no deposit since a future time',
    run: async (stage) => {
      const { exchange, settle } = stage;
      const deposits = await exchange.fetchDeposits(settle);
      assert(deposits.length > 0, 'no deposit');
      for (const deposit of deposits) assert.equal(assertTransaction(deposit, stage).type, 'deposit');
      assert.deepEqual(await exchange.fetchDeposits(settle, Date.now() + 60_000), []);
      assert.deepEqual(await exchange.fetchDeposits(stage.market.base), [], 'deposits of another currency');
    },
  },
  {
    method: 'fetchWithdrawals',
    description: 'withdrawals, and no deposit among them',
    run: async (stage) => {
      const withdrawals = await stage.exchange.fetchWithdrawals();
      assert(withdrawals.length > 0, 'no withdrawal');
      for (const it of withdrawals) assert.equal(assertTransaction(it, stage).type, 'withdrawal');
    },
  },
  {
    method: 'withdraw',
    description: 'refused for a key, with what to do instead; nothing is reserved',
    on: 'class',
    run: async ({ exchange, settle }) => {
      const before = await exchange.fetchWithdrawals();
      const error = await exchange.withdraw(settle, 1, 'a-party').then(
        () => assert.fail('a key withdrew money'),
        (reason: unknown) => reason,
      );
      // An earlier release of the venue has no such operation.
      if (!(error instanceof NotSupported)) {
        assert(error instanceof PermissionDenied, String(error));
        assert.match(error.message, /passkey_required.*\/app/s);
      }
      assert.deepEqual(await exchange.fetchWithdrawals(), before);
    },
  },
  { method: 'fetchDepositsWithdrawals', description: 'both', run: (stage) => assertBoth(stage, 'fetchDepositsWithdrawals') },
  { method: 'fetchTransactions', description: 'both, by its older name', run: (stage) => assertBoth(stage, 'fetchTransactions') },
];

async function assertBoth(stage: Stage, method: 'fetchDepositsWithdrawals' | 'fetchTransactions'): Promise<void> {
  const { exchange } = stage;
  const both = await exchange[method]();
  for (const transaction of both) assertTransaction(transaction, stage);
  assertAscending(both);
  assertDistinct(both);
  const apart = [...(await exchange.fetchDeposits()), ...(await exchange.fetchWithdrawals())].map(({ id }) => id);
  assert.deepEqual(both.map(({ id }) => id).sort(), apart.sort());
}

function assertTransaction(transaction: unknown, stage: Stage): Record<string, unknown> {
  const fields = fieldsOf(transaction, 'txid', 'address', 'addressTo', 'addressFrom', 'tag', 'network', 'updated', 'internal');
  assert(typeof fields.id === 'string' && fields.id !== '', 'id is not a string');
  assertTime(fields, stage);
  positive(fields, 'amount');
  assert.equal(fields.currency, stage.settle);
  assert(['ok', 'pending', 'canceled'].includes(fields.status as string), `status ${String(fields.status)}`);
  assert.deepEqual(fields.fee, { cost: 0, currency: stage.settle });
  return fields;
}

interface ClosedTrade {
  readonly amount: number;
  readonly entry: number;
  readonly exit: number;
}

/** In a market where the account has no position. */
async function openAndClose({ account, funded }: Stage): Promise<ClosedTrade> {
  const { ask } = await account.bestPrices(funded);
  const amount = account.quantity(funded, 200 / ask);
  const opened = await account.place({ symbol: funded, side: 'buy', quantity: amount });
  const closed = await account.closePosition(funded);
  return { amount, entry: Number(opened.averagePrice), exit: Number(closed?.averagePrice) };
}

function assertClosed(position: unknown, { amount, entry, exit }: ClosedTrade, stage: Stage): void {
  const fields = fieldsOf(position, 'notional', 'collateral', 'unrealizedPnl', 'liquidationPrice', 'marginRatio');
  assert.deepEqual([fields.symbol, fields.side, fields.contracts], [stage.funded, 'long', amount]);
  assertTime(fields, stage);
  assert(Math.abs(numberOf(fields, 'entryPrice') / entry - 1) < 1e-3, `entered at ${String(fields.entryPrice)}, not ${entry}`);
  assert(Math.abs(numberOf(fields, 'lastPrice') / exit - 1) < 1e-3, `left at ${String(fields.lastPrice)}, not ${exit}`);
  const pnl = numberOf(fields, 'realizedPnl');
  assert(Math.abs(pnl - (exit - entry) * amount) < 1e-3, `a pnl of ${pnl} from ${entry} to ${exit} on ${amount}`);
  for (const key of ['unrealizedPnl', 'liquidationPrice', 'notional', 'collateral', 'marginRatio'])
    assert.equal(fields[key], undefined, `a closed position has ${key}`);
}
