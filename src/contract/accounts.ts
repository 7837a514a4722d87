/** Accounts: what an account holds now. An API key reads the one account that it belongs to. */
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
      description: 'Covers all that is durable of the account itself and its open episode rows; live values are in neither.',
    }),
    marginMode: z.literal('isolated'),
    cashBalanceAtoms: signedAtoms,
    cashBalance: signedDecimal,
    equityAtoms: signedAtoms,
    equity: signedDecimal,
    availableForOrdersAtoms: signedAtoms,
    availableForOrders: signedDecimal,
    resync: resync('account.margin'),
    consentState: z.enum(['absent']).meta({
      description:
        'Whether the owner has signed a consent for its party. No account can yet: the operation for it is still to come. The party ' +
        'binding of an account needs none, and may be active all the same.',
    }),
    riskEvidence: z.strictObject({
      status: z.enum(['complete', 'partial', 'stale']).meta({
        description:
          "complete: every position is valued at a mark that holds now. stale: the index price of some position's market is not current, and " +
          'equity is as of the last mark that could be relied on; nobody is liquidated by it. partial: some position has no mark at all, ' +
          'and equity leaves its unrealized PnL out.',
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
    reservedForOrdersAtoms: ours(atoms, 'Margin and fees held for open orders; part of the cash balance.'),
    reservedForOrders: ours(decimal, 'Margin and fees held for open orders; part of the cash balance.'),
    positionMarginAtoms: ours(atoms, 'Margin held by open positions; not part of the cash balance.'),
    positionMargin: ours(decimal, 'Margin held by open positions; not part of the cash balance.'),
    freshness: ours(freshness, 'How current this answer is.'),
  })
  .meta({ id: 'AccountSnapshot', description: 'equity = cashBalance + positionMargin + unrealized PnL.' });
export type AccountSnapshot = z.infer<typeof accountSnapshot>;

export const partyBinding = z
  .strictObject({
    version: z.literal('external-party-binding/v1'),
    accountId,
    status: z.enum(['active', 'absent']).meta({ description: 'The account trades only while it is active.' }),
    partyId: z.string().nullable(),
    lastSequence: sequence,
  })
  .meta({ id: 'PartyBinding', 'x-openperp-ours': true });
export type PartyBinding = z.infer<typeof partyBinding>;

export const getAccount = {
  id: 'getAccount',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}',
  summary: 'Account snapshot',
  description: 'Cash, equity, what is available for orders, and the open positions.',
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
    'The open positions with their live risk, at most one in each market. readModelDigest covers all of them, whatever marketId asks for.',
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
