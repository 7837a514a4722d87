/** Responses of a venue about one account, for tests of the class alone. */

export const DIGEST = `sha256:${'0'.repeat(64)}`;
export const AS_OF = 1_763_670_000_123;

export const FRESHNESS = {
  status: 'fresh',
  degradedState: 'none',
  journalSequence: 9,
  asOfEpochMs: AS_OF,
  projectorLagMs: 0,
  dbReplicaLagMs: 0,
  backfillStatus: 'live',
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
  insuranceCoveredAtoms: '0',
  insuranceOwedAtoms: '0',
  insuranceOwed: '0',
  insuranceCovered: '0',
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

const LEDGER_ENTRY = {
  entryId: 'trade-42-trade_fee',
  accountId: 'acct-7',
  kind: 'trade_fee',
  asset: 'USD.E',
  amountAtoms: '-120001',
  amount: '-0.120001',
  marketId: 'BTC-USD-PERP',
  positionId: '3',
  orderId: '7',
  tradeId: '42',
  paymentId: null,
  transferId: null,
  postedAtEpochMs: 1_763_668_800_002,
  sequence: 9,
} as const;
const NO_FILL = { orderId: null, tradeId: null } as const;
const MONEY_ENTRY = { ...LEDGER_ENTRY, ...NO_FILL, marketId: null, positionId: null } as const;

/** An entry of each kind, newest first: the last three are of one millisecond. */
export const LEDGER = {
  version: 'ledger-entry-list/v1',
  accountId: 'acct-7',
  entries: [
    { ...LEDGER_ENTRY, entryId: 'record-9-8', kind: 'liquidation_fee', amountAtoms: '-1000000', amount: '-1' },
    { ...LEDGER_ENTRY, entryId: 'record-9-7', kind: 'insurance_covered', amountAtoms: '5000000', amount: '5' },
    LEDGER_ENTRY,
    { ...LEDGER_ENTRY, entryId: 'trade-42-realized_pnl', kind: 'realized_pnl', amountAtoms: '2500000', amount: '2.5' },
    {
      ...LEDGER_ENTRY,
      ...NO_FILL,
      entryId: 'funding-3-7',
      kind: 'funding',
      amountAtoms: '-390000',
      amount: '-0.39',
      paymentId: '3-7',
      postedAtEpochMs: 1_763_668_800_001,
      sequence: 8,
    },
    {
      ...LEDGER_ENTRY,
      ...NO_FILL,
      entryId: 'record-7-2',
      kind: 'insurance_repaid',
      amountAtoms: '-500000',
      amount: '-0.5',
      postedAtEpochMs: 1_763_668_800_000,
      sequence: 7,
    },
    {
      ...MONEY_ENTRY,
      entryId: 'record-6-1',
      kind: 'transfer',
      amountAtoms: '1',
      amount: '0.000001',
      postedAtEpochMs: 6,
      sequence: 6,
    },
    {
      ...MONEY_ENTRY,
      entryId: 'record-5-2',
      kind: 'withdrawal_release',
      amountAtoms: '1500000',
      amount: '1.5',
      transferId: 'withdrawal-2',
      postedAtEpochMs: 3,
      sequence: 5,
    },
    {
      ...MONEY_ENTRY,
      entryId: 'record-4-1',
      kind: 'withdrawal',
      amountAtoms: '-1500000',
      amount: '-1.5',
      transferId: 'withdrawal-2',
      postedAtEpochMs: 3,
      sequence: 4,
    },
    {
      ...MONEY_ENTRY,
      entryId: 'record-3-0',
      kind: 'deposit',
      amountAtoms: '10000000000',
      amount: '10000',
      transferId: 'deposit-3',
      postedAtEpochMs: 3,
      sequence: 3,
    },
  ],
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

/** After it is set. */
export const LEVERAGE = {
  version: 'market-leverage/v1',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  leverageX: 7,
  isDefault: false,
  maxLeverageX: 50,
} as const;

export const MARGIN_CHANGE = {
  version: 'position-margin-adjustment/v1',
  accountId: 'acct-7',
  marketId: 'BTC-USD-PERP',
  positionId: '3',
  direction: 'add',
  amountAtoms: '25500000',
  amount: '25.5',
  repaidAtoms: '0',
  marginAtoms: '1000500000',
  margin: '1000.5',
  lastSequence: 9,
  idempotencyKey: 'mine',
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
  depositId: null,
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

/** Two pages: a withdrawal changes between them, and is listed again. */
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
