/** Placing, reading and cancelling orders. */
import type { Rendered } from '#contract/operation.ts';
import type { OrderPlacement, OrderResource, orderOperations } from '#contract/orders.ts';
import { ownAccount } from '#http/access.ts';
import { type Ask, readBack } from '#http/answers.ts';
import type { Handlers } from '#http/binding.ts';
import { idempotencyOf } from '#http/idempotency.ts';
import { orderTerms } from '#http/order-terms.ts';
import type { HttpPorts } from '#http/ports.ts';
import { rateLimit } from '#http/rate-limit.ts';
import type { ListedMarket } from '#http/reads.ts';
import { Refused } from '#http/refused.ts';
import { REPLAYED, venueRefusal } from '#http/venue-refusal.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import { parseOrderId } from '#units/ids.ts';
import type { PlaceOrder } from '#venue/command.ts';

export function orderHandlers({
  submit,
  directory,
  ask,
  clock,
  limits,
}: HttpPorts): Pick<Handlers, keyof typeof orderOperations> {
  const takePlacement = rateLimit<AccountOrdinal>(limits.orders);
  const takeCancel = rateLimit<AccountOrdinal>(limits.orders);
  return {
    placeOrder: async ({ body, principal, idempotencyKey }) => {
      const account = ownAccount(principal, body.accountId);
      takePlacement(account, clock.now());
      const listed = directory.listedMarket(body.marketId);
      if (listed === undefined) throw new Refused('unknown_market');
      const command = placement(account, listed, body, idempotencyKey);
      const record = await submit({ command, idempotency: idempotencyOf(account, 'placeOrder', idempotencyKey, body) });
      const refusal = venueRefusal(record, listed.specification);
      if (refusal !== undefined) throw refusal;
      const order = directory.placedOrder(record);
      if (order === undefined) throw new Error(`record ${record.sequence} neither took nor refused its order`);
      return { body: order, headers: record.replayed ? REPLAYED : {} };
    },

    getOrder: async ({ params, principal }) => ({ body: await ownOrder(ask, principal.account, orderNamed(params.orderId)) }),

    cancelOrder: async ({ params, principal }) => {
      const { account } = principal;
      takeCancel(account, clock.now());
      const order = orderNamed(params.orderId);
      const resource = readBack(await ownOrder(ask, account, order));
      // An end is final: the venue need not be asked, and the journal keeps no record of having been.
      if (resource.status !== 'open') return { body: cancelledByOwner(resource) };
      const refusal = venueRefusal(await submit({ command: { type: 'CancelOrder', account, order } }));
      if (refusal !== undefined && refusal.code !== 'order_not_open') throw refusal;
      return { body: cancelledByOwner(readBack(await ownOrder(ask, account, order))) };
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

/** Throws {@link Refused} `order_not_found` for what is no id of any order. */
export function orderNamed(orderId: string): OrderOrdinal {
  const order = parseOrderId(orderId);
  if (order === undefined) throw new Refused('order_not_found');
  return order;
}

/** Throws {@link Refused} `order_not_found`, for another account's order too. */
async function ownOrder(ask: Ask, account: AccountOrdinal, order: OrderOrdinal): Promise<Rendered<OrderResource>> {
  const resource = await ask.order(account, order);
  if (resource === undefined) throw new Refused('order_not_found');
  return resource;
}
