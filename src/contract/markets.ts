/** Markets: the public reads. They need no API key. */
import * as z from 'zod';
import {
  atoms,
  decimal,
  epochMs,
  freshness,
  marketId,
  marketParams,
  nextCursor,
  numberedId,
  ours,
  pageQuery,
  rate,
  readModelDigest,
  sequence,
  settlementAsset,
  side,
  signedDecimal,
  timeInput,
  wholeNumberInput,
} from './fields.ts';
import { BOOK_PAGE, MARKET_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';
import { venueOrigin } from './orders.ts';

const change24hBps = z
  .string()
  .regex(/^-?[0-9]+$/)
  .meta({ description: 'Change of the last price over 24 hours, in hundredths of a percent, rounded toward zero.' });

/** One market (2.8). Fields that need a trade are null before the first trade. */
export const market = z
  .strictObject({
    marketId,
    underlyingSymbol: z.string(),
    marketType: z.literal('crypto'),
    logoUrl: z.string().nullable().meta({ description: 'Always null, because the venue has no logos; logoUnavailable is true.' }),
    logoUnavailable: z.boolean(),
    status: z.enum(['draft', 'open', 'cancel_only', 'closed', 'reduce_only']).meta({
      id: 'MarketStatus',
      description:
        'open accepts every order; reduce_only accepts only orders that reduce a position; the others accept no order. An open order can be cancelled ' +
        'in every status.',
    }),
    priceScale: z.int().min(0).max(6),
    quantityScale: z.int().min(0).max(6),
    minPrice: decimal,
    maxPrice: decimal,
    minQuantity: decimal,
    maxQuantity: decimal,
    initialMarginBps: z.int(),
    maintenanceMarginTiers: z
      .array(
        z.strictObject({
          notionalThresholdAtoms: atoms,
          maintenanceMarginBps: z.int(),
          initialMarginBps: ours(
            z.int(),
            'The least initial margin of an order that brings the position and the orders that enlarge it to this tier.',
          ),
          maxLeverageX: ours(z.int().min(1), 'The highest leverageX of such an order.'),
        }),
      )
      .min(1)
      .meta({ description: 'Each rate applies to the part of a notional above its threshold and below the next threshold.' }),
    maxLeverageX: z.int().min(1),
    openInterestLower: ours(
      decimal.nullable(),
      'The notional of all long positions at the mark above which the initial margin rises; null if it does not depend on it.',
    ),
    openInterestUpper: ours(decimal.nullable(), 'The notional at which the initial margin is the whole notional.'),
    makerFeeBps: z.int(),
    takerFeeBps: z.int(),
    settlementAsset,
    settlementAssetDecimals: z.int().min(0).max(18),
    lastPriceAtoms: atoms.nullable(),
    lastPrice: decimal.nullable(),
    change24hBps: change24hBps.nullable(),
    favorite: z.boolean().meta({
      description: "Whether it is a favorite of the API key's account; false without a key or without the scope read or trade.",
    }),
    baseAsset: ours(z.string(), 'The asset of quantities; the same as underlyingSymbol.'),
    quoteAsset: ours(settlementAsset, 'The asset of prices; the same as settlementAsset.'),
    contractSize: ours(z.literal('1'), 'The base quantity of one contract. Always 1: quantities are in base.'),
    tickSize: ours(decimal, 'The smallest step of a price.'),
    lotSize: ours(decimal, 'The smallest step of a quantity.'),
    maxPositionQuantity: ours(
      decimal,
      'The maximum quantity of a position together with the orders that may enlarge it (position_limit).',
    ),
    maxPositionNotional: ours(
      decimal,
      'The maximum notional of them: at their prices (exposure_limit), and of maxPositionQuantity at maxPrice.',
    ),
    priceBandBps: ours(
      z.int(),
      'The maximum distance of a buy above the mark and of a sell below it, in hundredths of a percent.',
    ),
    markBandBps: ours(z.int(), 'The maximum distance of the mark from the index, in hundredths of a percent.'),
    liquidationFeeBps: ours(
      z.int(),
      'The fee of a liquidation on the closed notional, in hundredths of a percent. The insurance fund receives it.',
    ),
    autoDeleveraging: ours(
      z.boolean(),
      'Whether profitable positions are closed against one that the book does not take: at the mark price when less than half of its maintenance ' +
        'margin is left, at its bankruptcy price when it is bankrupt.',
    ),
    maxIndexAgeMs: ours(z.int(), 'An index price older than this, in milliseconds, is stale.'),
    maxIndexJumpBps: ours(
      z.int(),
      'An index price further than this from the previous one, in hundredths of a percent, must be confirmed.',
    ),
    indexConfirmations: ours(z.int(), 'The number of further observations that confirm an index price after a jump.'),
    fundingPeriodMs: ours(z.int(), 'The length of a funding period, in milliseconds.'),
    fundingInterestRate: ours(rate, 'The rate that longs pay shorts for a period with a premium of zero.'),
    fundingRateCap: ours(rate, 'The maximum of the absolute funding rate of a period.'),
    premiumSampleMs: ours(z.int(), 'The interval, in milliseconds, at which the premium of the book over the index is sampled.'),
    impactNotional: ours(decimal, 'The notional of the impact prices, from which the premium is computed.'),
  })
  .meta({ id: 'Market' });
export type MarketResource = z.infer<typeof market>;

export const marketCatalogue = z
  .strictObject({
    version: z.literal('external-market-catalog/v1'),
    markets: z.array(market),
    snapshotSequence: sequence,
    readModelDigest: readModelDigest.meta({
      description:
        'Digest of the market registry: all listings and status changes, each with its sequence. It covers no other market data and cannot be ' +
        'recomputed from the catalogue.',
    }),
  })
  .meta({ id: 'MarketCatalogue' });
export type MarketCatalogue = z.infer<typeof marketCatalogue>;

export const singleMarket = z
  .strictObject({ version: z.literal('external-market/v1'), market, snapshotSequence: sequence, readModelDigest })
  .meta({ id: 'SingleMarket', 'x-openperp-ours': true });
export type SingleMarket = z.infer<typeof singleMarket>;

/** Ticker, open interest and funding. A field without a value yet is null, never zero. */
export const marketStats = z
  .strictObject({
    version: z.literal('external-market-stats/v1'),
    marketId,
    status: market.shape.status,
    lastPrice: decimal.nullable(),
    lastQuantity: decimal.nullable(),
    lastTradeAtEpochMs: epochMs.nullable(),
    markPrice: decimal.nullable(),
    indexPrice: decimal.nullable(),
    indexObservedAtEpochMs: epochMs.nullable(),
    indexStatus: z
      .enum(['current', 'unconfirmed', 'stale'])
      .nullable()
      .meta({
        description:
          'unconfirmed: the index price jumped, and further observations have not confirmed it yet. stale: no recent observation. While it is ' +
          'not current, no order may increase risk, no position is liquidated and no funding is settled.',
      }),
    bestBidPrice: decimal.nullable(),
    bestBidQuantity: decimal.nullable(),
    bestAskPrice: decimal.nullable(),
    bestAskQuantity: decimal.nullable(),
    openPrice24h: decimal.nullable(),
    highPrice24h: decimal.nullable(),
    lowPrice24h: decimal.nullable(),
    change24hBps: change24hBps.nullable(),
    baseVolume24h: decimal,
    quoteVolume24h: decimal,
    openInterest: decimal.meta({ description: 'The base quantity of all long positions; short positions have the same total.' }),
    currentInitialMarginBps: ours(
      z.int(),
      'The least initial margin of an order in the first tier at the present open interest, in hundredths of a percent: openInterestLower and ' +
        'openInterestUpper of the market.',
    ),
    insuranceBalance: ours(
      signedDecimal,
      'What positions of the market have brought the insurance fund, minus what it has paid for them. If positive, it is the part that pays only ' +
        'for this market; if negative, what the market has drawn from the common part.',
    ),
    estimatedFundingRate: rate.nullable().meta({
      description:
        'The rate of the running period if the rest of it is like the samples so far: longs pay shorts, if negative shorts pay longs. It is 0 ' +
        'if the sampled part and the remaining part together are less than half of the period: such a period is settled at 0.',
    }),
    nextFundingAtEpochMs: epochMs.nullable().meta({ description: 'When the running period ends.' }),
    lastFundingRate: rate.nullable().meta({ description: 'The rate of the newest settled period.' }),
    lastFundingAtEpochMs: epochMs.nullable().meta({ description: 'When that period was settled.' }),
    sequence,
    asOfEpochMs: epochMs,
  })
  .meta({ id: 'MarketStats', 'x-openperp-ours': true });
export type MarketStats = z.infer<typeof marketStats>;

const bookLevel = z.tuple([decimal, decimal]).meta({ description: 'Price, then quantity.' });

/** The book, best price first. */
export const bookSnapshot = z
  .strictObject({
    version: z.literal('external-order-book/v1'),
    marketId,
    bids: z.array(bookLevel),
    asks: z.array(bookLevel),
    sequence,
    asOfEpochMs: epochMs,
  })
  .meta({ id: 'BookSnapshot', 'x-openperp-ours': true });
export type BookSnapshot = z.infer<typeof bookSnapshot>;

export const TIMEFRAMES = ['1m', '3m', '5m', '15m', '30m', '1h', '2h', '4h', '6h', '8h', '12h', '1d', '1w'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];
const MINUTE_MS = 60_000;
export const TIMEFRAME_MS: Readonly<Record<Timeframe, number>> = {
  '1m': MINUTE_MS,
  '3m': 3 * MINUTE_MS,
  '5m': 5 * MINUTE_MS,
  '15m': 15 * MINUTE_MS,
  '30m': 30 * MINUTE_MS,
  '1h': 60 * MINUTE_MS,
  '2h': 120 * MINUTE_MS,
  '4h': 240 * MINUTE_MS,
  '6h': 360 * MINUTE_MS,
  '8h': 480 * MINUTE_MS,
  '12h': 720 * MINUTE_MS,
  '1d': 1_440 * MINUTE_MS,
  '1w': 10_080 * MINUTE_MS,
};
/** Those of deployments and backtests, whose bars start at multiples of their length. */
export const DEPLOYMENT_TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'] as const satisfies readonly Timeframe[];
export type DeploymentTimeframe = (typeof DEPLOYMENT_TIMEFRAMES)[number];
export const CANDLE_SERIES = ['trade', 'index', 'mark'] as const;
export type CandleSeriesName = (typeof CANDLE_SERIES)[number];
/** The series of the channel market.candles. */
export const LIVE_CANDLE_SERIES = ['trade', 'index'] as const satisfies readonly CandleSeriesName[];
export type LiveCandleSeriesName = (typeof LIVE_CANDLE_SERIES)[number];

export const candleSeries = z
  .strictObject({
    version: z.literal('external-candle-series/v1'),
    marketId,
    timeframe: z.enum(TIMEFRAMES),
    series: z.enum(CANDLE_SERIES),
    candles: z.array(
      z.strictObject({
        openTimeEpochMs: epochMs,
        open: decimal,
        high: decimal,
        low: decimal,
        close: decimal,
        volume: decimal.meta({ description: 'Base traded; 0 in the series index and mark.' }),
        quoteVolume: decimal.meta({ description: 'Notional traded; 0 in the series index and mark.' }),
        synthetic: z.boolean().meta({
          description:
            'Whether the candle, or its first part, is before the first start of the venue. That part is generated from a seed, not observed ' +
            'or traded.',
        }),
      }),
    ),
    sequence,
    asOfEpochMs: epochMs,
  })
  .meta({ id: 'CandleSeries', 'x-openperp-ours': true });
export type CandleSeries = z.infer<typeof candleSeries>;

export const publicTrade = z
  .strictObject({
    tradeId: numberedId,
    marketId,
    side: side.meta({ description: "The taker's side." }),
    origin: venueOrigin.meta({
      description:
        'Set if the venue placed the taker order; null if a client did. No order quoted the price of an auto_deleveraging trade, so it ' +
        'counts neither as the last price nor in candles.',
    }),
    price: decimal,
    quantity: decimal,
    notional: decimal,
    executedAtEpochMs: epochMs,
    sequence,
  })
  .meta({ id: 'PublicTrade', 'x-openperp-ours': true });
export type PublicTrade = z.infer<typeof publicTrade>;

export const tradeList = z
  .strictObject({ version: z.literal('external-trade-list/v1'), marketId, trades: z.array(publicTrade), nextCursor, freshness })
  .meta({ id: 'TradeList', 'x-openperp-ours': true });
export type TradeList = z.infer<typeof tradeList>;

export const listMarkets = {
  id: 'listMarkets',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets',
  summary: 'Market catalogue',
  description:
    'Every market with its scales, bounds, margin and fees. Needs no API key; with one, `favorite` is set for its account.',
  access: 'none-or-bearer',
  success: { status: 200, schema: marketCatalogue, description: 'The catalogue.' },
  refusals: ['venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getMarket = {
  id: 'getMarket',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}',
  summary: 'One market',
  description: 'The entry of the catalogue for one market. An API key is optional, as in the catalogue.',
  access: 'none-or-bearer',
  params: marketParams,
  success: { status: 200, schema: singleMarket, description: 'The market.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getMarketStats = {
  id: 'getMarketStats',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/stats',
  summary: 'Ticker, open interest and funding',
  description:
    'Last, mark and index price, best bid and ask, the last 24 hours, the estimated funding rate of the running period and the rate of the last period.',
  access: 'none-or-bearer',
  params: marketParams,
  success: { status: 200, schema: marketStats, description: 'The stats.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getBook = {
  id: 'getBook',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/book',
  summary: 'Order book snapshot',
  description: 'The best price levels of both sides.',
  access: 'none-or-bearer',
  page: BOOK_PAGE,
  params: marketParams,
  query: z.strictObject({ depth: ours(wholeNumberInput(1, 500).default(50), 'The maximum number of levels per side.') }),
  success: { status: 200, schema: bookSnapshot, description: 'The book.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getCandles = {
  id: 'getCandles',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/candles',
  summary: 'Candles',
  description:
    'Oldest first: the newest candles, or with `since` the first candles from there. An interval without trades or observations has no candle. ' +
    'Candles from before the first start of the venue are generated (`synthetic`); there are some if it was started with a history.',
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: z.strictObject({
    timeframe: ours(
      z.enum(TIMEFRAMES).default('1m'),
      'The length of a candle. Candles start at multiples of it in UTC, weeks on Mondays.',
    ),
    series: ours(z.enum(CANDLE_SERIES).default('trade'), 'Candles of trades, of the index price, or of the mark price.'),
    since: ours(timeInput.optional(), 'Epoch milliseconds, inclusive: the first open time.'),
    limit: ours(wholeNumberInput(1, 1000).default(500), 'The maximum number of candles.'),
  }),
  success: { status: 200, schema: candleSeries, description: 'The candles.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listTrades = {
  id: 'listTrades',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/trades',
  summary: 'Public trades',
  description: 'Executed trades, including liquidations and deleveraging. Newest first; with `since` oldest first from there.',
  isOurs: true,
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: pageQuery({}),
  success: { status: 200, schema: tradeList, description: 'The trades.' },
  refusals: ['market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const marketOperations = { listMarkets, getMarket, getMarketStats, getBook, getCandles, listTrades };
