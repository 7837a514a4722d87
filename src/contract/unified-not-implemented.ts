/** /v2: methods of the unified library that are not implemented. They ignore the request and return 501. */
import type { Operation } from './operation.ts';
import { unifiedError } from './unified-errors.ts';

const notImplemented = {
  group: 'Unified-library v2',
  access: 'none',
  acceptsAnyBody: true,
  success: { status: 501, schema: unifiedError, description: 'NotSupported, always. Nothing is done.' },
  refusals: [],
} as const;

function described(method: string, instead: string) {
  return {
    summary: `${method}: not implemented`,
    description: `${instead} This operation always returns 501 NotSupported.`,
  };
}

export const unifiedFetchTrades = {
  ...notImplemented,
  ...described('fetchTrades', 'Public trades are at GET /v1/markets/{marketId}/trades.'),
  id: 'unifiedFetchTrades',
  method: 'GET',
  path: '/v2/not-implemented/fetch-trades',
} as const satisfies Operation;

export const unifiedCancelAllOrders = {
  ...notImplemented,
  ...described('cancelAllOrders', 'Use POST /v1/orders/cancel-all to cancel all open orders.'),
  id: 'unifiedCancelAllOrders',
  method: 'POST',
  path: '/v2/not-implemented/cancel-all-orders',
} as const satisfies Operation;

export const unifiedEditOrder = {
  ...notImplemented,
  ...described('editOrder', 'Use POST /v1/orders/amend to amend an order.'),
  id: 'unifiedEditOrder',
  method: 'PUT',
  path: '/v2/not-implemented/edit-order',
} as const satisfies Operation;

export const unifiedFetchFundingRateHistory = {
  ...notImplemented,
  ...described('fetchFundingRateHistory', 'Settled rates are at GET /v1/markets/{marketId}/funding.'),
  id: 'unifiedFetchFundingRateHistory',
  method: 'GET',
  path: '/v2/not-implemented/fetch-funding-rate-history',
} as const satisfies Operation;

export const unifiedFetchFundingHistory = {
  ...notImplemented,
  ...described('fetchFundingHistory', 'Payments are at GET /v1/accounts/{accountId}/funding.'),
  id: 'unifiedFetchFundingHistory',
  method: 'GET',
  path: '/v2/not-implemented/fetch-funding-history',
} as const satisfies Operation;

export const unifiedSetLeverage = {
  ...notImplemented,
  ...described('setLeverage', 'Leverage is set per order, in params.leverage.'),
  id: 'unifiedSetLeverage',
  method: 'PUT',
  path: '/v2/not-implemented/set-leverage',
} as const satisfies Operation;

export const unifiedSetMarginMode = {
  ...notImplemented,
  ...described('setMarginMode', 'Margin is always isolated.'),
  id: 'unifiedSetMarginMode',
  method: 'PUT',
  path: '/v2/not-implemented/set-margin-mode',
} as const satisfies Operation;

export const unifiedNotImplementedOperations = {
  unifiedFetchTrades,
  unifiedCancelAllOrders,
  unifiedEditOrder,
  unifiedFetchFundingRateHistory,
  unifiedFetchFundingHistory,
  unifiedSetLeverage,
  unifiedSetMarginMode,
};
