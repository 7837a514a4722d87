/** Our checks of the leverage of the account, the margin of its position, and the only margin mode. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import { known, type Stage } from '#compat/stage.ts';
import { numberOf } from '#compat/structures.ts';

export const LEVERAGE_CHECKS: readonly OwnCheck[] = [
  {
    method: 'setLeverage',
    description: 'orders of the market have it, also of another instance, unless they have their own; too much is BadRequest',
    run: async (stage) => {
      const { another, exchange, symbol, market, amount, resting } = stage;
      const placedAt = async (params: object) => {
        const { id, info } = known(await another({}).createOrder(symbol, 'limit', 'buy', amount, resting.price, params));
        await exchange.cancelOrder(id, symbol);
        return Object(info).leverageX;
      };
      const before = await accountLeverage(stage);
      assert.equal(await placedAt({}), before);
      const { longLeverage, shortLeverage } = Object(await exchange.setLeverage(3, symbol));
      assert.deepEqual([longLeverage, shortLeverage, await accountLeverage(stage)], [3, 3, 3]);
      assert.deepEqual([await placedAt({}), await placedAt({ leverage: 2 })], [3, 2]);
      for (const leverage of [0, market.maxLeverage + 1])
        await assert.rejects(exchange.setLeverage(leverage, symbol), { name: 'BadRequest' });
      await assert.rejects(exchange.setLeverage(3), { name: 'ArgumentsRequired' });
      await exchange.setLeverage(before, symbol);
    },
  },
  {
    method: 'fetchLeverage',
    description: 'the leverage of the account in the market',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const { symbol: of, marginMode, longLeverage, shortLeverage } = await exchange.fetchLeverage(symbol);
      const leverage = await accountLeverage(stage);
      assert.deepEqual([of, marginMode, longLeverage, shortLeverage], [symbol, 'isolated', leverage, leverage]);
    },
  },
  {
    method: 'fetchLeverages',
    description: 'that of all markets, or of the requested ones',
    run: async (stage) => {
      const { account, exchange, symbol, funded } = stage;
      const all = await exchange.fetchLeverages();
      assert.deepEqual(Object.keys(all).sort(), account.symbols);
      assert.equal(all[symbol]?.longLeverage, await accountLeverage(stage));
      assert.deepEqual(Object.keys(await exchange.fetchLeverages([funded])), [funded]);
    },
  },
  ...(['addMargin', 'reduceMargin'] as const).map(
    (method): OwnCheck => ({
      method,
      description: 'moves margin of the position, and no more than there is',
      run: async ({ exchange, symbol, settle }) => {
        const marginOf = async () => numberOf(Object(await exchange.fetchPosition(symbol)), 'initialMargin');
        const before = await marginOf();
        const added = await exchange.addMargin(symbol, 5);
        const removed = await exchange.reduceMargin(symbol, 5);
        assert.deepEqual([added.type, added.amount, added.code, added.symbol], ['add', 5, settle, symbol]);
        assert.deepEqual([removed.type, removed.amount, removed.total], ['reduce', 5, await marginOf()]);
        const { total } = added;
        assert(Math.abs(Number(total) - before - 5) < 1e-6, `a margin of ${total} after adding 5 to ${before}`);
        await assert.rejects(exchange[method](symbol, 1e9), { name: 'InsufficientFunds' });
      },
    }),
  ),
  {
    method: 'setMarginMode',
    description: 'takes isolated margin, as the account has it, and no other',
    run: async ({ exchange, symbol }) => {
      await exchange.setMarginMode('isolated', symbol);
      assert.equal((await exchange.fetchMarginMode(symbol)).marginMode, 'isolated');
      await assert.rejects(exchange.setMarginMode('cross', symbol), { name: 'NotSupported' });
    },
  },
];

/** What the venue has for the account in the market, which applies to orders without a leverage. */
async function accountLeverage({ account, exchange, symbol }: Stage): Promise<number> {
  const leverages = (await account.read('/leverage')).leverages as readonly Record<string, unknown>[];
  return numberOf(Object(leverages.find(({ marketId }) => marketId === exchange.market(symbol).id)), 'leverageX');
}
