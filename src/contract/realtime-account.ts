/** The private channels (6.2): what becomes of one account. They need a ticket in an `auth` frame before the subscription. */
import * as z from 'zod';
import { fill } from './account-history.ts';
import { accountSnapshot } from './accounts.ts';
import { atoms, marketId, numberedId, readModelDigest, sequence, settlementAsset, signedAtoms, signedDecimal } from './fields.ts';
import { order } from './orders.ts';
import { position } from './positions.ts';
import type { Channel } from './realtime-channel.ts';

const account = { subject: 'accountId', delivery: 'lossless' } as const;

const orders = {
  ...account,
  name: 'account.orders',
  summary: 'Order lifecycle',
  description: 'Every order that a turn of the venue has changed, as the turn left it.',
  snapshotSource: 'GET /v1/accounts/{accountId}/orders',
  snapshotSequence: 'freshness.journalSequence',
  sourceStatus: 'live',
  data: z.strictObject({ orders: z.array(order).min(1) }),
} as const satisfies Channel;

const fills = {
  ...account,
  name: 'account.fills',
  summary: 'Fills',
  description: "The account's side of the trades of one turn of the venue.",
  snapshotSource: 'GET /v1/accounts/{accountId}/fills',
  snapshotSequence: 'freshness.journalSequence',
  sourceStatus: 'live',
  data: z.strictObject({ fills: z.array(fill).min(1) }),
} as const satisfies Channel;

const digest = readModelDigest;

const durability = {
  ...account,
  name: 'account.durability',
  summary: 'Off-chain durability',
  description:
    "Cash changes, funding settlements and trades of the account that have become durable in the venue's journal, with the group of the journal that " +
    'covers them. This is no confirmation by an external ledger.',
  sourceStatus: 'live',
  data: z.strictObject({
    sequenceSource: z.literal('journal').meta({ description: "Whose places the sequences are: the venue's own journal." }),
    coverage: z.literal('off_chain').meta({ description: 'Durable at the venue; nothing is said about settlement on a ledger.' }),
    group: z
      .strictObject({ number: z.int().min(0), firstSequence: sequence, lastSequence: sequence, digest })
      .meta({ description: 'The records that became durable together. digest: SHA-256 of the group as it lies in the journal.' }),
    storageChain: z.strictObject({ previousDigest: digest, digest }).meta({
      description:
        "The journal's chain before the group and with it. A group covers the digest before it, so its own digest is the chain's.",
    }),
    cashChanges: z.array(
      z.strictObject({
        kind: z
          .string()
          .meta({ description: 'Why cash moved, such as deposit, trade_fee, realized_pnl, margin_lock or margin_release.' }),
        amountAtoms: signedAtoms,
        cashAtoms: signedAtoms.meta({ description: 'What the cash came to.' }),
      }),
    ),
    fundingSettlements: z.array(
      z.strictObject({
        positionId: numberedId,
        marketId,
        period: z.int().min(0),
        paidAtoms: signedAtoms.meta({ description: 'What the position paid; below zero what it got.' }),
      }),
    ),
    trades: z.array(z.strictObject({ tradeId: numberedId, orderId: numberedId, marketId })),
  }),
} as const satisfies Channel;

/** Of a position, what a new price changes. */
const risk = {
  markPriceAtoms: atoms,
  unrealizedPnlAtoms: signedAtoms,
  equityAtoms: signedAtoms,
  maintenanceRequirementAtoms: atoms,
  marginHealthBps: position.shape.marginHealthBps.unwrap(),
  marginStatus: position.shape.marginStatus.unwrap(),
  riskAsOfMarketDataSequence: sequence,
};

const positions = {
  ...account,
  name: 'account.positions',
  summary: 'Positions and their risk state',
  description:
    'positions: those that a fill or funding has changed, closed ones among them. riskChanges: open ones whose marginStatus has become another by the ' +
    'price or by the state of the market alone (that time has made an index stale comes with the next price); read the snapshot for all of their risk. Apply the fields that are there, and keep what riskEvidence calls missing as it was read.',
  snapshotSource: 'GET /v1/accounts/{accountId}/positions',
  snapshotSequence: 'resync.fromSequence',
  sourceStatus: 'live',
  data: z.strictObject({
    positions: z.array(
      position.omit({ adlIndicator: true }).extend({
        riskEvidence: z.strictObject({
          status: z.enum(['complete', 'partial', 'stale']).meta({
            description:
              'partial: what missing names is not in this update. stale: the index is not current, the risk is that of the last mark.',
          }),
          missing: z.array(z.enum(['live_risk', 'adlIndicator'])).meta({
            description:
              'live_risk: the market has no mark. adlIndicator: where it stands among others is told by the snapshot alone.',
          }),
        }),
      }),
    ),
    riskChanges: z.array(z.strictObject({ positionId: numberedId, marketId, ...risk })),
  }),
} as const satisfies Channel;

const pnl = {
  ...account,
  name: 'account.pnl',
  summary: 'Realized and unrealized PnL',
  description:
    'The PnL of each position that has changed, or whose mark has. realized, fees and funding are those of the whole episode; unrealized is null of ' +
    'a closed position and while the market has no mark.',
  historySource: 'GET /v1/accounts/{accountId}/positions',
  sourceStatus: 'live',
  data: z.strictObject({
    positions: z
      .array(
        z.strictObject({
          positionId: numberedId,
          marketId,
          cause: z
            .enum(['position', 'mark'])
            .meta({ description: 'position: a fill or funding has changed it. mark: its price alone.' }),
          signedBaseAtoms: signedAtoms,
          realizedPnlAtoms: signedAtoms,
          realizedPnl: signedDecimal,
          feesPaidAtoms: signedAtoms,
          fundingPaidAtoms: signedAtoms,
          unrealizedPnlAtoms: signedAtoms.nullable(),
          unrealizedPnl: signedDecimal.nullable(),
          markPriceAtoms: atoms.nullable(),
        }),
      )
      .min(1),
  }),
} as const satisfies Channel;

const riskStateDigest = digest.meta({
  description:
    'Covers cash, reservations, open positions and the marks that they are valued at: it changes with any of them. It cannot be recomputed from the values.',
});

const margin = {
  ...account,
  name: 'account.margin',
  summary: 'Margin values, or a changed digest of the risk state',
  description:
    'values: exact, where every position is valued at a mark that holds. digest: the risk state has changed, and no exact values can be told; it is no ' +
    'margin snapshot: read the account.',
  snapshotSource: 'GET /v1/accounts/{accountId}',
  snapshotSequence: 'resync.fromSequence',
  sourceStatus: 'digest',
  data: z.discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('values'),
      riskEvidence: z.strictObject({ status: z.literal('complete') }),
      cashBalanceAtoms: signedAtoms,
      equityAtoms: signedAtoms,
      availableForOrdersAtoms: signedAtoms,
      reservedForOrdersAtoms: atoms,
      positionMarginAtoms: atoms,
      readModelDigest: readModelDigest.meta({ description: 'That of the account snapshot at the same sequence.' }),
      riskStateDigest,
    }),
    z.strictObject({
      kind: z.literal('digest'),
      riskEvidence: z.strictObject({ status: accountSnapshot.shape.riskEvidence.shape.status.exclude(['complete']) }),
      riskStateDigest,
    }),
  ]),
} as const satisfies Channel;

const balance = {
  ...account,
  name: 'account.balance',
  summary: 'Deposits and settled withdrawals',
  description: 'Signed changes by deposits that were credited and withdrawals that were settled.',
  snapshotSource: 'GET /v1/accounts/{accountId}',
  snapshotSequence: 'resync.fromSequence',
  sourceStatus: 'live',
  data: z.strictObject({
    changes: z
      .array(
        z.strictObject({
          kind: z.enum(['deposit', 'withdrawal']),
          asset: settlementAsset,
          amountAtoms: signedAtoms.meta({ description: 'Above zero for a deposit, below for a withdrawal.' }),
          amount: signedDecimal,
        }),
      )
      .min(1),
    cashAtoms: signedAtoms.meta({
      description:
        "The cash of the account snapshot at this sequence. It is not the cash before plus the changes: a withdrawal's cash leaves the account when it is reserved.",
    }),
    cash: signedDecimal,
  }),
} as const satisfies Channel;

const unavailable = { ...account, sourceStatus: 'unavailable' } as const;

const withdrawals = {
  ...unavailable,
  name: 'account.withdrawals',
  summary: 'Withdrawal status',
  description: 'This venue takes no withdrawals yet: a subscription answers source_unavailable.',
} as const satisfies Channel;

const reconciliation = {
  ...unavailable,
  name: 'account.reconciliation',
  summary: 'Reconciliation',
  description: 'Unavailable: a subscription answers source_unavailable.',
  snapshotSource: 'none',
} as const satisfies Channel;

const alerts = {
  ...unavailable,
  name: 'account.alerts',
  summary: 'Alerts',
  description: 'Unavailable: a subscription answers source_unavailable.',
  snapshotSource: 'none',
} as const satisfies Channel;

const earnings = {
  ...unavailable,
  name: 'account.earnings',
  summary: 'Affiliate earnings',
  description: 'Needs the affiliate capability, which this venue does not have yet: a subscription answers source_unavailable.',
  snapshotSource: 'none',
} as const satisfies Channel;

const agents = {
  ...unavailable,
  name: 'account.agents',
  summary: 'Agent actions',
  description: 'This venue admits no agents yet: a subscription answers source_unavailable.',
  snapshotSource: 'GET /v1/accounts/{accountId}/agents/{deploymentId}/actions',
} as const satisfies Channel;

export const accountChannels = {
  [orders.name]: orders,
  [fills.name]: fills,
  [durability.name]: durability,
  [positions.name]: positions,
  [pnl.name]: pnl,
  [margin.name]: margin,
  [balance.name]: balance,
  [withdrawals.name]: withdrawals,
  [reconciliation.name]: reconciliation,
  [alerts.name]: alerts,
  [earnings.name]: earnings,
  [agents.name]: agents,
} as const;
