/** Placing, reading and cancelling orders. */
import type { OrderPlacement, OrderResource, orderOperations } from '#contract/orders.ts';
import { ownAccount } from '#http/access.ts';
import type { Handlers } from '#http/binding.ts';
import { idempotencyOf } from '#http/idempotency.ts';
import { orderTerms } from '#http/order-terms.ts';
import type { HttpPorts } from '#http/ports.ts';
import { rateLimit } from '#http/rate-limit.ts';
import type { ListedMarket, Reads } from '#http/reads.ts';
import { Refused } from '#http/refused.ts';
import { REPLAYED, venueRefusal } from '#http/venue-refusal.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import { parseOrderId } from '#units/ids.ts';
import type { PlaceOrder } from '#venue/command.ts';

export function orderHandlers({ submit, reads, clock, limits }: HttpPorts): Pick<Handlers, keyof typeof orderOperations> {
  const takePlacement = rateLimit<AccountOrdinal>(limits.orders);
  const takeCancel = rateLimit<AccountOrdinal>(limits.orders);
  return {
    placeOrder: async ({ body, principal, idempotencyKey }) => {
      const account = ownAccount(principal, body.accountId);
      takePlacement(account, clock.now());
      const listed = reads.listedMarket(body.marketId);
      if (listed === undefined) throw new Refused('unknown_market');
      const command = placement(account, listed, body, idempotencyKey);
      const record = await submit({ command, idempotency: idempotencyOf(account, 'placeOrder', idempotencyKey, body) });
      const refusal = venueRefusal(record, listed.specification);
      if (refusal !== undefined) throw refusal;
      const order = reads.placedOrder(record);
      if (order === undefined) throw new Error(`record ${record.sequence} neither took nor refused its order`);
      return { body: order, headers: record.replayed ? REPLAYED : {} };
    },

    getOrder: ({ params, principal }) => ({ body: ownOrder(reads, principal.account, params.orderId).resource }),

    cancelOrder: async ({ params, principal }) => {
      const { account } = principal;
      takeCancel(account, clock.now());
      const { order, resource } = ownOrder(reads, account, params.orderId);
      // An end is final: the venue need not be asked, and the journal keeps no record of having been.
      if (resource.status !== 'open') return { body: cancelledByOwner(resource) };
      const refusal = venueRefusal(await submit({ command: { type: 'CancelOrder', account, order } }));
      if (refusal !== undefined && refusal.code !== 'order_not_open') throw refusal;
      return { body: cancelledByOwner(ownOrder(reads, account, params.orderId).resource) };
    },
  };
}

/** The order, where its owner cancelled it: repeating a cancel whose answer was lost is a no-op. Any other end is told. */
function cancelledByOwner(resource: OrderResource): OrderResource {
  if (resource.status !== 'cancelled' || resource.cancelReason !== undefined) throw new Refused('order_not_open');
  return resource;
}

function placement(account: AccountOrdinal, listed: ListedMarket, body: OrderPlacement, idempotencyKey: string): PlaceOrder {
  return {
    type: 'PlaceOrder',
    account,
    market: listed.market,
    clientOrderId: body.clientOrderId,
    side: body.side,
    terms: orderTerms(body, listed.specification),
    reduceOnly: body.reduceOnly ?? false,
    leverageX: body.leverageX ?? 0,
    idempotencyKey,
  };
}

/** Throws {@link Refused} `order_not_found`, for another account's order too. */
export function ownOrder(
  reads: Reads,
  account: AccountOrdinal,
  orderId: string,
): { readonly order: OrderOrdinal; readonly resource: OrderResource } {
  const order = parseOrderId(orderId);
  const resource = order === undefined ? undefined : reads.order(account, order);
  if (order === undefined || resource === undefined) throw new Refused('order_not_found');
  return { order, resource };
}
