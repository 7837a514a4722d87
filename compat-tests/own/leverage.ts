/** Our checks of settings that the class stores for future orders: the leverage of a market, and the only margin mode. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import { known, type Stage } from '#compat/stage.ts';

export const LEVERAGE_CHECKS: readonly OwnCheck[] = [
  {
    method: 'setLeverage',
    description: 'the next order of the market has it, unless it has its own; what the market does not have is BadRequest',
    run: async (stage) => {
      const {
        another,
        symbol,
        market,
        amount,
        resting: { price },
      } = stage;
      const exchange = another({});
      const placedAt = async (params: object) => {
        const { id, info } = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, price, params));
        await exchange.cancelOrder(id, symbol);
        return Object(info).leverageX;
      };
      const highest = market.maxLeverage;
      assert.equal(await placedAt({}), await accountLeverage(stage));
      await exchange.setLeverage(3, symbol);
      assert.deepEqual([await placedAt({}), await placedAt({ leverage: 2 })], [3, 2]);
      for (const leverage of [0, 1.5, highest + 1])
        await assert.rejects(exchange.setLeverage(leverage, symbol), { name: 'BadRequest' });
      await assert.rejects(exchange.setLeverage(3), { name: 'ArgumentsRequired' });
    },
  },
  {
    method: 'fetchLeverage',
    description: 'what the next order of the market takes: the leverage of the account, or what was set',
    run: async (stage) => {
      const { another, symbol } = stage;
      const exchange = another({});
      const leverageNow = async () => {
        const { symbol: of, marginMode, longLeverage, shortLeverage } = await exchange.fetchLeverage(symbol);
        return [of, marginMode, longLeverage, shortLeverage];
      };
      const before = await accountLeverage(stage);
      assert.deepEqual(await leverageNow(), [symbol, 'isolated', before, before]);
      await exchange.setLeverage(4, symbol);
      assert.deepEqual(await leverageNow(), [symbol, 'isolated', 4, 4]);
    },
  },
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
async function accountLeverage({ account, exchange, symbol }: Stage): Promise<unknown> {
  const leverages = (await account.read('/leverage')).leverages as readonly Record<string, unknown>[];
  return leverages.find(({ marketId }) => marketId === exchange.market(symbol).id)?.leverageX;
}
