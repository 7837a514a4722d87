/** Accounts: the current state of an account. An API key reads the one account that it belongs to. */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  atoms,
  decimal,
  freshness,
  marketFilter,
  marketId,
  ours,
  readModelDigest,
  resync,
  sequence,
  settlementAsset,
  signedAtoms,
  signedDecimal,
} from './fields.ts';
import type { Operation } from './operation.ts';
import { positionSnapshot } from './positions.ts';

/** The account snapshot (2.6). */
export const accountSnapshot = z
  .strictObject({
    version: z.literal('external-account-snapshot/v1'),
    accountId,
    asset: settlementAsset,
    snapshotSequence: sequence,
    readModelDigest: readModelDigest.meta({
      description:
        'Covers the durable state of the account and its open position episodes. Live values, such as equity, are not covered.',
    }),
    marginMode: z.literal('isolated'),
    cashBalanceAtoms: signedAtoms,
    cashBalance: signedDecimal,
    equityAtoms: signedAtoms,
    equity: signedDecimal,
    availableForOrdersAtoms: signedAtoms,
    availableForOrders: signedDecimal,
    resync: resync('account.margin'),
    consentState: z.enum(['absent', 'pending', 'present', 'revoked']).meta({
      description:
        'Whether the owner has signed a consent for its party. pending: the ledger has not confirmed it yet. A party binding is active ' +
        'without it; the setup of an owner is complete only with it.',
    }),
    riskEvidence: z.strictObject({
      status: z.enum(['complete', 'partial', 'stale']).meta({
        description:
          "complete: every position is valued at a current mark. stale: the index price of some position's market is not current; equity uses " +
          'the last reliable mark, and nothing is liquidated by it. partial: some position has no mark, and equity excludes its ' +
          'unrealized PnL.',
      }),
    }),
    positions: z.array(
      z.strictObject({
        marketId,
        unrealizedPnlAtoms: signedAtoms.nullable(),
        signedBaseAtoms: signedAtoms,
        entryNotionalAtoms: atoms,
        markPriceAtoms: atoms.nullable(),
      }),
    ),
    reservedForOrdersAtoms: ours(atoms, 'Margin and fees reserved for open orders; part of the cash balance.'),
    reservedForOrders: ours(decimal, 'Margin and fees reserved for open orders; part of the cash balance.'),
    positionMarginAtoms: ours(atoms, 'Margin of open positions; not part of the cash balance.'),
    positionMargin: ours(decimal, 'Margin of open positions; not part of the cash balance.'),
    freshness: ours(freshness, 'How current this response is.'),
  })
  .meta({ id: 'AccountSnapshot', description: 'equity = cashBalance + positionMargin + unrealized PnL.' });
export type AccountSnapshot = z.infer<typeof accountSnapshot>;

export const partyBinding = z
  .strictObject({
    version: z.literal('external-party-binding/v1'),
    accountId,
    status: z.enum(['active', 'pending', 'absent']).meta({
      description:
        'The account can trade only while the binding is active. pending: the ledger allocates the party, or the owner has not approved ' +
        'it yet.',
    }),
    partyId: z.string().nullable(),
    source: z
      .enum(['operator', 'owner', 'agent_owner'])
      .nullable()
      .meta({
        description:
          'operator: the operator opened the account with its party. owner: the account has an owner. agent_owner: it is an agent ' +
          'account, and has the party of its owner. null: it has none.',
      }),
    setup: z
      .enum(['not_started', 'pending', 'waiting_for_package', 'complete'])
      .nullable()
      .meta({
        description:
          "The owner's setup: complete with an active party, a signing wallet and a consent. waiting_for_package: the ledger lacks the " +
          'package that the consent needs. null for an account without an owner, which needs no setup.',
      }),
    lastSequence: sequence.meta({ description: 'The last change of the party, the signing wallet or the consent.' }),
  })
  .meta({ id: 'PartyBinding', 'x-openperp-ours': true });
export type PartyBinding = z.infer<typeof partyBinding>;

export const getAccount = {
  id: 'getAccount',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}',
  summary: 'Account snapshot',
  description: 'Cash, equity, the amount available for orders, and the open positions.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: accountSnapshot, description: 'The snapshot.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listPositions = {
  id: 'listPositions',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/positions',
  summary: 'Position snapshot',
  description:
    'The open positions with their live risk, at most one per market. readModelDigest covers all of them, also if marketId filters the list.',
  access: 'bearer:read',
  params: accountParams,
  query: z.strictObject(marketFilter),
  success: { status: 200, schema: positionSnapshot, description: 'The snapshot.' },
  refusals: ['account_forbidden', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getParty = {
  id: 'getParty',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/party',
  summary: 'Party binding',
  description: 'Whether the account may trade: its binding must be active.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: partyBinding, description: 'The binding.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const accountOperations = { getAccount, listPositions, getParty };
