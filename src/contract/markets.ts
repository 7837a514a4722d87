/** Markets: the public reads. None needs a key. */
import * as z from 'zod';
import {
  atoms,
  decimal,
  epochMs,
  freshness,
  marketId,
  marketParams,
  momentInput,
  nextCursor,
  numberedId,
  ours,
  pageQuery,
  rate,
  readModelDigest,
  sequence,
  settlementAsset,
  side,
  wholeNumberInput,
} from './fields.ts';
import { BOOK_PAGE, MARKET_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';
import { venueOrigin } from './orders.ts';

const change24hBps = z
  .string()
  .regex(/^-?[0-9]+$/)
  .meta({ description: 'Last price against the price 24 hours ago, in hundredths of a percent, toward zero.' });

/** One market (2.8). What needs a trade is null before the first. */
export const market = z
  .strictObject({
    marketId,
    underlyingSymbol: z.string(),
    marketType: z.literal('crypto'),
    logoUrl: z.string().nullable().meta({ description: 'null: the venue keeps no pictures, and logoUnavailable says so.' }),
    logoUnavailable: z.boolean(),
    status: z.enum(['draft', 'open', 'cancel_only', 'closed', 'reduce_only']).meta({
      id: 'MarketStatus',
      description:
        'open takes every order; reduce_only only those that reduce a position; the others none. An open order can be cancelled in all.',
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
            'What an order needs at least, after which the position and the orders that enlarge it come to this tier.',
          ),
          maxLeverageX: ours(z.int().min(1), 'The highest leverageX of such an order.'),
        }),
      )
      .min(1)
      .meta({ description: 'Each rate is of the part of a notional that lies above its threshold and below the next.' }),
    maxLeverageX: z.int().min(1),
    makerFeeBps: z.int(),
    takerFeeBps: z.int(),
    settlementAsset,
    settlementAssetDecimals: z.int().min(0).max(18),
    lastPriceAtoms: atoms.nullable(),
    lastPrice: decimal.nullable(),
    change24hBps: change24hBps.nullable(),
    favorite: z.boolean().meta({
      description:
        "Whether it is a favorite of the API key's account; false without a key, and for one without the scope read or trade.",
    }),
    baseAsset: ours(z.string(), 'What a quantity counts; the same as underlyingSymbol.'),
    quoteAsset: ours(settlementAsset, 'What a price counts; the same as settlementAsset.'),
    contractSize: ours(z.literal('1'), 'The base of one contract: quantities are in base.'),
    tickSize: ours(decimal, 'The smallest step of a price.'),
    lotSize: ours(decimal, 'The smallest step of a quantity.'),
    priceBandBps: ours(z.int(), 'How far above the mark a buy and below it a sell may reach, in hundredths of a percent.'),
    markBandBps: ours(z.int(), 'How far the book can pull the mark from the index, in hundredths of a percent.'),
    liquidationFeeBps: ours(
      z.int(),
      'What a liquidated position pays of what is closed of it, in hundredths of a percent; it goes to the insurance fund.',
    ),
    autoDeleveraging: ours(
      z.boolean(),
      'Whether positions in profit are closed against a bankrupt one that nothing else covers.',
    ),
    maxIndexAgeMs: ours(z.int(), 'An index price older than this is stale.'),
    maxIndexJumpBps: ours(
      z.int(),
      'An index price further than this from the one before, in hundredths of a percent, has to be confirmed.',
    ),
    indexConfirmations: ours(z.int(), 'How many more observations confirm it.'),
    fundingPeriodMs: ours(z.int(), 'How often funding is paid.'),
    fundingInterestRate: ours(rate, 'What longs pay shorts for a period in which the book agrees with the index.'),
    fundingRateCap: ours(rate, 'The most that either side pays for a period.'),
    premiumSampleMs: ours(z.int(), 'How often the premium of the book over the index is looked at.'),
    impactNotional: ours(decimal, 'The premium is taken where this much would be bought or sold.'),
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
        'Names the state of the registry: every listing and status change there was, each with its place in the journal. It covers ' +
        'nothing else of the markets and cannot be computed from them.',
    }),
  })
  .meta({ id: 'MarketCatalogue' });
export type MarketCatalogue = z.infer<typeof marketCatalogue>;

export const singleMarket = z
  .strictObject({ version: z.literal('external-market/v1'), market, snapshotSequence: sequence, readModelDigest })
  .meta({ id: 'SingleMarket', 'x-openperp-ours': true });
export type SingleMarket = z.infer<typeof singleMarket>;

/** Ticker, open interest and funding. What has no value yet is null, never zero. */
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
          'Whether the index price can be relied on at this moment: unconfirmed after a jump that has yet to be seen again, stale without ' +
          'news. While it is not current nothing opens risk, nobody is liquidated and no funding is settled.',
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
    openInterest: decimal.meta({ description: 'The base quantity of all long positions, which is that of all short ones.' }),
    estimatedFundingRate: rate.nullable().meta({
      description:
        'What the running period comes to if the rest of it is like what was sampled: longs pay shorts, below zero shorts pay longs. It is 0 ' +
        'while what was watched of the period and what is left of it are less than half of it: such a period is settled at 0.',
    }),
    nextFundingAtEpochMs: epochMs.nullable().meta({ description: 'When the running period ends.' }),
    lastFundingRate: rate.nullable().meta({ description: 'The rate of the newest period that was settled.' }),
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

export const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d'] as const;
export type Timeframe = (typeof TIMEFRAMES)[number];
export const CANDLE_SERIES = ['trade', 'index'] as const;
export type CandleSeriesName = (typeof CANDLE_SERIES)[number];

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
        volume: decimal.meta({ description: 'Base traded; 0 in the index series.' }),
        quoteVolume: decimal.meta({ description: 'Notional traded; 0 in the index series.' }),
        synthetic: z.boolean().meta({
          description:
            'Whether the candle, or the first part of it, lies before the first start of the venue: it was made up from a seed, and nothing was ' +
            'observed or traded there.',
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
        'Who placed the order that took; null where a client did. The price of a trade that is auto_deleveraging was quoted by nobody: it is no last ' +
        'price and in no candle.',
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
  description: 'Every market with its scales, bounds, margin and fees. Needs no key; with one `favorite` is that of its account.',
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
  description: 'The entry of the catalogue for one market. Takes an API key as the catalogue does.',
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
    'Last, mark and index price, best bid and ask, the last 24 hours, and funding: the estimate for the running period and the rate of the last.',
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
  query: z.strictObject({ depth: ours(wholeNumberInput(1, 500).default(50), 'The most levels per side.') }),
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
    'Oldest first: the newest ones without `since`, the first ones from it on with it. A timeframe in which nothing was observed has no candle. ' +
    'Before the first start of the venue lie candles that are made up (`synthetic`), if it was started with a history.',
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: z.strictObject({
    timeframe: ours(z.enum(TIMEFRAMES).default('1m'), 'The length of a candle.'),
    series: ours(z.enum(CANDLE_SERIES).default('trade'), 'Trades of this market, or its index price.'),
    since: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: the first open time.'),
    limit: ours(wholeNumberInput(1, 1000).default(500), 'The most candles to return.'),
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
  description:
    'Executed trades, those by which positions were liquidated or deleveraged among them. Newest first; oldest first from `since` on.',
  isOurs: true,
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: pageQuery({}),
  success: { status: 200, schema: tradeList, description: 'The trades.' },
  refusals: ['market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const marketOperations = { listMarkets, getMarket, getMarketStats, getBook, getCandles, listTrades };
