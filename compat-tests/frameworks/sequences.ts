/** The published call sequences of frameworks that use ccxt. Those with connectors of their own are in docs/frameworks.md only. */
import assert from 'node:assert/strict';
import { FREQTRADE } from './freqtrade.ts';
import { assertTradableMarket, idOf, placing, type Sequence } from './sequence.ts';

const ISOLATED = 'margin is isolated only';
const ONE_WAY = 'positions are one-way only';

const OCTOBOT: Sequence = {
  framework: 'OctoBot',
  steps: [
    { phase: 'start', call: 'setSandboxMode(false)', run: async ({ exchange }) => exchange.setSandboxMode(false) },
    { phase: 'start', call: 'loadMarkets()', run: assertTradableMarket },
    { phase: 'start', call: 'fetchBalance({})', run: ({ exchange }) => exchange.fetchBalance({}) },
    {
      phase: 'start',
      call: 'fetchPosition(symbol) of a flat account',
      run: async ({ exchange, symbol }) => assert.equal((await exchange.fetchPosition(symbol)).contracts, 0),
    },
    { phase: 'start', call: 'fetchFundingRate(symbol)', run: ({ exchange, symbol }) => exchange.fetchFundingRate(symbol) },
    { phase: 'start', call: 'fetchLeverage(symbol)', run: ({ exchange, symbol }) => exchange.fetchLeverage(symbol) },
    { phase: 'entry', call: 'setLeverage(5, symbol, {})', run: ({ exchange, symbol }) => exchange.setLeverage(5, symbol, {}) },
    placing('entry', 'createOrder(symbol, market, buy, quantity, price, {})', 'entry', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'buy', bot.amount, bot.prices.crossingBuy, {}),
    ),
    placing('stop', 'createOrder(symbol, market, sell, quantity, null, {stopLossPrice})', 'stop', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'sell', bot.amount, undefined, { stopLossPrice: bot.prices.restingBuy }),
    ),
    placing('exit', 'createLimitSellOrder(symbol, quantity, price, {})', 'exit', (bot) =>
      bot.exchange.createLimitSellOrder(bot.symbol, bot.amount, bot.prices.crossingSell, {}),
    ),
    placing('exit', 'createLimitBuyOrder(symbol, quantity, price, {})', 'resting', (bot) =>
      bot.exchange.createLimitBuyOrder(bot.symbol, bot.amount, bot.prices.restingBuy, {}),
    ),
    {
      phase: 'exit',
      call: 'cancelOrder(id, symbol), then fetchOrder(id, symbol)',
      run: async (bot) => {
        await bot.exchange.cancelOrder(idOf(bot, 'resting'), bot.symbol, {});
        assert.equal((await bot.exchange.fetchOrder(idOf(bot, 'resting'), bot.symbol)).status, 'canceled');
      },
    },
    {
      phase: 'restart',
      call: 'fetchOpenOrders(symbol)',
      run: async ({ exchange, symbol }) => assert.deepEqual(await exchange.fetchOpenOrders(symbol), []),
    },
    {
      phase: 'restart',
      call: 'fetchClosedOrders(symbol)',
      run: async ({ exchange, symbol }) => assert.equal((await exchange.fetchClosedOrders(symbol)).length, 2),
    },
  ],
};

const PASSIVBOT: Sequence = {
  framework: 'passivbot',
  steps: [
    {
      phase: 'start',
      call: 'setPositionMode(true)',
      run: ({ exchange }) => exchange.setPositionMode(true),
      fails: { error: 'NotSupported', reason: ONE_WAY },
    },
    { phase: 'start', call: 'loadMarkets(true)', run: assertTradableMarket },
    {
      phase: 'start',
      call: 'fetchBalance().total[quote]',
      run: async ({ exchange }) => assert(Number(Object((await exchange.fetchBalance()).total)['USD.E']) > 0),
    },
    { phase: 'start', call: 'fetchOpenOrders(null)', run: ({ exchange }) => exchange.fetchOpenOrders(undefined) },
    { phase: 'start', call: 'fetchTickers()', run: ({ exchange }) => exchange.fetchTickers() },
    { phase: 'entry', call: 'setLeverage(10, symbol)', run: ({ exchange, symbol }) => exchange.setLeverage(10, symbol) },
    {
      phase: 'entry',
      call: 'setMarginMode(cross, symbol)',
      run: ({ exchange, symbol }) => exchange.setMarginMode('cross', symbol),
      fails: { error: 'NotSupported', reason: ISOLATED },
    },
    placing(
      'entry',
      'createOrder(symbol, limit, buy, amount, price, {positionSide: LONG, clientOrderId, timeInForce: GTC})',
      'entry',
      (bot) =>
        bot.exchange.createOrder(bot.symbol, 'limit', 'buy', bot.amount, bot.prices.crossingBuy, {
          positionSide: 'LONG',
          clientOrderId: '0x0004aaaabbbbccccddddeeeeffff00001111',
          timeInForce: 'GTC',
        }),
    ),
    {
      phase: 'exit',
      call: 'createOrder(symbol, limit, sell, amount, price, {positionSide: LONG})',
      run: (bot) =>
        bot.exchange.createOrder(bot.symbol, 'limit', 'sell', bot.amount, bot.prices.crossingSell, { positionSide: 'LONG' }),
      fails: { error: 'BadRequest', reason: 'without reduceOnly a sell could open a short, because positions are one-way' },
    },
    placing(
      'exit',
      'createOrder(symbol, market, sell, more than the position, null, {positionSide: LONG, reduceOnly: true})',
      'exit',
      async (bot) => {
        const side = { positionSide: 'LONG', reduceOnly: true };
        const order = await bot.exchange.createOrder(bot.symbol, 'market', 'sell', bot.amount * 2, undefined, side);
        assert.deepEqual([order.status, order.filled], ['closed', bot.amount]);
        return order;
      },
    ),
    {
      phase: 'exit',
      call: 'cancelOrder(id) of a filled order: the text has "already filled"',
      run: (bot) => assert.rejects(bot.exchange.cancelOrder(idOf(bot, 'entry'), bot.symbol), /already filled/),
    },
    {
      phase: 'restart',
      call: 'fetchMyTrades(null, since, limit, {until})',
      run: async ({ exchange }) => {
        const trades = await exchange.fetchMyTrades(undefined, Date.now() - 3_600_000, 100, { until: Date.now() + 60_000 });
        assert.equal(trades.length, 2);
        for (const { info } of trades) assert.equal(typeof Object(info).realizedPnl, 'string');
      },
    },
  ],
};

const SUPERALGOS: Sequence = {
  framework: 'Superalgos',
  steps: [
    { phase: 'start', call: 'setSandboxMode(false)', run: async ({ exchange }) => exchange.setSandboxMode(false) },
    {
      phase: 'start',
      call: 'fetchOHLCV(base/quote, 1m, since, 1000)',
      run: ({ exchange }) => exchange.fetchOHLCV('BTC/USD.E', '1m', 0, 1_000),
      fails: { error: 'BadSymbol', reason: 'a market is a swap: its symbol is BTC/USD.E:USD.E' },
    },
    placing('entry', 'createOrder(symbol, market, buy, amount, price, {})', 'entry', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'buy', bot.amount, bot.prices.crossingBuy, {}),
    ),
    {
      phase: 'exit',
      call: 'fetchOrder(id, symbol): closed, remaining 0',
      run: async (bot) => {
        const order = await bot.exchange.fetchOrder(idOf(bot, 'entry'), bot.symbol);
        assert.deepEqual([order.status, order.remaining], ['closed', 0]);
      },
    },
    {
      phase: 'restart',
      call: 'fetchOrder of a lost order: the text matches NotFound',
      run: ({ exchange, symbol }) => assert.rejects(exchange.fetchOrder('999999', symbol), /[0-9a-z]+ NotFound/),
    },
  ],
};

const BACKTEST_KIT: Sequence = {
  framework: 'backtest-kit',
  steps: [
    { phase: 'start', call: 'loadMarkets()', run: assertTradableMarket },
    {
      phase: 'start',
      call: 'fetchOHLCV(symbol, 1h, since, limit)',
      run: ({ exchange, symbol }) => exchange.fetchOHLCV(symbol, '1h', 0, 100),
    },
    { phase: 'entry', call: 'setLeverage(3, symbol)', run: ({ exchange, symbol }) => exchange.setLeverage(3, symbol) },
    placing('entry', 'createOrder(symbol, limit, buy, quantity, price, {positionSide: LONG})', 'entry', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'limit', 'buy', bot.amount, bot.prices.crossingBuy, { positionSide: 'LONG' }),
    ),
    placing(
      'stop',
      'createOrder(symbol, stop_market, sell, quantity, null, {stopPrice, reduceOnly: true, positionSide: LONG})',
      'stop',
      (bot) =>
        bot.exchange.createOrder(bot.symbol, 'stop_market', 'sell', bot.amount, undefined, {
          stopPrice: bot.prices.restingBuy,
          reduceOnly: true,
          positionSide: 'LONG',
        }),
    ),
    {
      phase: 'stop',
      call: 'fetchOpenOrders(symbol): the stop is reduceOnly',
      run: async (bot) => {
        const [stop, ...more] = await bot.exchange.fetchOpenOrders(bot.symbol);
        assert.deepEqual([more.length, stop!.id, stop!.reduceOnly], [0, idOf(bot, 'stop'), true]);
      },
    },
    placing('exit', 'createOrder(symbol, market, sell, quantity, null, {reduceOnly: true, positionSide: LONG})', 'exit', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'market', 'sell', bot.amount, undefined, { reduceOnly: true, positionSide: 'LONG' }),
    ),
    {
      phase: 'restart',
      call: 'fetchOpenOrders(symbol), fetchPositions([symbol])',
      run: async ({ exchange, symbol }) => {
        assert.deepEqual(await exchange.fetchOpenOrders(symbol), []);
        assert.deepEqual(await exchange.fetchPositions([symbol]), []);
      },
    },
  ],
};

const EXAMPLES: Sequence = {
  framework: "ccxt's example bots",
  steps: [
    { phase: 'start', call: 'loadMarkets()', run: assertTradableMarket },
    { phase: 'start', call: 'fetchTicker(symbol)', run: ({ exchange, symbol }) => exchange.fetchTicker(symbol) },
    placing(
      'entry',
      'createOrder(symbol, market, buy, amount, null, {stopLoss: {triggerPrice}, takeProfit: {triggerPrice, price}})',
      'protected',
      (bot) =>
        bot.exchange.createOrder(bot.symbol, 'market', 'buy', bot.amount, undefined, {
          stopLoss: { triggerPrice: bot.prices.restingBuy },
          takeProfit: { triggerPrice: bot.prices.target, price: bot.prices.target },
        }),
    ),
    {
      phase: 'stop',
      call: 'fetchOpenOrders(symbol): a stop-loss and a take-profit',
      run: async ({ exchange, symbol, amount, prices }) => {
        const legs = await exchange.fetchOpenOrders(symbol);
        assert.deepEqual(
          legs.map((leg) => [leg.stopLossPrice !== undefined, leg.takeProfitPrice !== undefined, leg.amount]),
          [
            [true, false, amount],
            [false, true, amount],
          ],
        );
        assert(Math.abs(Number(legs[1]!.price) - prices.target) < 1);
      },
    },
    placing('entry', 'createOrder(symbol, limit, buy, amount, price)', 'entry', (bot) =>
      bot.exchange.createOrder(bot.symbol, 'limit', 'buy', bot.amount, bot.prices.crossingBuy),
    ),
    {
      phase: 'exit',
      call: 'closePosition(symbol)',
      run: async ({ exchange, symbol }) => assert.equal((await exchange.closePosition(symbol)).status, 'closed'),
    },
    {
      phase: 'restart',
      call: 'fetchOpenOrders(symbol)',
      run: async ({ exchange, symbol }) => assert.deepEqual(await exchange.fetchOpenOrders(symbol), []),
    },
  ],
};

export const SEQUENCES: readonly Sequence[] = [FREQTRADE, OCTOBOT, PASSIVBOT, SUPERALGOS, BACKTEST_KIT, EXAMPLES];
