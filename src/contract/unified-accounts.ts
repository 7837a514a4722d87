/** /v2: balance, positions, orders and trades of an account in the structures of the unified library. Lists are oldest first. */
import * as z from 'zod';
import { fill } from './account-history.ts';
import { accountSnapshot } from './accounts.ts';
import { accountParams, epochMs, idInput, numberedId, orderType, ours, SETTLEMENT_ASSET, side } from './fields.ts';
import { UNIFIED_ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';
import { position } from './positions.ts';
import {
  amount,
  amountOrNull,
  clientOrderIdFilter,
  listQuery,
  symbol,
  symbolFilter,
  unifiedFee,
  unknown,
} from './unified-fields.ts';
import { unifiedOrders } from './unified-order-structures.ts';

const bySettlementAsset = z.strictObject({ [SETTLEMENT_ASSET]: amount });

/** A balance of ccxt (2.4). `used` is omitted because no source is authoritative for it. */
export const unifiedBalance = z
  .strictObject({
    free: bySettlementAsset.meta({ description: 'The amount available for orders.' }),
    total: bySettlementAsset.meta({ description: 'Cash and the margin of positions, without unrealized PnL.' }),
    info: accountSnapshot,
    [SETTLEMENT_ASSET]: ours(z.strictObject({ free: amount, total: amount }), 'The same by currency.'),
    timestamp: ours(epochMs, 'The time of the balance.'),
    datetime: ours(z.string(), 'The timestamp in ISO 8601.'),
  })
  .meta({ id: 'UnifiedBalance' });
export type UnifiedBalance = z.infer<typeof unifiedBalance>;

/** A position of ccxt. */
export const unifiedPosition = z
  .strictObject({
    id: numberedId,
    symbol,
    timestamp: epochMs.meta({ description: 'When the position last changed, by a fill or by funding.' }),
    datetime: z.string(),
    lastUpdateTimestamp: epochMs,
    contracts: amount,
    contractSize: z.literal(1),
    side: position.shape.side,
    hedged: z.literal(false),
    marginMode: z.literal('isolated'),
    entryPrice: amountOrNull.meta({ description: 'The entry notional divided by the contracts, exact to 18 decimals.' }),
    markPrice: amountOrNull,
    lastPrice: unknown,
    notional: amountOrNull.meta({ description: 'At the mark price.' }),
    leverage: amountOrNull.meta({ description: 'The entry notional divided by the margin.' }),
    collateral: amountOrNull.meta({ description: 'The margin plus the unrealized PnL.' }),
    initialMargin: amount,
    initialMarginPercentage: amountOrNull,
    maintenanceMargin: amountOrNull,
    maintenanceMarginPercentage: amountOrNull,
    marginRatio: amountOrNull,
    unrealizedPnl: amountOrNull,
    realizedPnl: amount,
    liquidationPrice: amountOrNull,
    stopLossPrice: unknown,
    takeProfitPrice: unknown,
    percentage: amountOrNull.meta({ description: 'The unrealized PnL in percent of the margin, with two decimals.' }),
    info: position,
  })
  .meta({ id: 'UnifiedPosition', 'x-openperp-ours': true });
export type UnifiedPosition = z.infer<typeof unifiedPosition>;

const unifiedPositions = z.array(unifiedPosition).meta({ id: 'UnifiedPositions', 'x-openperp-ours': true });

/** A private trade of ccxt. */
export const unifiedTrade = z
  .strictObject({
    id: numberedId,
    order: numberedId,
    timestamp: epochMs,
    datetime: z.string(),
    symbol,
    type: orderType,
    side,
    takerOrMaker: fill.shape.liquidity,
    price: amount,
    amount,
    cost: amount,
    fee: unifiedFee,
    fees: z.array(unifiedFee),
    info: fill,
  })
  .meta({ id: 'UnifiedTrade', 'x-openperp-ours': true });
export type UnifiedTrade = z.infer<typeof unifiedTrade>;

const unifiedTrades = z.array(unifiedTrade).meta({ id: 'UnifiedTrades', 'x-openperp-ours': true });

export const getUnifiedBalance = {
  id: 'getUnifiedBalance',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/accounts/{accountId}',
  summary: 'fetchBalance',
  description: 'Free and total by currency. There is no `used`, because no source is authoritative for it.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: unifiedBalance, description: 'The balance.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listUnifiedPositions = {
  id: 'listUnifiedPositions',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/accounts/{accountId}/positions',
  summary: 'fetchPositions',
  description: 'The open positions, at most one per market.',
  access: 'bearer:read',
  params: accountParams,
  query: z.strictObject(symbolFilter),
  success: { status: 200, schema: unifiedPositions, description: 'The positions.' },
  refusals: ['account_forbidden', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listUnifiedOrders = {
  id: 'listUnifiedOrders',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/accounts/{accountId}/orders',
  summary: 'fetchOrders',
  description: 'Orders of every status, oldest first: the newest orders, or with `since` the first orders from there.',
  access: 'bearer:read',
  page: UNIFIED_ACCOUNT_PAGE,
  params: accountParams,
  query: listQuery(clientOrderIdFilter),
  success: { status: 200, schema: unifiedOrders, description: 'The orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listUnifiedOpenOrders = {
  id: 'listUnifiedOpenOrders',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/accounts/{accountId}/orders/open',
  summary: 'fetchOpenOrders',
  description: 'Orders that rest in a book, oldest first: the newest orders, or with `since` the first orders from there.',
  access: 'bearer:read',
  page: UNIFIED_ACCOUNT_PAGE,
  params: accountParams,
  query: listQuery(clientOrderIdFilter),
  success: { status: 200, schema: unifiedOrders, description: 'The open orders.' },
  refusals: ['account_forbidden', 'market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listUnifiedTrades = {
  id: 'listUnifiedTrades',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/accounts/{accountId}/fills',
  summary: 'fetchMyTrades',
  description: "The account's side of its trades, oldest first: the newest trades, or with `since` the first trades from there.",
  access: 'bearer:read',
  page: UNIFIED_ACCOUNT_PAGE,
  params: accountParams,
  query: listQuery({ orderId: ours(idInput.optional(), 'Only fills of this order.'), ...clientOrderIdFilter }),
  success: { status: 200, schema: unifiedTrades, description: 'The trades.' },
  refusals: ['account_forbidden', 'market_not_found', 'order_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const unifiedAccountOperations = {
  getUnifiedBalance,
  listUnifiedPositions,
  listUnifiedOrders,
  listUnifiedOpenOrders,
  listUnifiedTrades,
};
