/** The private channels (6.2): changes of one account. They need a ticket in an `auth` frame before the subscription. */
import * as z from 'zod';
import { fill } from './account-history.ts';
import { accountSnapshot } from './accounts.ts';
import { affiliateDay, affiliateTotal } from './affiliates.ts';
import { agentAction } from './agent-actions.ts';
import { PARTIAL_FEATURES } from './environments.ts';
import {
  atoms,
  marketId,
  numberedId,
  ours,
  readModelDigest,
  sequence,
  settlementAsset,
  signedAtoms,
  signedDecimal,
} from './fields.ts';
import { order } from './orders.ts';
import { position } from './positions.ts';
import type { Channel } from './realtime-channel.ts';
import { withdrawalState } from './withdrawal-state.ts';

const account = { subject: 'accountId', delivery: 'lossless' } as const;

const orders = {
  ...account,
  name: 'account.orders',
  summary: 'Order lifecycle',
  description: 'The orders that a turn of the venue changed, as they are after the turn.',
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
    "Cash changes, funding settlements and trades of the account that are durable in the venue's journal, with the committed group that contains " +
    'them. This is not a confirmation by an external ledger.',
  sourceStatus: 'live',
  data: z.strictObject({
    sequenceSource: z.literal('journal').meta({ description: "The sequences are those of the venue's own journal." }),
    coverage: z.literal('off_chain').meta({ description: 'Durable at the venue. It does not cover settlement on a ledger.' }),
    group: z
      .strictObject({ number: z.int().min(0), firstSequence: sequence, lastSequence: sequence, digest })
      .meta({ description: 'The records that became durable together. digest: SHA-256 of the group as stored in the journal.' }),
    storageChain: z.strictObject({ previousDigest: digest, digest }).meta({
      description:
        "The digests of the journal's chain before and after the group. A group covers the previous digest, so its digest is that of the chain.",
    }),
    cashChanges: z.array(
      z.strictObject({
        kind: z
          .string()
          .meta({ description: 'Why cash changed, such as deposit, trade_fee, realized_pnl, margin_lock or margin_release.' }),
        amountAtoms: signedAtoms,
        cashAtoms: signedAtoms.meta({ description: 'The cash after the change.' }),
      }),
    ),
    fundingSettlements: z.array(
      z.strictObject({
        positionId: numberedId,
        marketId,
        period: z.int().min(0),
        paidAtoms: signedAtoms.meta({ description: 'The amount that the position paid; negative if it received funding.' }),
      }),
    ),
    trades: z.array(z.strictObject({ tradeId: numberedId, orderId: numberedId, marketId })),
  }),
} as const satisfies Channel;

/** The fields of a position that change with the mark price. */
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
    'positions: those that a fill or funding changed, including closed ones. riskChanges: open positions whose marginStatus changed only because of the ' +
    'price or the state of the market; read the snapshot for their full risk. An index that became stale by time is reported with the next price. ' +
    'Apply the fields that are present, and keep the earlier values of those that riskEvidence lists as missing.',
  snapshotSource: 'GET /v1/accounts/{accountId}/positions',
  snapshotSequence: 'resync.fromSequence',
  sourceStatus: 'live',
  data: z.strictObject({
    positions: z.array(
      position.omit({ adlIndicator: true }).extend({
        riskEvidence: z.strictObject({
          status: z.enum(['complete', 'partial', 'stale']).meta({
            description:
              'partial: the parts listed in missing are not in this update. stale: the index is not current, and the risk uses the last mark.',
          }),
          missing: z.array(z.enum(['live_risk', 'adlIndicator'])).meta({
            description: 'live_risk: the market has no mark. adlIndicator: only the snapshot has it.',
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
    'The PnL of each position that changed, or whose mark changed. Realized PnL, fees and funding are those of the whole episode. Unrealized PnL ' +
    'is null for a closed position and while the market has no mark.',
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
            .meta({ description: 'position: a fill or funding changed the position. mark: only the mark price changed.' }),
          signedBaseAtoms: signedAtoms,
          realizedPnlAtoms: signedAtoms,
          realizedPnl: signedDecimal,
          feesPaidAtoms: signedAtoms,
          fundingPaidAtoms: signedAtoms,
          insuranceCoveredAtoms: ours(signedAtoms, position.shape.insuranceCoveredAtoms.description!),
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
    'Covers cash, reservations, open positions and their marks, and changes with any of them. It cannot be recomputed from the values.',
});

const margin = {
  ...account,
  name: 'account.margin',
  summary: 'Margin values, or a changed digest of the risk state',
  description:
    'values: exact, sent if every position is valued at a current mark. digest: the risk state changed, but exact values are not available. It is ' +
    'not a margin snapshot: read the account.',
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
      readModelDigest: readModelDigest.meta({ description: 'The digest of the account snapshot at the same sequence.' }),
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
  description: 'Signed changes by credited deposits and settled withdrawals.',
  snapshotSource: 'GET /v1/accounts/{accountId}',
  snapshotSequence: 'resync.fromSequence',
  sourceStatus: 'live',
  data: z.strictObject({
    changes: z
      .array(
        z.strictObject({
          kind: z.enum(['deposit', 'withdrawal']),
          asset: settlementAsset,
          amountAtoms: signedAtoms.meta({ description: 'Positive for a deposit, negative for a withdrawal.' }),
          amount: signedDecimal,
        }),
      )
      .min(1),
    cashAtoms: signedAtoms.meta({
      description:
        "The cash of the account snapshot at this sequence. It is not the previous cash plus the changes, because a withdrawal's cash leaves the account when it is reserved.",
    }),
    cash: signedDecimal,
  }),
} as const satisfies Channel;

const unavailable = { ...account, sourceStatus: 'unavailable' } as const;

const withdrawals = {
  ...account,
  name: 'account.withdrawals',
  summary: 'Withdrawal status',
  description:
    'The withdrawals that a turn of the venue changed, as they are after the turn: each status, each step that is due, and how they ended.',
  historySource: 'GET /v1/accounts/{accountId}/transfers',
  sourceStatus: 'live',
  data: z.strictObject({ withdrawals: z.array(withdrawalState).min(1) }),
} as const satisfies Channel;

const reconciliation = {
  ...unavailable,
  name: 'account.reconciliation',
  summary: 'Reconciliation',
  description: 'Unavailable: a subscription is refused with source_unavailable.',
  snapshotSource: 'none',
} as const satisfies Channel;

const alerts = {
  ...unavailable,
  name: 'account.alerts',
  summary: 'Alerts',
  description: 'Unavailable: a subscription is refused with source_unavailable.',
  snapshotSource: 'none',
} as const satisfies Channel;

const earnings = {
  ...account,
  name: 'account.earnings',
  summary: 'Projected affiliate earnings',
  description:
    'The totals of the affiliate and of the day of its last fee, after each turn that changed them: a referral, or fees of referred accounts. They ' +
    'are projected, not paid. While the operator has the affiliate program off, a subscription is refused with source_unavailable, and a running ' +
    'one ends with that error.',
  snapshotSource: 'GET /v1/accounts/{accountId}/affiliate/earnings',
  snapshotSequence: 'freshness.journalSequence',
  sourceStatus: 'live',
  data: z.strictObject({
    total: affiliateTotal,
    day: affiliateDay
      .nullable()
      .meta({ description: 'The day of the last fee; null if it earned nothing on the day of its registration yet.' }),
  }),
} as const satisfies Channel;

const agents = {
  ...account,
  name: 'account.agents',
  summary: 'Agent actions',
  description:
    'The actions of all deployments of the account, as in their logs: changes of a state and paper orders. Without `model`, which is that of ' +
    'the deployment.',
  environments: PARTIAL_FEATURES.agentActionLog.environments,
  snapshotSource: 'GET /v1/accounts/{accountId}/agents/{deploymentId}/actions',
  snapshotSequence: 'freshness.journalSequence',
  sourceStatus: 'live',
  data: z.strictObject({ actions: z.array(agentAction.omit({ model: true })).min(1) }),
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
  // An account has no state to send on its own: every record is an update.
} as const satisfies Readonly<Record<string, Channel & { readonly delivery: 'lossless' }>>;
