/** Our checks of settings that the class stores for future orders: the leverage of a market, and the only margin mode. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import { known } from '#compat/stage.ts';

export const LEVERAGE_CHECKS: readonly OwnCheck[] = [
  {
    method: 'setLeverage',
    description: 'the next order of the market has it, unless it has its own; what the market does not have is BadRequest',
    run: async ({ another, symbol, market, amount, resting: { price } }) => {
      const exchange = another({});
      const placedAt = async (params: object) => {
        const { id, info } = known(await exchange.createOrder(symbol, 'limit', 'buy', amount, price, params));
        await exchange.cancelOrder(id, symbol);
        return Object(info).leverageX ?? undefined;
      };
      const highest = market.maxLeverage;
      assert.equal(await placedAt({}), undefined);
      await exchange.setLeverage(3, symbol);
      assert.deepEqual([await placedAt({}), await placedAt({ leverage: 2 })], [3, 2]);
      for (const leverage of [0, 1.5, highest + 1])
        await assert.rejects(exchange.setLeverage(leverage, symbol), { name: 'BadRequest' });
      await assert.rejects(exchange.setLeverage(3), { name: 'ArgumentsRequired' });
    },
  },
  {
    method: 'fetchLeverage',
    description: 'what the next order of the market takes: the highest, or what was set',
    run: async ({ another, symbol, market }) => {
      const exchange = another({});
      const leverageNow = async () => {
        const { symbol: of, marginMode, longLeverage, shortLeverage } = await exchange.fetchLeverage(symbol);
        return [of, marginMode, longLeverage, shortLeverage];
      };
      const highest = market.maxLeverage;
      assert.deepEqual(await leverageNow(), [symbol, 'isolated', highest, highest]);
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
