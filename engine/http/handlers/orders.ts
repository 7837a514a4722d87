/** Handlers for placing, reading and cancelling orders. */
import type { cancelAllAfterOperations } from '#contract/cancel-all-after.ts';
import type { orderAmendmentOperations } from '#contract/order-amendments.ts';
import type { orderBatchOperations } from '#contract/order-batches.ts';
import type { orderCancelOperations } from '#contract/order-cancels.ts';
import type { orderPreviewOperations } from '#contract/order-previews.ts';
import type { orderOperations } from '#contract/orders.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import { cancelAllAfterHandlers } from './cancel-all-after.ts';
import { orderAmendmentHandlers } from './order-amendments.ts';
import { orderCancelHandlers } from './order-cancels.ts';
import { orderPlacementHandlers } from './order-placements.ts';
import { foundOrRefuse, orderNamed } from './own-orders.ts';

type OrderOperations = typeof orderOperations &
  typeof orderAmendmentOperations &
  typeof orderBatchOperations &
  typeof orderCancelOperations &
  typeof cancelAllAfterOperations &
  typeof orderPreviewOperations;

export function orderHandlers(ports: HttpPorts): Pick<Handlers, keyof OrderOperations> {
  return {
    ...orderPlacementHandlers(ports),
    ...orderAmendmentHandlers(ports),
    ...orderCancelHandlers(ports),
    ...cancelAllAfterHandlers(ports),

    getOrder: async ({ params, principal, reads }) => ({
      body: foundOrRefuse(await reads.order(principal.account, orderNamed(params.orderId))),
    }),

    getOrderByClientOrderId: async ({ params, principal, reads }) => ({
      body: foundOrRefuse(await reads.orderByClientOrderId(principal.account, params.clientOrderId)),
    }),
  };
}
