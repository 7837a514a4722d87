/** Placing, reading and cancelling through /v2. */
import { hash } from 'node:crypto';
import type { LimitPlacement } from '#contract/order-batches.ts';
import type { OrderPlacement } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import type { UnifiedOrderEntry, unifiedOrderOperations } from '#contract/unified-orders.ts';
import { decimalOf } from './numbers.ts';
import { unifiedCancel, unifiedOrder, unifiedPlacement } from './order-structures.ts';
import type { Gateway } from './port.ts';
import { isSymbol, type Symbols } from './symbols.ts';

export function orderCalls(symbols: Symbols): Pick<Gateway, keyof typeof unifiedOrderOperations> {
  return {
    createUnifiedOrder: async ({ body: entry, idempotencyKey }, venue) => {
      const market = await symbols.inBody(entry.symbol);
      const body: OrderPlacement = {
        ...common(entry, await venue.accountId(), market.marketId, madeReference('order', idempotencyKey)),
        orderType: entry.type,
        ...(entry.type === 'limit' && { price: decimalOf(priceOf(entry)) }),
      };
      const placed = await venue.call('placeOrder', { body, idempotencyKey });
      return { body: unifiedOrder(placed, market) };
    },

    createUnifiedOrders: async ({ body: entries, idempotencyKey }, venue) => {
      // What could be no symbol is a fault of the form; one that no market has is the outcome of its entry.
      for (const { symbol } of entries) if (!isSymbol(symbol)) await symbols.inBody(symbol);
      const markets = await Promise.all(entries.map(({ symbol }) => symbols.named(symbol)));
      const accountId = await venue.accountId();
      const orders = entries.map((entry, index): LimitPlacement => {
        const marketId = markets[index]?.marketId ?? entry.symbol;
        const reference = madeReference(`orders\n${index}`, idempotencyKey);
        return { ...common(entry, accountId, marketId, reference), orderType: 'limit', price: decimalOf(entry.price) };
      });
      const body = await venue.call('placeOrders', { body: { orders }, idempotencyKey });
      const results = body.outcomes.map((outcome) => unifiedPlacement(outcome, markets[outcome.index]));
      return { body: results };
    },

    getUnifiedOrder: async ({ params }, venue) => {
      const body = await venue.call('getOrder', { params });
      return { body: unifiedOrder(body, await symbols.of(body.marketId)) };
    },

    cancelUnifiedOrder: async ({ params, body: named }, venue) => {
      const within = named?.symbol === undefined ? {} : { marketId: (await symbols.inBody(named.symbol)).marketId };
      const body = await venue.call('cancelOrder', { params, body: within });
      return { body: unifiedOrder(body, await symbols.of(body.marketId)) };
    },

    cancelUnifiedOrders: async ({ body: { ids, symbol } }, venue) => {
      const market = await symbols.inBody(symbol);
      const cancels = { orderIds: ids, marketId: market.marketId };
      const body = await venue.call('cancelOrders', { body: cancels });
      return { body: body.outcomes.map((outcome) => unifiedCancel(outcome, market)) };
    },
  };
}

/** What a limit and a market order say alike, as /v1 is told it. */
function common({ side, amount, params = {} }: UnifiedOrderEntry, accountId: string, marketId: string, reference: string) {
  const { clientOrderId = reference, postOnly, reduceOnly, leverage } = params;
  return {
    accountId,
    marketId,
    clientOrderId,
    side,
    quantity: decimalOf(amount),
    ...(postOnly !== undefined && { postOnly }),
    ...(reduceOnly !== undefined && { reduceOnly }),
    ...(leverage !== undefined && { leverageX: leverage }),
  };
}

/** That of a limit order has to be there; that of a market order is left unread. */
function priceOf({ price }: UnifiedOrderEntry): number {
  if (price === undefined) throw new Refused('invalid_request', 'The field price is required: a limit order needs it.');
  return price;
}

/** The same for a request that comes again, so that it is the same request to the venue too. */
function madeReference(place: string, idempotencyKey: string): string {
  return `v2-${hash('sha256', `${place}\n${idempotencyKey}`, 'base64url')}`;
}
