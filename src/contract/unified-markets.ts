/** /v2: markets with their stats, candles and books in the structures of the unified library. They need no API key. */
import * as z from 'zod';
import { epochMs, ours, SETTLEMENT_ASSET, sequence, timeInput, wholeNumberInput } from './fields.ts';
import { BOOK_PAGE, MARKET_PAGE } from './limits.ts';
import { market, marketStats, TIMEFRAMES } from './markets.ts';
import type { Operation } from './operation.ts';
import { amount, amountOrNull, symbol, symbolParams, textOrNull, timeOrNull, unknown } from './unified-fields.ts';
import { CANDLE_PRICES, unsupportedInCandles } from './unified-unsupported.ts';

const range = z.strictObject({ min: amountOrNull, max: amountOrNull });

/** A market of ccxt. */
export const unifiedMarket = z
  .strictObject({
    id: market.shape.marketId,
    lowercaseId: unknown,
    symbol,
    base: z.string(),
    quote: z.string(),
    settle: z.string(),
    baseId: z.string(),
    quoteId: z.string(),
    settleId: z.string(),
    type: z.literal('swap'),
    spot: z.literal(false),
    margin: z.literal(false),
    swap: z.literal(true),
    future: z.literal(false),
    option: z.literal(false),
    index: z.literal(false),
    active: z.boolean().meta({ description: 'Whether the market accepts every order: its status is open.' }),
    contract: z.literal(true),
    linear: z.literal(true),
    inverse: z.literal(false),
    subType: z.literal('linear'),
    taker: amount.meta({ description: 'The taker fee as a fraction: 0.0005 is 0.05 %.' }),
    maker: amount.meta({ description: 'The maker fee as a fraction; negative for a rebate.' }),
    contractSize: z.literal(1),
    expiry: unknown,
    expiryDatetime: unknown,
    strike: unknown,
    optionType: unknown,
    precision: z
      .strictObject({ amount, price: amount, cost: amount, base: unknown, quote: amount })
      .meta({ description: 'Step sizes (TICK_SIZE), not numbers of digits.' }),
    limits: z.strictObject({ leverage: range, amount: range, price: range, cost: range }),
    marginModes: z.strictObject({ cross: z.literal(false), isolated: z.literal(true) }),
    created: unknown,
    info: market,
  })
  .meta({ id: 'UnifiedMarket', 'x-openperp-ours': true });
export type UnifiedMarket = z.infer<typeof unifiedMarket>;

const unifiedMarkets = z.array(unifiedMarket).meta({ id: 'UnifiedMarkets', 'x-openperp-ours': true });

/** A ticker and a funding rate of ccxt in one. */
export const unifiedStats = z
  .strictObject({
    symbol,
    timestamp: epochMs,
    datetime: z.string(),
    high: amountOrNull,
    low: amountOrNull,
    bid: amountOrNull,
    bidVolume: amountOrNull,
    ask: amountOrNull,
    askVolume: amountOrNull,
    vwap: amountOrNull,
    open: amountOrNull,
    close: amountOrNull,
    last: amountOrNull,
    previousClose: unknown,
    change: amountOrNull,
    percentage: amountOrNull,
    average: amountOrNull.meta({ description: 'The average of open and close, rounded down to the tick.' }),
    baseVolume: amount,
    quoteVolume: amount,
    markPrice: amountOrNull,
    indexPrice: amountOrNull,
    interestRate: amount,
    estimatedSettlePrice: unknown,
    fundingRate: amountOrNull.meta({
      description: 'The estimatedFundingRate of info: longs pay shorts, if negative shorts pay longs.',
    }),
    fundingTimestamp: timeOrNull.meta({ description: 'When the running period ends and is settled.' }),
    fundingDatetime: textOrNull,
    nextFundingRate: unknown,
    nextFundingTimestamp: unknown,
    nextFundingDatetime: unknown,
    previousFundingRate: amountOrNull.meta({ description: 'The rate of the newest settled period.' }),
    previousFundingTimestamp: timeOrNull,
    previousFundingDatetime: textOrNull,
    interval: z.string().meta({ description: 'The length of a funding period, such as 1h.' }),
    info: marketStats,
  })
  .meta({
    id: 'UnifiedStats',
    description: 'The results of fetchTicker and fetchFundingRate in one object.',
    'x-openperp-ours': true,
  });
export type UnifiedStats = z.infer<typeof unifiedStats>;

export const unifiedCandles = z
  .array(
    z
      .tuple([epochMs, amount, amount, amount, amount, amount])
      .meta({ description: 'Open time, open, high, low, close, base volume.' }),
  )
  .meta({ id: 'UnifiedCandles', 'x-openperp-ours': true });
export type UnifiedCandles = z.infer<typeof unifiedCandles>;

const level = z.tuple([amount, amount]).meta({ description: 'Price, then amount.' });

export const unifiedBook = z
  .strictObject({
    symbol,
    bids: z.array(level),
    asks: z.array(level),
    timestamp: epochMs,
    datetime: z.string(),
    nonce: sequence,
  })
  .meta({ id: 'UnifiedBook', description: 'Best price first.', 'x-openperp-ours': true });
export type UnifiedBook = z.infer<typeof unifiedBook>;

export const listUnifiedMarkets = {
  id: 'listUnifiedMarkets',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/markets',
  summary: 'fetchMarkets',
  description: `Every market in ccxt's market structure, quoted and settled in ${SETTLEMENT_ASSET}.`,
  access: 'none-or-bearer',
  success: { status: 200, schema: unifiedMarkets, description: 'The markets.' },
  refusals: ['venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getUnifiedStats = {
  id: 'getUnifiedStats',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/markets/{symbol}/stats',
  summary: 'fetchTicker, fetchFundingRate',
  description: "One object with the fields of ccxt's ticker and of its funding rate.",
  access: 'none-or-bearer',
  params: symbolParams,
  success: { status: 200, schema: unifiedStats, description: 'The stats.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getUnifiedCandles = {
  id: 'getUnifiedCandles',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/markets/{symbol}/candles',
  summary: 'fetchOHLCV',
  description:
    'Rows, oldest first: the newest candles, or with `since` the first candles from there. A timeframe or price without candles is refused ' +
    'with 501 NotSupported.',
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: symbolParams,
  query: z.strictObject({
    timeframe: ours(z.enum(TIMEFRAMES).default('1m'), 'The length of a candle.'),
    price: ours(
      z.enum(CANDLE_PRICES).optional(),
      'index: candles of the index price; mark: of the mark price. Without it: candles of trades.',
    ),
    since: ours(timeInput.optional(), 'Epoch milliseconds, inclusive: the first open time.'),
    limit: ours(wholeNumberInput(1, 1000).default(500), 'The maximum number of candles.'),
  }),
  success: { status: 200, schema: unifiedCandles, description: 'The candles.' },
  unsupported: ({ query }) => unsupportedInCandles(query),
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getUnifiedBook = {
  id: 'getUnifiedBook',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/markets/{symbol}/book',
  summary: 'fetchOrderBook',
  description: 'The best price levels of both sides. nonce is the journal sequence of the book.',
  access: 'none-or-bearer',
  page: { ...BOOK_PAGE, parameter: 'limit' },
  params: symbolParams,
  query: z.strictObject({ limit: ours(wholeNumberInput(1, 500).default(50), 'The maximum number of levels per side.') }),
  success: { status: 200, schema: unifiedBook, description: 'The book.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const unifiedMarketOperations = { listUnifiedMarkets, getUnifiedStats, getUnifiedCandles, getUnifiedBook };
