/**
 * Responses of a venue for tests of the class alone. `canned.test.ts` compares them with the contract, so that they cannot drift
 * from the venue.
 */
import type { CannedResponse, RecordedRequest } from '#compat/recorder.ts';
import {
  ACCOUNT,
  AS_OF,
  DIGEST,
  FRESHNESS,
  FUNDING_PAYMENTS,
  LEDGER,
  LEVERAGE,
  MARGIN_CHANGE,
  MORE_TRANSFERS,
  POSITION_HISTORY,
  POSITIONS,
  TRANSFERS,
} from './canned-account.ts';

export const MARKET = {
  marketId: 'BTC-USD-PERP',
  underlyingSymbol: 'BTC',
  marketType: 'crypto',
  logoUrl: null,
  logoUnavailable: true,
  status: 'open',
  priceScale: 1,
  quantityScale: 5,
  minPrice: '100',
  maxPrice: '1000000',
  minQuantity: '0.0001',
  maxQuantity: '100',
  initialMarginBps: 200,
  maintenanceMarginTiers: [
    { notionalThresholdAtoms: '0', maintenanceMarginBps: 100, initialMarginBps: 200, maxLeverageX: 50 },
    { notionalThresholdAtoms: '2000000000000', maintenanceMarginBps: 150, initialMarginBps: 300, maxLeverageX: 33 },
    { notionalThresholdAtoms: '10000000000000', maintenanceMarginBps: 250, initialMarginBps: 500, maxLeverageX: 20 },
  ],
  maxLeverageX: 50,
  makerFeeBps: -1,
  takerFeeBps: 5,
  settlementAsset: 'USD.E',
  settlementAssetDecimals: 6,
  lastPriceAtoms: null,
  lastPrice: null,
  change24hBps: null,
  favorite: false,
  baseAsset: 'BTC',
  quoteAsset: 'USD.E',
  contractSize: '1',
  tickSize: '0.1',
  lotSize: '0.00001',
  maxPositionQuantity: '800',
  maxPositionNotional: '562949953.421312',
  openInterestLower: null,
  openInterestUpper: null,
  priceBandBps: 1000,
  markBandBps: 50,
  liquidationFeeBps: 50,
  autoDeleveraging: true,
  maxIndexAgeMs: 30_000,
  maxIndexJumpBps: 500,
  indexConfirmations: 3,
  fundingPeriodMs: 3_600_000,
  fundingInterestRate: '0.0000125',
  fundingRateCap: '0.004',
  premiumSampleMs: 5_000,
  impactNotional: '10000',
} as const;

export const CATALOGUE = {
  version: 'external-market-catalog/v1',
  markets: [MARKET],
  snapshotSequence: 9,
  readModelDigest: DIGEST,
} as const;

export const SINGLE_MARKET = {
  version: 'external-market/v1',
  market: MARKET,
  snapshotSequence: 9,
  readModelDigest: DIGEST,
} as const;

/** Before the first trade: unknown values are null. */
export const STATS_BEFORE_TRADES = {
  version: 'external-market-stats/v1',
  marketId: 'BTC-USD-PERP',
  status: 'open',
  lastPrice: null,
  lastQuantity: null,
  lastTradeAtEpochMs: null,
  markPrice: null,
  indexPrice: null,
  indexObservedAtEpochMs: null,
  indexStatus: null,
  bestBidPrice: null,
  bestBidQuantity: null,
  bestAskPrice: null,
  bestAskQuantity: null,
  openPrice24h: null,
  highPrice24h: null,
  lowPrice24h: null,
  change24hBps: null,
  baseVolume24h: '0',
  quoteVolume24h: '0',
  openInterest: '0',
  currentInitialMarginBps: 200,
  insuranceBalance: '0',
  estimatedFundingRate: null,
  nextFundingAtEpochMs: null,
  lastFundingRate: null,
  lastFundingAtEpochMs: null,
  sequence: 9,
  asOfEpochMs: AS_OF,
} as const;

export const API_KEY = {
  version: 'external-api-key/v1',
  keyId: 'k1',
  accountId: 'acct-7',
  scopes: ['read', 'trade'],
  label: 'demo',
  status: 'active',
  createdAtEpochMs: AS_OF,
  expiresAtEpochMs: null,
} as const;

export const ORDER = {
  version: 'external-order/v1',
  orderId: '42',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  status: 'cancelled',
  lastSequence: 9,
  idempotencyKey: 'mine',
  cancelReason: 'reduce_only',
  origin: null,
  clientOrderId: 'mine',
  side: 'buy',
  orderType: 'limit',
  price: '65000.1',
  quantity: '0.3',
  notional: null,
  filledQuantity: '0.1',
  remainingQuantity: '0.2',
  averagePrice: '65000.1',
  filledNotional: '6500.01',
  feePaid: '-0.650001',
  postOnly: true,
  reduceOnly: false,
  timeInForce: 'PO',
  expiresAtEpochMs: null,
  trigger: null,
  attachedOrderIds: [],
  leverageX: 10,
  createdAtEpochMs: 1_763_670_000_000,
  updatedAtEpochMs: 1_763_670_000_100,
  lastFillAtEpochMs: 1_763_670_000_050,
} as const;

const TRIGGER = {
  type: 'stop_loss',
  source: 'mark',
  direction: 'below',
  price: '60000',
  status: 'waiting',
  triggeredAtEpochMs: null,
  closePosition: false,
  trailingAmount: null,
  trailingBps: null,
  entryOrderId: null,
  linkedOrderId: null,
} as const;

/** A stop-loss that waits for its price. */
export const WAITING_ORDER = {
  ...ORDER,
  orderId: '43',
  status: 'open',
  cancelReason: undefined,
  side: 'sell',
  orderType: 'market',
  price: null,
  filledQuantity: '0',
  remainingQuantity: '0.3',
  averagePrice: null,
  filledNotional: '0',
  feePaid: '0',
  postOnly: false,
  reduceOnly: true,
  timeInForce: 'IOC',
  trigger: TRIGGER,
  leverageX: null,
  lastFillAtEpochMs: null,
} as const;

export const TRAILING_ORDER = {
  ...WAITING_ORDER,
  orderId: '44',
  trigger: { ...TRIGGER, type: 'trailing_stop', trailingBps: 300 },
} as const;

const { version: _, ...ORDER_FIELDS } = ORDER;

const AMENDMENT = {
  orderId: '42',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  status: 'open',
  side: 'buy',
  price: '65000.1',
  quantity: '0.2',
  filledQuantity: '0',
  remainingQuantity: '0.2',
  keepsPriority: true,
  lastSequence: 9,
  idempotencyKey: 'mine',
  amendedAtEpochMs: AS_OF,
} as const;

export const AMENDED = { version: 'external-order-amendment/v1', ...AMENDMENT } as const;

export const AMENDMENTS = {
  version: 'external-order-amendment-batch/v1',
  outcomes: [
    { index: 0, accepted: true, ...AMENDMENT },
    {
      index: 1,
      accepted: false,
      orderId: null,
      clientOrderId: 'b',
      accountId: 'acct-7',
      marketId: 'BTC-USD-PERP',
      lastSequence: 9,
      idempotencyKey: 'mine',
      code: 'order_not_open',
      safeMessage: 'The order has already ended.',
    },
  ],
} as const;

export const TIMER = {
  version: 'external-cancel-all-after/v1',
  accountId: 'acct-7',
  marketId: null,
  cancelsAtEpochMs: AS_OF + 60_000,
  setAtEpochMs: AS_OF,
  lastSequence: 9,
} as const;

export const BATCH = {
  version: 'external-limit-order-batch/v1',
  outcomes: [
    { index: 0, accepted: true, ...ORDER_FIELDS },
    {
      index: 1,
      accepted: false,
      orderId: null,
      accountId: 'acct-7',
      marketId: 'BTC-USD-PERP',
      status: 'rejected',
      lastSequence: 9,
      idempotencyKey: 'mine',
      clientOrderId: 'b',
      code: 'insufficient_margin',
      safeMessage: 'The order needs 1 USD.E more than the account has available.',
    },
  ],
} as const;

export const CANCELS = {
  version: 'external-order-cancel-batch/v1',
  outcomes: [
    { index: 0, accepted: true, ...ORDER_FIELDS },
    {
      index: 1,
      accepted: false,
      orderId: '43',
      accountId: 'acct-7',
      marketId: null,
      status: null,
      lastSequence: null,
      idempotencyKey: null,
      clientOrderId: null,
      code: 'order_not_found',
      safeMessage: 'The account has no such order.',
      order: null,
    },
    {
      index: 2,
      accepted: false,
      orderId: '42',
      accountId: 'acct-7',
      marketId: 'BTC-USD-PERP',
      status: 'cancelled',
      lastSequence: 9,
      idempotencyKey: 'mine',
      clientOrderId: 'mine',
      code: 'order_not_open',
      safeMessage: 'The order has already ended.',
      order: ORDER,
    },
  ],
} as const;

export const CANCELLED = {
  version: 'external-order-cancel-all/v1',
  accountId: 'acct-7',
  cancelled: [{ orderId: '42', clientOrderId: 'mine', marketId: 'BTC-USD-PERP' }],
  lastSequence: 9,
} as const;

export const ORDERS = {
  version: 'external-order-list/v1',
  accountId: 'acct-7',
  orders: [ORDER],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

/** With a mark price and funding, before the first trade. */
export const STATS = {
  ...STATS_BEFORE_TRADES,
  markPrice: '66000',
  indexPrice: '65990.5',
  openInterest: '2.5',
  currentInitialMarginBps: 200,
  insuranceBalance: '0',
  estimatedFundingRate: '-0.0000125',
  nextFundingAtEpochMs: 1_763_672_400_000,
  lastFundingRate: '0.00002',
  lastFundingAtEpochMs: 1_763_668_800_000,
} as const;

export const STATS_LIST = { version: 'external-market-stats-list/v1', stats: [STATS], freshness: FRESHNESS } as const;

const RATE = {
  marketId: 'BTC-USD-PERP',
  period: 7,
  fundingRate: '0.00002',
  indexPrice: '65990.5',
  settledAtEpochMs: 1_763_668_800_000,
  sequence: 8,
  synthetic: false,
} as const;

/** Newest first. */
export const FUNDING_RATES = {
  version: 'external-funding-rate-list/v1',
  marketId: 'BTC-USD-PERP',
  rates: [RATE, { ...RATE, period: 6, fundingRate: '-0.0000125', settledAtEpochMs: 1_763_665_200_000, sequence: 7 }],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

/** The response to a path, or a placed order to every POST. */
export function cannedResponse({ method, path }: RecordedRequest): CannedResponse {
  if (method === 'PUT') return { status: 200, body: LEVERAGE };
  if (method === 'POST') {
    const isPlacement = path === '/v1/orders' || path === '/v1/orders/batch';
    return { status: isPlacement ? 202 : 200, body: POSTED[path] ?? ORDER };
  }
  if (path.startsWith('/v1/orders/')) return { status: 200, body: ORDER };
  if (path.includes('cursor=more')) return { status: 200, body: MORE_TRANSFERS };
  const body = BODIES[path.replace(/\?.*/, '')];
  return body === undefined ? { status: 599, body: { nothingCannedFor: path } } : { status: 200, body };
}

const POSTED: Readonly<Record<string, object>> = {
  '/v1/orders/batch': BATCH,
  '/v1/orders/batch/cancel': CANCELS,
  '/v1/orders/cancel-all': CANCELLED,
  '/v1/orders/amend': AMENDED,
  '/v1/orders/batch/amend': AMENDMENTS,
  '/v1/orders/cancel-all-after': TIMER,
  '/v1/accounts/acct-7/positions/BTC-USD-PERP/margin': MARGIN_CHANGE,
};

const BODIES: Readonly<Record<string, object>> = {
  '/v1/markets': CATALOGUE,
  '/v1/markets/BTC-USD-PERP': SINGLE_MARKET,
  '/v1/markets/BTC-USD-PERP/stats': STATS_BEFORE_TRADES,
  '/v1/markets/BTC-USD-PERP/funding': FUNDING_RATES,
  '/v1/market-data/stats': STATS_LIST,
  '/v1/api-keys/current': API_KEY,
  '/v1/accounts/acct-7': ACCOUNT,
  '/v1/accounts/acct-7/orders': ORDERS,
  '/v1/accounts/acct-7/positions': POSITIONS,
  '/v1/accounts/acct-7/positions/history': POSITION_HISTORY,
  '/v1/accounts/acct-7/funding': FUNDING_PAYMENTS,
  '/v1/accounts/acct-7/ledger': LEDGER,
  '/v1/accounts/acct-7/transfers': TRANSFERS,
};
