/** Accounts: an account's orders, fills and closed positions, in pages. */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  clientOrderId,
  decimal,
  epochMs,
  freshness,
  idInput,
  marketFilter,
  marketId,
  nextCursor,
  numberedId,
  orderType,
  ours,
  pageQuery,
  sequence,
  settlementAsset,
  side,
  signedDecimal,
} from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';
import { order, venueOrigin } from './orders.ts';
import { position } from './positions.ts';

export const fill = z
  .strictObject({
    tradeId: numberedId,
    orderId: numberedId,
    origin: venueOrigin.meta({ description: "Set if the venue placed the account's order; null if its owner did." }),
    clientOrderId: clientOrderId.nullable(),
    positionId: numberedId,
    accountId,
    marketId,
    side,
    orderType,
    liquidity: z.enum(['maker', 'taker']),
    price: decimal,
    quantity: decimal,
    notional: decimal,
    fee: signedDecimal.meta({ description: 'The fee that the account paid; negative for a rebate.' }),
    feeAsset: settlementAsset,
    realizedPnl: signedDecimal,
    liquidationFee: decimal.meta({
      description: 'The fee of a liquidation, paid to the insurance fund beside fee; 0 for other fills.',
    }),
    insuranceCovered: signedDecimal.meta({
      description:
        'What the insurance fund (the venue, if the fund is empty) paid of the loss because nothing else backed it; negative for what the fill ' +
        'repaid to the fund. realizedPnl − fee − liquidationFee + insuranceCovered is the change of cash and position margin together.',
    }),
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

export const positionHistory = z
  .strictObject({
    version: z.literal('external-position-history/v1'),
    accountId,
    positions: z.array(position),
    nextCursor,
    freshness,
  })
  .meta({ id: 'PositionHistory', 'x-openperp-ours': true });
export type PositionHistory = z.infer<typeof positionHistory>;

export const listOrders = {
  id: 'listOrders',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/orders',
  summary: 'Orders',
  description:
    'Orders of every status, by the time they were placed. Newest first; with `since` oldest first from there. The filter `status` uses the ' +
    'status that an order has when its page is read.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery({
    ...marketFilter,
    status: ours(order.shape.status.optional(), 'Only orders with this status.'),
    clientOrderId: ours(clientOrderId.optional(), 'Only the order with this reference.'),
  }),
  success: { status: 200, schema: orderList, description: 'The orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listOpenOrders = {
  id: 'listOpenOrders',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/orders/open',
  summary: 'Open orders',
  description: 'Orders that rest in a book. Newest first; with `since` oldest first from there.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery({
    ...marketFilter,
    clientOrderId: ours(clientOrderId.optional(), 'Only the order with this reference.'),
  }),
  success: { status: 200, schema: orderList, description: 'The open orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listFills = {
  id: 'listFills',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/fills',
  summary: 'Fills',
  description: "The account's side of its trades. Newest first; with `since` oldest first from there.",
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery({
    ...marketFilter,
    orderId: ours(idInput.optional(), 'Only fills of this order.'),
    clientOrderId: ours(clientOrderId.optional(), 'Only fills of the newest order with this reference.'),
  }),
  success: { status: 200, schema: fillList, description: 'The fills.' },
  refusals: ['account_forbidden', 'market_not_found', 'order_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listPositionHistory = {
  id: 'listPositionHistory',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/positions/history',
  summary: 'Closed positions',
  description:
    'Ended position episodes, by the time they were closed. Newest first; with `since` oldest first from there. A closed episode no longer changes.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery(marketFilter),
  success: { status: 200, schema: positionHistory, description: 'The closed positions.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const accountHistoryOperations = { listOrders, listOpenOrders, listFills, listPositionHistory };
