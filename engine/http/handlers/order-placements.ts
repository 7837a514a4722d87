/** Handlers for placing one order or several, and for previews. */
import type { orderBatchOperations } from '#contract/order-batches.ts';
import type { orderPreviewOperations } from '#contract/order-previews.ts';
import { isPlacementRefusal, type OrderPlacement, type orderOperations } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { batchEntries, batchOutcomes } from './batch-outcomes.ts';
import { idempotencyOf } from './idempotency.ts';
import { marketOfBody, placementOf } from './placement.ts';
import { orderPreview, refusedPreview } from './preview-resource.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

type Placements = Pick<typeof orderOperations, 'placeOrder'> & typeof orderBatchOperations & typeof orderPreviewOperations;

export function orderPlacementHandlers(ports: HttpPorts): Pick<Handlers, keyof Placements> {
  const { submit, directory } = ports;
  return {
    placeOrder: async (call) => {
      const { body, principal, idempotencyKey } = call;
      const account = ownAccount(principal, body.accountId);
      const listed = marketOfBody(directory, body.marketId);
      const command = placementOf(account, listed, body, idempotencyKey);
      const record = await submit({ command, idempotency: idempotencyOf(account, 'placeOrder', call) });
      const refusal = venueRefusal(record, { specification: listed.specification, body });
      if (refusal !== undefined) throw refusal;
      const [order] = directory.placedOrders(record);
      if (order === undefined) throw new Error(`record ${record.sequence} neither took nor refused its order`);
      return { body: order, headers: record.replayed ? REPLAYED : {} };
    },

    placeOrders: async (call) => {
      const { body, principal, idempotencyKey } = call;
      const { orders } = body;
      const { account } = principal;
      for (const { accountId } of orders) ownAccount(principal, accountId);
      const command = { type: 'PlaceOrders', account, entries: batchEntries(directory, orders), idempotencyKey } as const;
      const record = await submit({ command, idempotency: idempotencyOf(account, 'placeOrders', call) });
      const outcomes = [...batchOutcomes(directory, orders, record)];
      return { body: { version: 'external-limit-order-batch/v1', outcomes }, headers: record.replayed ? REPLAYED : {} };
    },

    previewOrder: async ({ body, principal }) => {
      const account = ownAccount(principal, body.accountId);
      return { body: await previewOf(ports, account, body) };
    },
  };
}

/** Throws unless the refusal is one that the venue could give to an order with a valid form: the preview then reports it. */
async function previewOf({ directory, previewOrder, clock }: HttpPorts, account: AccountOrdinal, body: OrderPlacement) {
  try {
    const listed = marketOfBody(directory, body.marketId);
    return orderPreview(body, listed, await previewOrder(placementOf(account, listed, body, '')));
  } catch (thrown) {
    if (!(thrown instanceof Refused) || !isPlacementRefusal(thrown.code)) throw thrown;
    return refusedPreview(body, thrown, { sequence: directory.sequence(), epochMs: clock.now() });
  }
}
