/**
 * The tables and their indexes. A file of another schema is discarded and folded again from the journal, so there are no migrations: change
 * the text below, or raise `FOLD_VERSION` when the content of the same tables changes.
 */
import { createHash } from 'node:crypto';
import type {
  AccountRow,
  ApiKeyRow,
  DayOpeningRow,
  FavoriteRow,
  LeaderboardListingRow,
  LeverageRow,
  ResultRow,
} from './account-rows.ts';
import { AFFILIATE_SCHEMA } from './affiliate-tables.ts';
import { AGENT_SCHEMA } from './agent-tables.ts';
import { MONEY_SCHEMA } from './money-tables.ts';
import { OPEN_INTEREST_SCHEMA } from './open-interest-tables.ts';
import type {
  CandleRow,
  EpisodeRow,
  FillRow,
  FundingPaymentRow,
  FundingPeriodRow,
  LedgerRow,
  MarketActivityRow,
  MarketRow,
  OrderRow,
  SwitchRow,
  TradeRow,
} from './rows.ts';
import type { TableShape } from './table.ts';

const FOLD_VERSION = 6;

/**
 * Times in the journal do not decrease and numbers are assigned in order, so an index by time gives the first number of a page; pages then
 * use only the numbers.
 */
export const SCHEMA = `
CREATE TABLE checkpoint (
  id INTEGER PRIMARY KEY CHECK (id = 1), schemaDigest TEXT NOT NULL, sequence INTEGER NOT NULL, epochMs INTEGER NOT NULL,
  chainDigest TEXT NOT NULL, registryDigest TEXT NOT NULL
) STRICT;

CREATE TABLE file (id INTEGER PRIMARY KEY CHECK (id = 1), fileId TEXT NOT NULL, number INTEGER NOT NULL) STRICT;

CREATE TABLE orders (
  "order" INTEGER PRIMARY KEY, account INTEGER NOT NULL, market INTEGER NOT NULL, origin TEXT NOT NULL,
  clientOrderId TEXT NOT NULL, idempotencyKey TEXT NOT NULL, side TEXT NOT NULL, orderType TEXT NOT NULL, priceAtoms INTEGER, quantityAtoms INTEGER,
  notionalAtoms INTEGER, postOnly INTEGER NOT NULL, reduceOnly INTEGER NOT NULL, leverageHundredths INTEGER NOT NULL,
  timeInForce TEXT, expiresAtEpochMs INTEGER,
  createdAtEpochMs INTEGER NOT NULL, status TEXT NOT NULL, cancelReason TEXT, filledAtoms INTEGER NOT NULL,
  filledNotionalAtoms INTEGER NOT NULL, feeAtoms INTEGER NOT NULL, lastFillAtEpochMs INTEGER,
  updatedAtEpochMs INTEGER NOT NULL, lastSequence INTEGER NOT NULL, trigger TEXT, attached TEXT
) STRICT;
CREATE INDEX ordersByStatus ON orders (account, status);
CREATE INDEX ordersByMarket ON orders (account, market, status);
CREATE INDEX ordersByClientOrderId ON orders (account, clientOrderId);
CREATE INDEX ordersByTime ON orders (createdAtEpochMs);

CREATE TABLE fills (
  account INTEGER NOT NULL, trade INTEGER NOT NULL, "order" INTEGER NOT NULL, market INTEGER NOT NULL,
  position INTEGER NOT NULL, origin TEXT NOT NULL, clientOrderId TEXT NOT NULL, orderType TEXT NOT NULL, side TEXT NOT NULL,
  liquidity TEXT NOT NULL, priceAtoms INTEGER NOT NULL, quantityAtoms INTEGER NOT NULL, notionalAtoms INTEGER NOT NULL,
  feeAtoms INTEGER NOT NULL, realizedPnlAtoms INTEGER NOT NULL, liquidationFeeAtoms INTEGER NOT NULL,
  insuranceCoveredAtoms INTEGER NOT NULL, executedAtEpochMs INTEGER NOT NULL,
  sequence INTEGER NOT NULL, PRIMARY KEY (account, trade)
) STRICT, WITHOUT ROWID;
CREATE INDEX fillsByMarket ON fills (account, market, trade);
CREATE INDEX fillsByOrder ON fills (account, "order", trade);

CREATE TABLE trades (
  trade INTEGER PRIMARY KEY, market INTEGER NOT NULL, origin TEXT NOT NULL, takerSide TEXT NOT NULL,
  priceAtoms INTEGER NOT NULL, quantityAtoms INTEGER NOT NULL, notionalAtoms INTEGER NOT NULL, executedAtEpochMs INTEGER NOT NULL,
  sequence INTEGER NOT NULL
) STRICT;
CREATE INDEX tradesByMarket ON trades (market);
CREATE INDEX tradesByTime ON trades (executedAtEpochMs);

CREATE TABLE episodes (
  position INTEGER PRIMARY KEY, account INTEGER NOT NULL, market INTEGER NOT NULL, side TEXT NOT NULL,
  openedAtEpochMs INTEGER NOT NULL, status TEXT NOT NULL, closedAtEpochMs INTEGER, closeReason TEXT,
  signedBaseAtoms INTEGER NOT NULL, entryNotionalAtoms INTEGER NOT NULL, marginAtoms INTEGER NOT NULL,
  maxQuantityAtoms INTEGER NOT NULL, openedBaseAtoms TEXT NOT NULL, openedNotionalAtoms TEXT NOT NULL,
  closedBaseAtoms TEXT NOT NULL, closedNotionalAtoms TEXT NOT NULL, realizedPnlAtoms INTEGER NOT NULL,
  feesPaidAtoms INTEGER NOT NULL, fundingPaidAtoms INTEGER NOT NULL, insuranceCoveredAtoms INTEGER NOT NULL,
  insuredAtoms INTEGER NOT NULL, updatedAtEpochMs INTEGER NOT NULL,
  lastSequence INTEGER NOT NULL
) STRICT;
CREATE INDEX openEpisodes ON episodes (account) WHERE status = 'open';
CREATE INDEX closedEpisodes ON episodes (account, closedAtEpochMs, lastSequence) WHERE status = 'closed';
CREATE INDEX closedEpisodesByMarket ON episodes (account, market, closedAtEpochMs, lastSequence) WHERE status = 'closed';
CREATE INDEX openEpisodesByMarket ON episodes (market) WHERE status = 'open';

CREATE TABLE accounts (
  account INTEGER PRIMARY KEY, label TEXT NOT NULL, partyId TEXT NOT NULL, partySequence INTEGER NOT NULL,
  partyStatus TEXT NOT NULL, isOwner INTEGER NOT NULL, agentOwner INTEGER NOT NULL, hasWallet INTEGER NOT NULL, consentState TEXT NOT NULL,
  consentReason TEXT NOT NULL,
  isRetired INTEGER NOT NULL, isLegacy INTEGER NOT NULL, cashAtoms INTEGER NOT NULL, reservedAtoms INTEGER NOT NULL,
  referrer INTEGER, isPayingReferral INTEGER NOT NULL, kycSkippedAtEpochMs INTEGER NOT NULL,
  transferredAtEpochMs INTEGER NOT NULL, lastSequence INTEGER NOT NULL
) STRICT;

CREATE INDEX agentAccounts ON accounts (agentOwner, account) WHERE agentOwner <> 0;

CREATE TABLE favorites (
  account INTEGER NOT NULL, market INTEGER NOT NULL, isFavorite INTEGER NOT NULL, PRIMARY KEY (account, market)
) STRICT, WITHOUT ROWID;

CREATE TABLE leverages (
  account INTEGER NOT NULL, market INTEGER NOT NULL, leverageHundredths INTEGER NOT NULL, PRIMARY KEY (account, market)
) STRICT, WITHOUT ROWID;

CREATE TABLE leaderboardListings (
  account INTEGER PRIMARY KEY, isShown INTEGER NOT NULL, displayName TEXT NOT NULL, handle TEXT NOT NULL,
  shownDayEpochMs INTEGER NOT NULL
) STRICT;
CREATE INDEX shownListings ON leaderboardListings (account) WHERE isShown = 1;

CREATE TABLE results (
  account INTEGER PRIMARY KEY, pnlAtoms TEXT NOT NULL, volumeAtoms TEXT NOT NULL, dayEpochMs INTEGER NOT NULL
) STRICT;

CREATE TABLE dayOpenings (
  account INTEGER NOT NULL, dayEpochMs INTEGER NOT NULL, pnlAtoms TEXT NOT NULL, volumeAtoms TEXT NOT NULL,
  PRIMARY KEY (account, dayEpochMs)
) STRICT, WITHOUT ROWID;

CREATE TABLE apiKeys (
  keyId TEXT PRIMARY KEY, account INTEGER NOT NULL, digest TEXT NOT NULL, scopes TEXT NOT NULL, label TEXT NOT NULL,
  issuedAtEpochMs INTEGER NOT NULL, expiresAtEpochMs INTEGER NOT NULL, isRevoked INTEGER NOT NULL
) STRICT;
CREATE INDEX apiKeysByAccount ON apiKeys (account, issuedAtEpochMs) WHERE isRevoked = 0;

CREATE TABLE markets (
  market INTEGER PRIMARY KEY, marketId TEXT NOT NULL UNIQUE, specification TEXT NOT NULL, history TEXT, status TEXT NOT NULL,
  ownStatus TEXT NOT NULL
) STRICT;

CREATE TABLE switches (name TEXT PRIMARY KEY, value TEXT NOT NULL, sequence INTEGER NOT NULL) STRICT;

CREATE TABLE ledgers (ledger TEXT PRIMARY KEY, balanceAtoms INTEGER NOT NULL) STRICT;

CREATE TABLE marketActivity (
  market INTEGER PRIMARY KEY, indexPriceAtoms INTEGER, indexObservedAtEpochMs INTEGER, indexStatus TEXT,
  pricedAtEpochMs INTEGER, markPriceAtoms INTEGER, markSequence INTEGER, lastPriceAtoms INTEGER, lastQuantityAtoms INTEGER,
  lastTradeAtEpochMs INTEGER, openInterestAtoms TEXT NOT NULL, fundingEstimatePpb INTEGER, nextFundingAtEpochMs INTEGER,
  lastFundingPeriod INTEGER, lastFundingRatePpb INTEGER, lastFundingAtEpochMs INTEGER, fundDay INTEGER NOT NULL,
  fundSpentAtoms INTEGER NOT NULL, fundBalanceAtoms INTEGER NOT NULL
) STRICT;

CREATE TABLE fundingPeriods (
  market INTEGER NOT NULL, period INTEGER NOT NULL, ratePpb INTEGER NOT NULL, indexPriceAtoms INTEGER NOT NULL,
  perLotMicroAtoms INTEGER NOT NULL, settledAtEpochMs INTEGER NOT NULL, sequence INTEGER NOT NULL,
  PRIMARY KEY (market, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX fundingPeriodsByTime ON fundingPeriods (market, settledAtEpochMs, period);

CREATE TABLE fundingPayments (
  account INTEGER NOT NULL, market INTEGER NOT NULL, period INTEGER NOT NULL, position INTEGER NOT NULL,
  paidAtoms INTEGER NOT NULL, fromMarginAtoms INTEGER NOT NULL, paidAtEpochMs INTEGER NOT NULL, sequence INTEGER NOT NULL,
  PRIMARY KEY (account, paidAtEpochMs, sequence, position, period)
) STRICT, WITHOUT ROWID;
CREATE INDEX fundingPaymentsByMarket ON fundingPayments (account, market, paidAtEpochMs, sequence, position, period);

CREATE TABLE candles (
  market INTEGER NOT NULL, series TEXT NOT NULL, spanMs INTEGER NOT NULL, openTimeEpochMs INTEGER NOT NULL,
  openAtoms INTEGER NOT NULL, highAtoms INTEGER NOT NULL, lowAtoms INTEGER NOT NULL, closeAtoms INTEGER NOT NULL,
  volumeAtoms TEXT NOT NULL, notionalAtoms TEXT NOT NULL, PRIMARY KEY (market, series, spanMs, openTimeEpochMs)
) STRICT, WITHOUT ROWID;
${MONEY_SCHEMA}${AGENT_SCHEMA}${AFFILIATE_SCHEMA}${OPEN_INTEREST_SCHEMA}`;

/** Equal for files with the same schema and the same meaning of rows. */
export const SCHEMA_DIGEST = createHash('sha256').update(`${FOLD_VERSION}\n${SCHEMA}`).digest('hex');

const always = () => true;
const never = () => false;

export const ORDERS: TableShape<OrderRow> = {
  name: 'orders',
  key: ['order'],
  changing: [
    'priceAtoms',
    'quantityAtoms',
    'leverageHundredths',
    'status',
    'cancelReason',
    'filledAtoms',
    'filledNotionalAtoms',
    'feeAtoms',
    'lastFillAtEpochMs',
    'updatedAtEpochMs',
    'lastSequence',
    'trigger',
    'attached',
  ],
  isLive: (order) => order.status === 'open',
};

export const FILLS: TableShape<FillRow> = {
  name: 'fills',
  key: ['account', 'trade'],
  changing: [],
  isLive: never,
};

export const TRADES: TableShape<TradeRow> = {
  name: 'trades',
  key: ['trade'],
  changing: [],
  isLive: never,
};

export const EPISODES: TableShape<EpisodeRow> = {
  name: 'episodes',
  key: ['position'],
  changing: [
    'status',
    'closedAtEpochMs',
    'closeReason',
    'signedBaseAtoms',
    'entryNotionalAtoms',
    'marginAtoms',
    'maxQuantityAtoms',
    'openedBaseAtoms',
    'openedNotionalAtoms',
    'closedBaseAtoms',
    'closedNotionalAtoms',
    'realizedPnlAtoms',
    'feesPaidAtoms',
    'fundingPaidAtoms',
    'insuranceCoveredAtoms',
    'insuredAtoms',
    'updatedAtEpochMs',
    'lastSequence',
  ],
  isLive: (episode) => episode.status === 'open',
};

export const ACCOUNTS: TableShape<AccountRow> = {
  name: 'accounts',
  key: ['account'],
  changing: [
    'label',
    'partyId',
    'partySequence',
    'partyStatus',
    'isOwner',
    'agentOwner',
    'hasWallet',
    'consentState',
    'consentReason',
    'isRetired',
    'isLegacy',
    'cashAtoms',
    'reservedAtoms',
    'referrer',
    'isPayingReferral',
    'kycSkippedAtEpochMs',
    'transferredAtEpochMs',
    'lastSequence',
  ],
  isLive: always,
};

export const API_KEYS: TableShape<ApiKeyRow> = {
  name: 'apiKeys',
  key: ['keyId'],
  // The venue forgets revoked keys, so a new key may reuse the id of a revoked one.
  changing: ['account', 'digest', 'scopes', 'label', 'issuedAtEpochMs', 'expiresAtEpochMs', 'isRevoked'],
  isLive: (key) => key.isRevoked === 0,
};

export const MARKETS: TableShape<MarketRow> = {
  name: 'markets',
  key: ['market'],
  changing: ['specification', 'status', 'ownStatus'],
  isLive: always,
};

export const SWITCHES: TableShape<SwitchRow> = {
  name: 'switches',
  key: ['name'],
  changing: ['value', 'sequence'],
  isLive: always,
};

export const LEDGERS: TableShape<LedgerRow> = {
  name: 'ledgers',
  key: ['ledger'],
  changing: ['balanceAtoms'],
  isLive: always,
};

export const MARKET_ACTIVITY: TableShape<MarketActivityRow> = {
  name: 'marketActivity',
  key: ['market'],
  changing: [
    'indexPriceAtoms',
    'indexObservedAtEpochMs',
    'indexStatus',
    'pricedAtEpochMs',
    'markPriceAtoms',
    'markSequence',
    'lastPriceAtoms',
    'lastQuantityAtoms',
    'lastTradeAtEpochMs',
    'openInterestAtoms',
    'fundingEstimatePpb',
    'nextFundingAtEpochMs',
    'lastFundingPeriod',
    'lastFundingRatePpb',
    'lastFundingAtEpochMs',
    'fundDay',
    'fundSpentAtoms',
    'fundBalanceAtoms',
  ],
  isLive: always,
};

export const FUNDING_PERIODS: TableShape<FundingPeriodRow> = {
  name: 'fundingPeriods',
  key: ['market', 'period'],
  changing: [],
  isLive: never,
};

export const FUNDING_PAYMENTS: TableShape<FundingPaymentRow> = {
  name: 'fundingPayments',
  key: ['account', 'paidAtEpochMs', 'sequence', 'position', 'period'],
  changing: [],
  isLive: never,
};

export const FAVORITES: TableShape<FavoriteRow> = {
  name: 'favorites',
  key: ['account', 'market'],
  changing: ['isFavorite'],
  isLive: never,
};

export const LEVERAGES: TableShape<LeverageRow> = {
  name: 'leverages',
  key: ['account', 'market'],
  changing: ['leverageHundredths'],
  isLive: never,
};

export const LEADERBOARD_LISTINGS: TableShape<LeaderboardListingRow> = {
  name: 'leaderboardListings',
  key: ['account'],
  changing: ['isShown', 'displayName', 'handle', 'shownDayEpochMs'],
  isLive: never,
};

export const RESULTS: TableShape<ResultRow> = {
  name: 'results',
  key: ['account'],
  changing: ['pnlAtoms', 'volumeAtoms', 'dayEpochMs'],
  isLive: always,
};

export const DAY_OPENINGS: TableShape<DayOpeningRow> = {
  name: 'dayOpenings',
  key: ['account', 'dayEpochMs'],
  changing: [],
  isLive: never,
};

export const CANDLES: TableShape<CandleRow> = {
  name: 'candles',
  key: ['market', 'series', 'spanMs', 'openTimeEpochMs'],
  changing: ['highAtoms', 'lowAtoms', 'closeAtoms', 'volumeAtoms', 'notionalAtoms'],
  isLive: never,
};
