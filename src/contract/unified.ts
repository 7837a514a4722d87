/** /v2: all operations of the unified library, in the order of the interface's catalogue. */
import { unifiedAccountOperations } from './unified-accounts.ts';
import { unifiedMarketOperations } from './unified-markets.ts';
import { unifiedNotImplementedOperations } from './unified-not-implemented.ts';
import { unifiedOrderOperations } from './unified-orders.ts';

export const unifiedOperations = {
  ...unifiedMarketOperations,
  ...unifiedAccountOperations,
  ...unifiedOrderOperations,
  ...unifiedNotImplementedOperations,
};

export type UnifiedOperationId = keyof typeof unifiedOperations;
export const UNIFIED_OPERATION_IDS = Object.keys(unifiedOperations) as UnifiedOperationId[];

/** Paths whose refusals have the library's shape. */
export const UNIFIED_PREFIX = '/v2/';
