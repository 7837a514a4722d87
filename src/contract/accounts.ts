/** Accounts: what an account holds, ordered and traded. An API key reads the one account that it belongs to. */
import * as z from 'zod';
import {
  accountId,
  atoms,
  clientOrderId,
  decimal,
  epochMs,
  freshness,
  idInput,
  marketId,
  nextCursor,
  numberedId,
  orderType,
  ours,
  pageQuery,
  readModelDigest,
  resync,
  sequence,
  settlementAsset,
  side,
  signedAtoms,
  signedDecimal,
} from './fields.ts';
import type { Operation } from './operation.ts';
import { order, venueOrigin } from './orders.ts';
import { positionSnapshot } from './positions.ts';

/** The account snapshot (2.6). */
export const accountSnapshot = z
  .strictObject({
    version: z.literal('external-account-snapshot/v1'),
    accountId,
    asset: settlementAsset,
    snapshotSequence: sequence,
    readModelDigest,
    marginMode: z.literal('isolated'),
    cashBalanceAtoms: signedAtoms,
    cashBalance: signedDecimal,
    equityAtoms: signedAtoms,
    equity: signedDecimal,
    availableForOrdersAtoms: signedAtoms,
    availableForOrders: signedDecimal,
    resync: resync('account.margin'),
    consentState: z.enum(['absent']),
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
        unrealizedPnlAtoms: signedAtoms.optional(),
        signedBaseAtoms: signedAtoms,
        entryNotionalAtoms: atoms,
        markPriceAtoms: atoms.optional(),
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

export const fill = z
  .strictObject({
    tradeId: numberedId,
    orderId: numberedId,
    origin: venueOrigin.meta({ description: "Who placed the account's order, where its owner did not." }),
    clientOrderId: clientOrderId.optional(),
    positionId: numberedId,
    accountId,
    marketId,
    side,
    orderType,
    liquidity: z.enum(['maker', 'taker']),
    price: decimal,
    quantity: decimal,
    notional: decimal,
    fee: signedDecimal.meta({ description: 'What the account paid; below zero for a rebate.' }),
    feeAsset: settlementAsset,
    realizedPnl: signedDecimal,
    executedAtEpochMs: epochMs,
    sequence,
  })
  .meta({ id: 'Fill', description: "An account's side of one trade.", 'x-openperp-ours': true });
export type FillResource = z.infer<typeof fill>;

export const fillList = z
  .strictObject({ version: z.literal('external-fill-list/v1'), accountId, fills: z.array(fill), nextCursor, freshness })
  .meta({ id: 'FillList', 'x-openperp-ours': true });
export type FillList = z.infer<typeof fillList>;

export const orderList = z
  .strictObject({ version: z.literal('external-order-list/v1'), accountId, orders: z.array(order), nextCursor, freshness })
  .meta({ id: 'OrderList', 'x-openperp-ours': true });
export type OrderList = z.infer<typeof orderList>;

export const partyBinding = z
  .strictObject({
    version: z.literal('external-party-binding/v1'),
    accountId,
    status: z.enum(['active', 'absent']).meta({ description: 'The account trades only while it is active.' }),
    partyId: z.string().optional(),
    lastSequence: sequence,
  })
  .meta({ id: 'PartyBinding', 'x-openperp-ours': true });
export type PartyBinding = z.infer<typeof partyBinding>;

const accountParams = z.strictObject({ accountId: idInput });
const marketFilter = { marketId: ours(idInput.optional(), 'Only this market.') };

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
  refusals: ['account_forbidden'],
} as const satisfies Operation;

export const listPositions = {
  id: 'listPositions',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/positions',
  summary: 'Position snapshot',
  description: 'The open positions with their live risk.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: positionSnapshot, description: 'The snapshot.' },
  refusals: ['account_forbidden'],
} as const satisfies Operation;

export const listOrders = {
  id: 'listOrders',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/orders',
  summary: 'Orders',
  description: 'Orders of every status, by the time they were placed. Newest first; oldest first from `since` on.',
  access: 'bearer:read',
  params: accountParams,
  query: z.strictObject({
    ...pageQuery,
    ...marketFilter,
    status: ours(order.shape.status.optional(), 'Only orders with this status.'),
    clientOrderId: ours(clientOrderId.optional(), 'Only the order with this reference.'),
  }),
  success: { status: 200, schema: orderList, description: 'The orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor'],
} as const satisfies Operation;

export const listOpenOrders = {
  id: 'listOpenOrders',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/orders/open',
  summary: 'Open orders',
  description: 'Orders that rest in a book. Newest first; oldest first from `since` on.',
  access: 'bearer:read',
  params: accountParams,
  query: z.strictObject({ ...pageQuery, ...marketFilter }),
  success: { status: 200, schema: orderList, description: 'The open orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor'],
} as const satisfies Operation;

export const listFills = {
  id: 'listFills',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/fills',
  summary: 'Fills',
  description: "The account's side of its trades. Newest first; oldest first from `since` on.",
  access: 'bearer:read',
  params: accountParams,
  query: z.strictObject({ ...pageQuery, ...marketFilter, orderId: ours(idInput.optional(), 'Only fills of this order.') }),
  success: { status: 200, schema: fillList, description: 'The fills.' },
  refusals: ['account_forbidden', 'market_not_found', 'order_not_found', 'invalid_cursor'],
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
  refusals: ['account_forbidden'],
} as const satisfies Operation;

export const accountOperations = { getAccount, listPositions, listOrders, listOpenOrders, listFills, getParty };
