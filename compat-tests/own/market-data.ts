/** Our checks of public data. */
import assert from 'node:assert/strict';
import type { OwnCheck } from '#compat/own-check.ts';
import { RESTING_DISTANCE, type Stage } from '#compat/stage.ts';
import {
  assertAscending,
  assertBook,
  assertDistinct,
  assertTime,
  assertTrade,
  fieldsOf,
  numberOf,
  positive,
} from '#compat/structures.ts';
import { assertCandleOfTrades, assertCandles, assertGapsUntraded } from './candles.ts';

const TICKER_KEYS = [
  'high',
  'low',
  'bid',
  'bidVolume',
  'ask',
  'askVolume',
  'vwap',
  'open',
  'close',
  'last',
  'change',
  'percentage',
];

export const MARKET_DATA_CHECKS: readonly OwnCheck[] = [
  {
    method: 'fetchMarkets',
    description: 'a market is a linear swap with ticks, limits and margin modes, and its ids lead back to it',
    run: async ({ exchange, symbol }) => {
      const markets = await exchange.fetchMarkets();
      assert.deepEqual(markets.map((market) => market?.symbol).sort(), [...exchange.symbols].sort());
      assertDistinct(markets as object[]);
      for (const market of markets) {
        const fields = fieldsOf(market, 'expiry', 'strike', 'optionType', 'created', 'marginModes');
        const { base, quote, settle, id } = fields as Record<string, string>;
        assert.equal(fields.symbol, `${base}/${quote}:${settle}`);
        assert.equal(quote, settle, 'quote and settle differ');
        for (const code of [base, quote]) assert(code !== undefined && code in exchange.currencies, `${code} is not a currency`);
        assert.equal(exchange.safeMarket(id).symbol, fields.symbol);
        const { swap, linear, subType, contract, spot, future, option, inverse } = fields;
        assert.deepEqual(
          { swap, linear, subType, contract, spot, future, option, inverse },
          {
            swap: true,
            linear: true,
            subType: 'linear',
            contract: true,
            spot: false,
            future: false,
            option: false,
            inverse: false,
          },
        );
        for (const step of ['amount', 'price']) positive(fields.precision as Record<string, unknown>, step);
        const limits = fields.limits as Record<string, { min?: number; max?: number }>;
        assert.deepEqual(Object.keys(limits).sort(), ['amount', 'cost', 'leverage', 'price']);
        for (const bounds of Object.values(limits)) {
          assert(bounds.min !== undefined && bounds.min >= 0, 'a limit without its lower bound');
          assert(bounds.max === undefined || bounds.max >= bounds.min, 'bounds the wrong way round');
        }
        for (const fee of ['taker', 'maker'])
          assert.equal(fields[fee], Number(Object(fields.info)[`${fee}FeeBps`]) / 10_000, `the ${fee} fee as a share`);
      }
      assert.equal(exchange.market(symbol).active, true);
    },
  },
  {
    method: 'fetchTicker',
    description: 'the ticker adds up: change and percentage by open and last, turnover between low and high',
    run: async (stage) => assertTicker(await stage.exchange.fetchTicker(stage.symbol), stage),
  },
  {
    method: 'fetchTickers',
    description: 'all symbols, or the requested ones; an empty list means all',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      assert.deepEqual(Object.keys(await exchange.fetchTickers([])).sort(), [...exchange.symbols].sort());
      assert.deepEqual(Object.keys(await exchange.fetchTickers()).sort(), [...exchange.symbols].sort());
      const some = await exchange.fetchTickers([symbol]);
      assert.deepEqual(Object.keys(some), [symbol]);
      assertTicker(some[symbol], stage);
    },
  },
  {
    method: 'fetchBidsAsks',
    description: 'the best prices of all symbols, or of the requested ones',
    run: async (stage) => {
      const { exchange, symbol, funded } = stage;
      const all = await exchange.fetchBidsAsks();
      assert.deepEqual(Object.keys(all).sort(), [...exchange.symbols].sort());
      // Another market may have no book.
      for (const created of [symbol, funded]) {
        const fields = fieldsOf(all[created]);
        positive(fields, 'bid', 'ask', 'bidVolume', 'askVolume');
        assert(numberOf(fields, 'bid') < numberOf(fields, 'ask'), 'bid is not below ask');
      }
      assert.deepEqual(Object.keys(await exchange.fetchBidsAsks([symbol])), [symbol]);
    },
  },
  {
    method: 'fetchMarkPrices',
    description: 'mark and index of all symbols, or of the requested ones',
    run: async ({ exchange, symbol }) => {
      const all = await exchange.fetchMarkPrices();
      assert.deepEqual(Object.keys(all).sort(), [...exchange.symbols].sort());
      for (const ticker of Object.values(all)) positive(fieldsOf(ticker), 'markPrice', 'indexPrice');
      assert.deepEqual(Object.keys(await exchange.fetchMarkPrices([symbol])), [symbol]);
      positive(fieldsOf(await exchange.fetchMarkPrice(symbol)), 'markPrice');
    },
  },
  {
    method: 'fetchOpenInterests',
    description: 'of all symbols, or of the requested ones',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const all = await exchange.fetchOpenInterests();
      assert.deepEqual(Object.keys(all).sort(), [...exchange.symbols].sort());
      const interest = fieldsOf((await exchange.fetchOpenInterests([symbol]))[symbol]);
      assertTime(interest, stage);
      positive(interest, 'openInterestAmount', 'openInterestValue');
    },
  },
  {
    method: 'fetchLastPrices',
    description: 'one price per symbol, near the ticker',
    run: async ({ exchange, symbol }) => {
      assert.deepEqual(Object.keys(await exchange.fetchLastPrices([])).sort(), [...exchange.symbols].sort());
      const price = fieldsOf((await exchange.fetchLastPrices([symbol]))[symbol], 'timestamp', 'datetime', 'side');
      const { last } = await exchange.fetchTicker(symbol);
      assert(
        Math.abs(numberOf(price, 'price') / (last as number) - 1) < 0.05,
        `a last price of ${String(price.price)} beside ${last}`,
      );
    },
  },
  {
    method: 'fetchOpenInterest',
    description: 'open interest is above 0, and valued at the mark price',
    run: async (stage) => {
      const interest = fieldsOf(await stage.exchange.fetchOpenInterest(stage.symbol));
      assert.equal(interest.symbol, stage.symbol);
      assertTime(interest, stage);
      positive(interest, 'openInterestAmount', 'openInterestValue');
      const { last } = await stage.exchange.fetchTicker(stage.symbol);
      const price = numberOf(interest, 'openInterestValue') / numberOf(interest, 'openInterestAmount');
      assert(Math.abs(price / (last as number) - 1) < 0.05, `valued at ${price} beside ${last}`);
    },
  },
  {
    method: 'fetchOrderBook',
    description: 'both sides in strict order, uncrossed, deep enough to trade on within 4.5 %, cut to the limit',
    run: async (stage) => {
      const { exchange, symbol, amount } = stage;
      const { bids, asks } = assertBook(await exchange.fetchOrderBook(symbol), stage);
      const within = ([price = 0]: number[]) =>
        Math.max(price / (asks[0]?.[0] ?? 0), (bids[0]?.[0] ?? 0) / price) < RESTING_DISTANCE;
      for (const side of [bids, asks]) {
        const depth = side.filter(within).reduce((sum, [, size = 0]) => sum + size, 0);
        assert(depth > amount * 4, `only ${depth} within reach`);
      }
      const top = assertBook(await exchange.fetchOrderBook(symbol, 2), stage);
      assert.deepEqual([top.bids.length, top.asks.length], [2, 2]);
    },
  },
  {
    method: 'fetchL2OrderBook',
    description: 'the same book',
    run: async (stage) => void assertBook(await stage.exchange.fetchL2OrderBook(stage.symbol), stage),
  },
  {
    method: 'fetchOHLCV',
    description: 'whole candles on the minute, in order, with volume; not before since, not more than the limit',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const candles = await exchange.fetchOHLCV(symbol, '1m');
      assertCandles(candles, 60_000, stage);
      assert(
        candles.some(([, , , , , volume]) => (volume ?? 0) > 0),
        'no volume in any candle',
      );
      const last = candles.at(-1)?.[0] as number;
      assert(
        (await exchange.fetchOHLCV(symbol, '1m', last)).every(([time]) => (time ?? 0) >= last),
        'a candle before since',
      );
      assert.equal((await exchange.fetchOHLCV(symbol, '1m', undefined, 1)).length, 1);
      for (const [timeframe, ms] of [
        ['5m', 300_000],
        ['1h', 3_600_000],
        ['1d', 86_400_000],
      ] as const)
        assertCandles(await exchange.fetchOHLCV(symbol, timeframe), ms, stage);
      await assert.rejects(exchange.fetchOHLCV(symbol, '7m'), { name: 'NotSupported' });
    },
  },
  {
    method: 'fetchOHLCV',
    on: 'class',
    description: 'a candle equals the trades of its minute',
    run: assertCandleOfTrades,
  },
  {
    method: 'fetchOHLCV',
    on: 'class',
    description: 'a minute without a candle had no trades',
    run: async ({ exchange, symbol }) => assertGapsUntraded(exchange, symbol, await exchange.fetchOHLCV(symbol, '1m'), 60_000),
  },
  {
    method: 'fetchIndexOHLCV',
    description: 'candles of the index, near those of trades',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const candles = await exchange.fetchIndexOHLCV(symbol, '1m');
      assertCandles(candles, 60_000, stage);
      const { last } = await exchange.fetchTicker(symbol);
      assert(Math.abs((candles.at(-1)?.[4] as number) / (last as number) - 1) < 0.1, 'the index is elsewhere');
    },
  },
  {
    method: 'fetchTrades',
    description: 'distinct trades in order whose cost is price × amount; not before since, not more than the limit',
    run: async (stage) => {
      const { exchange, symbol } = stage;
      const trades = await exchange.fetchTrades(symbol);
      assert(trades.length > 1, 'fewer than two trades');
      for (const trade of trades) assertTrade(trade, stage, { own: false });
      assertAscending(trades);
      assertDistinct(trades);
      const middle = trades[Math.floor(trades.length / 2)]?.timestamp as number;
      const since = await exchange.fetchTrades(symbol, middle);
      assert(since.length > 0 && since.every(({ timestamp }) => (timestamp as number) >= middle), 'a trade before since');
      assert.equal((await exchange.fetchTrades(symbol, undefined, 1)).length, 1);
    },
  },
  {
    method: 'fetchTime',
    description: "the venue's clock, within a minute of this one",
    run: async ({ exchange }) => assert(Math.abs(((await exchange.fetchTime()) as number) - Date.now()) < 60_000),
  },
  {
    method: 'fetchStatus',
    description: 'a venue that takes orders is ok',
    run: async ({ exchange }) => assert.equal((await exchange.fetchStatus()).status, 'ok'),
  },
  {
    method: 'fetchTradingFee',
    description: 'the fees of the market, as shares',
    run: async ({ exchange, symbol, market }) => {
      const { maker, taker } = await exchange.fetchTradingFee(symbol);
      assert.deepEqual({ maker, taker }, { maker: market.maker, taker: market.taker });
    },
  },
  {
    method: 'fetchTradingFees',
    description: 'every market',
    run: async ({ exchange }) =>
      assert.deepEqual(Object.keys(await exchange.fetchTradingFees()).sort(), [...exchange.symbols].sort()),
  },
  {
    method: 'fetchLeverageTiers',
    description: 'tiers join up from 0, rise in margin, and fall in leverage',
    run: async ({ exchange }) => {
      const tiers = await exchange.fetchLeverageTiers();
      assert.deepEqual(Object.keys(tiers).sort(), [...exchange.symbols].sort());
      for (const list of Object.values(tiers)) assertTiers(list);
    },
  },
  {
    method: 'fetchMarketLeverageTiers',
    description: 'the same tiers',
    run: async ({ exchange, symbol }) => assertTiers(await exchange.fetchMarketLeverageTiers(symbol)),
  },
  {
    method: 'fetchCurrencies',
    description: 'the currencies of the markets',
    run: async ({ exchange, market, settle }) => {
      const currencies = await exchange.fetchCurrencies();
      for (const code of [market.base, settle]) assert.equal(currencies[code]?.code, code);
    },
  },
  {
    method: 'fetchMarketsWs',
    description: 'the markets that were loaded',
    run: async ({ exchange }) => assert.deepEqual(await exchange.fetchMarketsWs(), Object.values(exchange.markets ?? {})),
  },
  {
    method: 'fetchCurrenciesWs',
    description: 'the currencies that were loaded',
    run: async ({ exchange }) => assert.deepEqual(await exchange.fetchCurrenciesWs(), exchange.currencies),
  },
];

function assertTicker(ticker: unknown, stage: Stage): void {
  const fields = fieldsOf(ticker, ...TICKER_KEYS, 'average', 'baseVolume', 'quoteVolume');
  assert.equal(fields.symbol, stage.symbol);
  assertTime(fields, stage);
  positive(
    fields,
    'bid',
    'ask',
    'last',
    'open',
    'high',
    'low',
    'bidVolume',
    'askVolume',
    'baseVolume',
    'quoteVolume',
    'vwap',
    'markPrice',
    'indexPrice',
  );
  const [open, last, low, high] = [
    numberOf(fields, 'open'),
    numberOf(fields, 'last'),
    numberOf(fields, 'low'),
    numberOf(fields, 'high'),
  ];
  assert(numberOf(fields, 'bid') < numberOf(fields, 'ask'), 'bid is not below ask');
  assert.equal(fields.close, last);
  assert(Math.abs(numberOf(fields, 'change') - (last - open)) < 1e-6, 'change is not last - open');
  assert(Math.abs(numberOf(fields, 'percentage') - ((last - open) / open) * 100) < 1e-6, 'percentage is not change over open');
  const average = numberOf(fields, 'average');
  assert(Math.abs(average - (open + last) / 2) <= stage.market.tick, 'average is not that of open and last, to the tick');
  assert(low <= last && last <= high, 'last is outside of low and high');
  const vwap = numberOf(fields, 'vwap');
  assert(vwap >= low * (1 - 1e-9) && vwap <= high * (1 + 1e-9), 'vwap is outside of low and high');
}

function assertTiers(tiers: readonly object[]): void {
  assert(tiers.length > 0, 'no tier');
  let [upTo, rate, leverage] = [0, 0, Number.POSITIVE_INFINITY];
  for (const [index, tier] of tiers.entries()) {
    const fields = fieldsOf(tier, 'symbol', 'currency');
    assert.equal(fields.tier, index + 1);
    assert.equal(fields.minNotional, upTo, 'a gap or an overlap');
    positive(fields, 'maxNotional', 'maintenanceMarginRate', 'maxLeverage');
    assert(numberOf(fields, 'maxNotional') > upTo, 'a tier without extent');
    assert(
      numberOf(fields, 'maintenanceMarginRate') > rate && numberOf(fields, 'maintenanceMarginRate') < 1,
      'margin does not rise, or is not a fraction',
    );
    assert(numberOf(fields, 'maxLeverage') >= 1 && numberOf(fields, 'maxLeverage') <= leverage, 'leverage rises');
    [upTo, rate, leverage] = [
      numberOf(fields, 'maxNotional'),
      numberOf(fields, 'maintenanceMarginRate'),
      numberOf(fields, 'maxLeverage'),
    ];
  }
}
