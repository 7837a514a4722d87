/** Our checks of methods that trading bots call and that the class combines from others, or answers without a request. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import type { Stage } from '#compat/stage.ts';
import { assertCandles } from './candles.ts';

const HOUR = 3_600_000;

export const BOT_CHECKS: readonly OwnCheck[] = [
  {
    method: 'setPositionMode',
    description: 'takes one-way positions, and no others',
    run: async ({ exchange, symbol }) => {
      assert.equal(Object(await exchange.setPositionMode(false, symbol)).hedged, false);
      await assert.rejects(exchange.setPositionMode(true, symbol), { name: 'NotSupported' });
    },
  },
  {
    method: 'fetchPositionMode',
    description: 'positions are one-way',
    run: async ({ exchange, symbol }) => {
      const { symbol: of, hedged } = Object(await exchange.fetchPositionMode(symbol));
      assert.deepEqual([of, hedged], [symbol, false]);
    },
  },
  {
    method: 'fetchMarkOHLCV',
    description: 'candles of the mark price, without a volume',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const candles = await exchange.fetchMarkOHLCV(symbol, '1h', undefined, 5);
      assertCandles(candles, HOUR, stage);
      for (const [, , , , , volume] of candles) assert.equal(volume, 0);
      const { markPrice } = Object((await exchange.fetchTicker(symbol)).info);
      const [, , , , close = 0] = candles.at(-1)!;
      assert(Math.abs(Number(markPrice) / Number(close) - 1) < 0.02, `a last mark candle of ${close} at a mark of ${markPrice}`);
    },
  },
  {
    method: 'fetchOpenInterestHistory',
    description: 'its last entry is the open interest; entries start on the timeframe, oldest first',
    run: async ({ exchange, symbol }) => {
      const history = await exchange.fetchOpenInterestHistory(symbol, '5m');
      const starts = history.map(({ timestamp }) => Number(timestamp));
      assert(starts.length > 0, 'no entry');
      for (const start of starts) assert.equal(start % 300_000, 0, `an entry at ${start}`);
      assert.deepEqual(
        starts,
        [...new Set(starts)].sort((a, b) => a - b),
      );
      for (const entry of history) {
        const { openInterestAmount: amount = -1, openInterestValue: value = -1, symbol: of } = entry;
        assert.equal(of, symbol);
        assert(amount >= 0 && value >= 0, `an open interest of ${amount}, worth ${value}`);
      }
      await assert.rejects(exchange.fetchOpenInterestHistory(symbol, '1m'), { name: 'NotSupported' });
    },
  },
  {
    method: 'fetchLedger',
    description:
      'fees and withdrawals leave the account, deposits enter it, and all entries add up; oldest first, each entry once',
    run: async (stage) => {
      const { exchange, settle, filled } = stage;
      const entries = await exchange.fetchLedger(settle);
      assert.deepEqual(
        entries.map(({ timestamp }) => timestamp),
        entries.map(({ timestamp }) => Number(timestamp)).sort((a, b) => a - b),
      );
      assert.equal(new Set(entries.map(({ id }) => id)).size, entries.length);
      const amountOf = (id: string | undefined) =>
        entries.find((entry) => entry.referenceId === id && entry.type === 'fee')?.amount;
      assert(Number(amountOf(filled.id)) > 0, 'no fee of the filled order');
      for (const { direction, amount, currency, type } of entries) {
        assert(Number(amount) > 0 && ['in', 'out'].includes(String(direction)), `${direction} ${amount}`);
        assert.equal(currency, settle);
        assert(['trade', 'fee', 'transaction'].includes(String(type)), `the type ${type}`);
      }
      await assertReconciles(stage);
      const deposits = entries.filter(({ type, direction }) => type === 'transaction' && direction === 'in');
      assert(deposits.length > 0, 'no deposit');
    },
  },
  {
    method: 'fetchMyLiquidations',
    description: 'none of an account that was never liquidated',
    run: async ({ exchange, symbol }) => {
      assert.deepEqual(await exchange.fetchMyLiquidations(symbol), []);
    },
  },
  {
    method: 'closePosition',
    description: 'closes the position by a reduce-only market order, and refuses without one',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      await reopened(stage, async () => {
        const order = await exchange.closePosition(symbol);
        assert.deepEqual([order.status, order.type, order.reduceOnly], ['closed', 'market', true]);
        assert.equal((await exchange.fetchPosition(symbol)).contracts, 0);
        await assert.rejects(exchange.closePosition(symbol), { name: 'InvalidOrder' });
      });
    },
  },
  {
    method: 'closeAllPositions',
    description: 'closes every position',
    run: async (stage) => {
      await reopened(stage, async () => {
        assert.deepEqual(await stage.exchange.closeAllPositions(), []);
      });
    },
  },
];

/** Opens a position of the same size again afterwards, for the other checks. */
async function reopened({ exchange, account, symbol }: Stage, close: () => Promise<void>): Promise<void> {
  const { contracts = 0 } = await exchange.fetchPosition(symbol);
  await close();
  await account.place({ symbol, side: 'buy', quantity: contracts });
}

/** Asserts that the entries of the whole ledger add up to cash and position margin, to the atom. Reads again if these change meanwhile. */
async function assertReconciles({ exchange, settle }: Stage): Promise<void> {
  const money = async () => {
    const { cashBalanceAtoms, positionMarginAtoms } = Object((await exchange.fetchBalance()).info);
    return BigInt(cashBalanceAtoms) + BigInt(positionMarginAtoms);
  };
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const before = await money();
    const entries = await exchange.fetchLedger(settle, 0, undefined, { paginate: true, paginationCalls: 1_000 });
    if (before !== (await money())) continue;
    const sum = entries.reduce((total, { info }) => total + BigInt(Object(info).amountAtoms), 0n);
    assert.equal(sum, before, 'the entries do not add up to cash and position margin');
    return;
  }
  assert.fail('cash and position margin changed during each of ten reads');
}
