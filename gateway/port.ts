/**
 * The port of the gateway: the venue as one client sees it, through operations of /v1 only. It has two transports: in the venue's
 * own process (engine/http/server/in-process-calls.ts), and HTTP (upstream.ts).
 */
import type * as z from 'zod';
import { accountHistoryOperations } from '#contract/account-history.ts';
import { accountOperations } from '#contract/accounts.ts';
import { marketOperations } from '#contract/markets.ts';
import type { Operation, Outcome, Part, RenderedBody } from '#contract/operation.ts';
import { orderBatchOperations } from '#contract/order-batches.ts';
import { orderCancelOperations } from '#contract/order-cancels.ts';
import { orderOperations } from '#contract/orders.ts';
import type { UnifiedOperationId, unifiedOperations } from '#contract/unified.ts';
import type { UnifiedTrade } from '#contract/unified-accounts.ts';
import type { UnifiedCandles } from '#contract/unified-markets.ts';
import type { UnifiedOrder } from '#contract/unified-order-structures.ts';

const { listMarkets, getMarketStats, getCandles, getBook } = marketOperations;
const { getAccount, listPositions } = accountOperations;
const { listOrders, listOpenOrders, listFills } = accountHistoryOperations;
const { placeOrder, getOrder } = orderOperations;
const { placeOrders } = orderBatchOperations;
const { cancelOrder, cancelOrders } = orderCancelOperations;

/** All operations that the gateway calls. */
export const CALLED = {
  listMarkets,
  getMarketStats,
  getCandles,
  getBook,
  getAccount,
  listPositions,
  listOrders,
  listOpenOrders,
  listFills,
  placeOrder,
  getOrder,
  placeOrders,
  cancelOrder,
  cancelOrders,
} as const;
type CalledOperations = typeof CALLED;
export type CalledId = keyof CalledOperations;

/** The parts of a request. */
export interface VenueCall<Id extends CalledId> {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: Readonly<Record<string, string>>;
  readonly body?: CalledOperations[Id] extends { readonly body: infer Body extends z.ZodType } ? z.input<Body> : never;
  readonly idempotencyKey?: string;
}

export type CallResult<Id extends CalledId> = z.output<CalledOperations[Id]['success']['schema']>;

/** The lists whose entries are translated one by one. */
export interface TranslatedLists {
  readonly listOrders: UnifiedOrder[];
  readonly listOpenOrders: UnifiedOrder[];
  readonly listFills: UnifiedTrade[];
  readonly getCandles: UnifiedCandles;
}

/** The venue as the caller of one request, with that caller's permissions. Response headers bypass the gateway. */
export interface Venue {
  /** The account of the caller's API key. */
  accountId(): Promise<string>;
  /** Rejects with `Refused`, like the venue. */
  call<Id extends CalledId>(id: Id, call: VenueCall<Id>): Promise<CallResult<Id>>;
  /** The entries of a list in the form of /v2, oldest first and rendered; present if the venue translates them while reading. */
  translated?<Id extends keyof TranslatedLists>(id: Id, call: VenueCall<Id>): Promise<RenderedBody<TranslatedLists[Id]>>;
}

/** A request for an operation of /v2, parsed by its declaration. */
export interface UnifiedRequest<Declared extends Operation> {
  readonly params: Part<Declared, 'params'>;
  readonly query: Part<Declared, 'query'>;
  readonly body: Part<Declared, 'body'>;
  readonly idempotencyKey: Declared extends { readonly needsIdempotencyKey: true } ? string : undefined;
}

/** Each call resolves with its declared response, or rejects with `Refused`. */
export type Gateway = {
  readonly [Id in UnifiedOperationId]: (
    request: UnifiedRequest<(typeof unifiedOperations)[Id]>,
    venue: Venue,
  ) => Promise<Outcome<(typeof unifiedOperations)[Id]>>;
};
