/**
 * What a venue answers, word for word, for tests of the class alone. `canned.test.ts` holds each of these against the
 * contract, so that they cannot drift from what the venue really says.
 */
import type { CannedAnswer, RecordedRequest } from '#compat/recorder.ts';

const DIGEST = `sha256:${'0'.repeat(64)}`;
const AS_OF = 1_763_670_000_123;

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

/** Before the first trade: what has no value yet is null. */
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
  leverageX: 10,
  createdAtEpochMs: 1_763_670_000_000,
  updatedAtEpochMs: 1_763_670_000_100,
  lastFillAtEpochMs: 1_763_670_000_050,
} as const;

const { version: _, ...ORDER_FIELDS } = ORDER;

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

const FRESHNESS = {
  status: 'fresh',
  degradedState: 'none',
  journalSequence: 9,
  asOfEpochMs: AS_OF,
  projectorLagMs: 0,
  dbReplicaLagMs: 0,
  backfillStatus: 'live',
} as const;

export const ORDERS = {
  version: 'external-order-list/v1',
  accountId: 'acct-7',
  orders: [ORDER],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

export const ACCOUNT = {
  version: 'external-account-snapshot/v1',
  accountId: 'acct-7',
  asset: 'USD.E',
  snapshotSequence: 9,
  readModelDigest: DIGEST,
  marginMode: 'isolated',
  cashBalanceAtoms: '9000100000',
  cashBalance: '9000.1',
  equityAtoms: '9000250000',
  equity: '9000.25',
  availableForOrdersAtoms: '8999900001',
  availableForOrders: '8999.900001',
  resync: { stream: 'account.margin', fromSequence: 10 },
  consentState: 'absent',
  riskEvidence: { status: 'complete' },
  positions: [],
  reservedForOrdersAtoms: '199999',
  reservedForOrders: '0.199999',
  positionMarginAtoms: '200000',
  positionMargin: '0.2',
  freshness: FRESHNESS,
} as const;

export const POSITION = {
  positionId: '3',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  side: 'short',
  status: 'open',
  openedAtEpochMs: 1_763_670_000_000,
  closedAtEpochMs: null,
  maxQuantityAtoms: '40000',
  maxQuantity: '0.4',
  currentQuantityAtoms: '30000',
  currentQuantity: '0.3',
  avgEntryPriceAtoms: '650000',
  avgEntryPrice: '65000',
  avgExitPriceAtoms: '649000',
  avgExitPrice: '64900',
  realizedPnlAtoms: '10000000',
  realizedPnl: '10',
  feesPaidAtoms: '16247500',
  feesPaid: '16.2475',
  fundingPaidAtoms: '0',
  fundingPaid: '0',
  closeReason: null,
  lastSequence: 9,
  markPriceAtoms: '660000',
  unrealizedPnlAtoms: '-300000000',
  liquidationPriceAtoms: '675742',
  marginHealthBps: '34090',
  equityAtoms: '675000000',
  maintenanceRequirementAtoms: '198000000',
  marginStatus: 'healthy',
  riskAsOfMarketDataSequence: 9,
  liquidationTierConsistent: true,
  adlIndicator: null,
  marginMode: 'isolated',
  marginAtoms: '975000000',
  margin: '975',
  entryNotionalAtoms: '19500000000',
  entryNotional: '19500',
  markPrice: '66000',
  unrealizedPnl: '-300',
  liquidationPrice: '67574.2',
  maintenanceRequirement: '198',
  updatedAtEpochMs: 1_763_670_000_100,
} as const;

export const POSITIONS = {
  version: 'external-position-snapshot/v1',
  accountId: 'acct-7',
  snapshotSequence: 9,
  readModelDigest: DIGEST,
  positions: [POSITION],
  resync: { stream: 'account.positions', fromSequence: 10 },
  freshness: FRESHNESS,
} as const;

/** With a mark and funding, before the first trade. */
export const STATS = {
  ...STATS_BEFORE_TRADES,
  markPrice: '66000',
  indexPrice: '65990.5',
  openInterest: '2.5',
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

const PAYMENT = {
  paymentId: '3-7',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  positionId: '3',
  period: 7,
  fundingRate: '0.00002',
  asset: 'USD.E',
  amountAtoms: '390000',
  amount: '0.39',
  paidAtEpochMs: 1_763_668_800_001,
  sequence: 8,
} as const;

export const FUNDING_PAYMENTS = {
  version: 'external-funding-payment-list/v1',
  accountId: 'acct-7',
  payments: [PAYMENT, { ...PAYMENT, paymentId: '3-6', period: 6, amountAtoms: '-125', amount: '-0.000125', sequence: 7 }],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

const NO_RISK = {
  markPriceAtoms: null,
  markPrice: null,
  unrealizedPnlAtoms: null,
  unrealizedPnl: null,
  liquidationPriceAtoms: null,
  liquidationPrice: null,
  marginHealthBps: null,
  equityAtoms: null,
  maintenanceRequirementAtoms: null,
  maintenanceRequirement: null,
  marginStatus: null,
  riskAsOfMarketDataSequence: null,
  liquidationTierConsistent: null,
} as const;

export const CLOSED_POSITION = {
  ...POSITION,
  ...NO_RISK,
  status: 'closed',
  closedAtEpochMs: 1_763_670_000_100,
  closeReason: 'liquidation',
  currentQuantityAtoms: '0',
  currentQuantity: '0',
  marginAtoms: '0',
  margin: '0',
  entryNotionalAtoms: '0',
  entryNotional: '0',
} as const;

export const POSITION_HISTORY = {
  version: 'external-position-history/v1',
  accountId: 'acct-7',
  positions: [CLOSED_POSITION],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

const DEPOSIT = {
  transferId: 'deposit-1',
  accountId: 'acct-7',
  kind: 'deposit',
  asset: 'USD.E',
  amountAtoms: '10000000000',
  amount: '10000',
  status: 'credited',
  ledgerEventId: 'event-1',
  updatedAtEpochMs: 1_763_660_000_000,
  lastSequence: 3,
} as const;
const WITHDRAWAL = {
  ...DEPOSIT,
  ledgerEventId: null,
  transferId: 'withdrawal-1',
  kind: 'withdrawal',
  amountAtoms: '1500000',
  amount: '1.5',
} as const;

/** Two pages: between them a withdrawal has changed, and is shown again. */
export const TRANSFERS = {
  version: 'external-transfer-history/v1',
  accountId: 'acct-7',
  kind: null,
  transfers: [DEPOSIT, { ...WITHDRAWAL, status: 'reserved', updatedAtEpochMs: 1_763_660_000_001 }],
  nextCursor: 'more',
  freshness: FRESHNESS,
} as const;

export const MORE_TRANSFERS = {
  version: 'external-transfer-history/v1',
  accountId: 'acct-7',
  kind: null,
  transfers: [
    { ...WITHDRAWAL, transferId: 'withdrawal-2', status: 'released', updatedAtEpochMs: 1_763_660_000_002 },
    { ...WITHDRAWAL, status: 'settled', ledgerEventId: 'event-2', updatedAtEpochMs: 1_763_660_000_003 },
  ],
  nextCursor: null,
  freshness: FRESHNESS,
} as const;

/** The answer to a path, or a placed order to every POST. */
export function cannedAnswer({ method, path }: RecordedRequest): CannedAnswer {
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
  '/v1/accounts/acct-7/transfers': TRANSFERS,
};
