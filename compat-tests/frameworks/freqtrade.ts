/** The call sequence of freqtrade. Its stops on the exchange need a subclass, so they are called as its subclasses do. */
import assert from 'node:assert/strict';
import { assertTradableMarket, idOf, placing, type Sequence } from './sequence.ts';

export const FREQTRADE: Sequence = {
  framework: 'freqtrade',
  steps: [
    { phase: 'start', call: 'loadMarkets(true)', run: assertTradableMarket },
    {
      phase: 'start',
      call: 'has: the six required methods are literally true',
      run: async ({ exchange: { has } }) => {
        const required = ['cancelOrder', 'createOrder', 'fetchBalance', 'fetchOHLCV', 'fetchOrder', 'fetchL2OrderBook'];
        for (const name of required) assert.equal(has[name], true, name);
      },
    },
    { phase: 'start', call: 'setPositionMode(false)', run: ({ exchange }) => exchange.setPositionMode(false) },
    { phase: 'start', call: 'fetchTime()', run: ({ exchange }) => exchange.fetchTime() },
    {
      phase: 'start',
      call: 'fetchLeverageTiers()',
      run: async ({ exchange, symbol }) => {
        const tiers = (await exchange.fetchLeverageTiers())[symbol]!;
        assert.equal(tiers[0]!.minNotional, 0);
      },
    },
    { phase: 'start', call: 'fetchAccounts()', run: ({ exchange }) => exchange.fetchAccounts() },
    {
      phase: 'start',
      call: 'fetchOHLCV(pair, tf, since, limit, {price: futures})',
      run: async ({ exchange, symbol }) => {
        for (const timeframe of ['1m', '3m', '30m', '8h', '1w'])
          await exchange.fetchOHLCV(symbol, timeframe, 0, 500, { price: 'futures' });
      },
    },
    {
      phase: 'start',
      call: 'fetchOHLCV(pair, 1h, since, limit, {price: mark})',
      run: ({ exchange, symbol }) => exchange.fetchOHLCV(symbol, '1h', 0, 500, { price: 'mark' }),
    },
    {
      phase: 'start',
      call: 'fetchFundingRateHistory(pair, since)',
      run: ({ exchange, symbol }) => exchange.fetchFundingRateHistory(symbol, 0),
    },
    {
      phase: 'start',
      call: 'fetchTickers(null, {type: swap})',
      run: ({ exchange }) => exchange.fetchTickers(undefined, { type: 'swap' }),
    },
    { phase: 'start', call: 'fetchBalance()', run: ({ exchange }) => exchange.fetchBalance() },
    {
      phase: 'entry',
      call: 'setMarginMode(isolated, pair, {})',
      run: ({ exchange, symbol }) => exchange.setMarginMode('isolated', symbol, {}),
    },
    {
      phase: 'entry',
      call: 'setMarginMode(cross, pair, {})',
      run: ({ exchange, symbol }) => exchange.setMarginMode('cross', symbol, {}),
      fails: { error: 'NotSupported', reason: 'margin is isolated only' },
    },
    { phase: 'entry', call: 'setLeverage(3, pair)', run: ({ exchange, symbol }) => exchange.setLeverage(3, symbol) },
    {
      phase: 'entry',
      call: 'setLeverage(2.5, pair)',
      run: ({ exchange, symbol }) => exchange.setLeverage(2.5, symbol),
    },
    {
      phase: 'entry',
      call: 'setLeverage(3, pair, {mgnMode: isolated, posSide: net})',
      run: ({ exchange, symbol }) => exchange.setLeverage(3, symbol, { mgnMode: 'isolated', posSide: 'net' }),
    },
    placing('entry', 'createOrder(pair, limit, buy, amount, price, {tdMode: isolated, posSide: net})', 'entry', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'limit', 'buy', bot.amount, bot.prices.crossingBuy, {
        tdMode: 'isolated',
        posSide: 'net',
      }),
    ),
    {
      phase: 'entry',
      call: 'fetchOrder(id, pair, {acknowledged: true})',
      run: async (bot) => {
        const order = await bot.exchange.fetchOrder(idOf(bot, 'entry'), bot.symbol, { acknowledged: true });
        assert.deepEqual([order.status, order.filled], ['closed', bot.amount]);
        assert(Number(order.average) > 0 && order.fee?.cost !== undefined);
      },
    },
    placing('stop', 'createOrder(pair, market, sell, amount, null, {stopLossPrice, reduceOnly: true})', 'stop', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'sell', bot.amount, undefined, {
        stopLossPrice: bot.prices.restingBuy,
        reduceOnly: true,
      }),
    ),
    {
      phase: 'stop',
      call: 'fetchOrder(id, pair, {stop: true}): open, with its stopLossPrice',
      run: async (bot) => {
        const order = await bot.exchange.fetchOrder(idOf(bot, 'stop'), bot.symbol, { stop: true });
        assert.deepEqual([order.status, order.stopLossPrice], ['open', bot.orders.get('stop')!.stopLossPrice]);
        assert(Math.abs(Number(order.stopLossPrice) - bot.prices.restingBuy) < 1);
      },
    },
    {
      phase: 'stop',
      call: 'cancelOrder(id, pair, {stop: true}), then another stop that is a limit order',
      run: async (bot) => {
        const { status } = await bot.exchange.cancelOrder(idOf(bot, 'stop'), bot.symbol, { stop: true });
        assert.equal(status, 'canceled');
        const price = bot.prices.restingBuy;
        const moved = { stopLossPrice: price, reduceOnly: true, triggerBy: 'MarkPrice' };
        const order = await bot.exchange.createOrder(bot.symbol, 'stop', 'sell', bot.amount, price * 0.99, moved);
        bot.orders.set('moved stop', order);
      },
    },
    { phase: 'exit', call: 'fetchPositions()', run: ({ exchange }) => exchange.fetchPositions() },
    placing('exit', 'createOrder(pair, market, sell, amount, null, {reduceOnly: true, position_idx: 0})', 'exit', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'sell', bot.amount, undefined, { reduceOnly: true, position_idx: 0 }),
    ),
    {
      phase: 'exit',
      call: 'fetchOrder(id, pair) of the stop: canceled with the position',
      run: async (bot) => {
        const order = await bot.exchange.fetchOrder(idOf(bot, 'moved stop'), bot.symbol);
        assert.deepEqual([order.status, order.filled], ['canceled', 0]);
      },
    },
    {
      phase: 'exit',
      call: 'fetchMyTrades(pair, since) filtered by order',
      run: async (bot) => {
        const trades = await bot.exchange.fetchMyTrades(bot.symbol, Date.now() - 3_600_000);
        assert(trades.some(({ order, fee }) => order === idOf(bot, 'exit') && Number(fee?.cost) > 0));
      },
    },
    placing('exit', 'createOrder(pair, limit, buy, amount, price, {})', 'resting', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'limit', 'buy', bot.amount, bot.prices.restingBuy, {}),
    ),
    {
      phase: 'exit',
      call: 'cancelOrder(id, pair, {stop: true})',
      run: async (bot) => {
        const order = await bot.exchange.cancelOrder(idOf(bot, 'resting'), bot.symbol, { stop: true });
        assert(order.fee !== undefined && order.status === 'canceled' && order.amount === bot.amount);
      },
    },
    {
      phase: 'restart',
      call: 'fetchOrders(pair, since)',
      run: async (bot) => assert.equal((await bot.exchange.fetchOrders(bot.symbol, Date.now() - 3_600_000)).length, 5),
    },
    {
      phase: 'restart',
      call: 'fetchFundingHistory(pair, since)',
      run: ({ exchange, symbol }) => exchange.fetchFundingHistory(symbol, 0),
    },
  ],
};
