/** Places, reads and cancels orders through /v2. */
import { hash } from 'node:crypto';
import type { LimitPlacement } from '#contract/order-batches.ts';
import type { OrderPlacement } from '#contract/orders.ts';
import type { UnifiedOrderEntry, unifiedOrderOperations } from '#contract/unified-orders.ts';
import { Contradiction } from './contradiction.ts';
import { decimalOf } from './numbers.ts';
import { unifiedCancel, unifiedOrder, unifiedPlacement } from './order-structures.ts';
import type { Gateway } from './port.ts';
import { isSymbol, type Symbols } from './symbols.ts';

export function orderCalls(symbols: Symbols): Pick<Gateway, keyof typeof unifiedOrderOperations> {
  return {
    createUnifiedOrder: async ({ body: entry, idempotencyKey }, venue) => {
      const market = await symbols.inBody(entry.symbol);
      const body: OrderPlacement = {
        ...common(entry, await venue.accountId(), market.marketId, newReference('order', idempotencyKey)),
        orderType: entry.type,
        ...(entry.type === 'limit' && { price: decimalOf(entry.price) }),
      };
      const placed = await venue.call('placeOrder', { body, idempotencyKey });
      return { body: unifiedOrder(placed, market) };
    },

    createUnifiedOrders: async ({ body: entries, idempotencyKey }, venue) => {
      // A malformed symbol fails the request; a well-formed symbol without a market fails its entry.
      for (const { symbol } of entries) if (!isSymbol(symbol)) await symbols.inBody(symbol);
      const markets = await symbols.each(entries.map(({ symbol }) => symbol));
      const accountId = await venue.accountId();
      const orders = entries.map((entry, index): LimitPlacement => {
        const marketId = markets[index]?.marketId ?? entry.symbol;
        const reference = newReference(`orders\n${index}`, idempotencyKey);
        return { ...common(entry, accountId, marketId, reference), orderType: 'limit', price: decimalOf(entry.price) };
      });
      const body = await venue.call('placeOrders', { body: { orders }, idempotencyKey });
      checkOutcomes(body.outcomes, entries);
      const results = body.outcomes.map((outcome, index) => {
        if (outcome.accepted && markets[index]?.marketId !== outcome.marketId)
          throw new Contradiction(`entry ${index} is in another market`);
        return unifiedPlacement(outcome, entries[index]!, markets[index]);
      });
      return { body: results };
    },

    getUnifiedOrder: async ({ params }, venue) => {
      const body = await venue.call('getOrder', { params });
      return { body: unifiedOrder(body, await symbols.of(body.marketId)) };
    },

    cancelUnifiedOrder: async ({ params, body: named }, venue) => {
      const symbol = named?.symbol ?? undefined;
      const within = symbol === undefined ? {} : { marketId: (await symbols.inBody(symbol)).marketId };
      const body = await venue.call('cancelOrder', { params, body: within });
      return { body: unifiedOrder(body, await symbols.of(body.marketId)) };
    },

    cancelUnifiedOrders: async ({ body: { ids, symbol } }, venue) => {
      const market = await symbols.inBody(symbol);
      const cancels = { orderIds: ids, marketId: market.marketId };
      const body = await venue.call('cancelOrders', { body: cancels });
      checkOutcomes(body.outcomes, ids);
      return { body: body.outcomes.map((outcome) => unifiedCancel(outcome, market)) };
    },
  };
}

/** The fields that limit and market orders share, in the form of /v1. */
function common({ side, amount, params }: UnifiedOrderEntry, accountId: string, marketId: string, reference: string) {
  const { clientOrderId, postOnly, reduceOnly, leverage } = params ?? {};
  return {
    accountId,
    marketId,
    clientOrderId: clientOrderId ?? reference,
    side,
    quantity: decimalOf(amount),
    ...(isTruthy(postOnly) && { postOnly }),
    ...(isTruthy(reduceOnly) && { reduceOnly }),
    ...(isTruthy(leverage) && { leverageX: leverage }),
  };
}

/** Each entry of a request must have one outcome, in the order of the request. */
function checkOutcomes(outcomes: readonly { readonly index: number }[], entries: readonly unknown[]): void {
  const isInOrder = outcomes.length === entries.length && outcomes.every(({ index }, place) => index === place);
  if (!isInOrder) throw new Contradiction(`${entries.length} entries have other outcomes than one each, in their order`);
}

function isTruthy<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined;
}

/** Deterministic, so that a repeated request is the same request to the venue too. */
function newReference(place: string, idempotencyKey: string): string {
  return `v2-${hash('sha256', `${place}\n${idempotencyKey}`, 'base64url')}`;
}
