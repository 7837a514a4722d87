/** Cancels: of one order, of several, of all that are open. Repeating any of them is harmless, so none needs a key for it. */
import * as z from 'zod';
import { accountId, clientOrderId, idInput, listInput, marketId, numberedId, ours, sequence } from './fields.ts';
import type { Operation } from './operation.ts';
import { order, outcomeIndex } from './orders.ts';

/** How many orders one batch of cancels may name. */
export const MAX_CANCELS = 24;

const ownAccountId = ours(idInput.optional(), "The API key's own account: any other is refused.");
const names = listInput(idInput, 1, MAX_CANCELS).optional();
const inMarket = ours(idInput.optional(), 'Only where the order is in this market: there is no such order otherwise.');

export const orderCancels = z
  .strictObject({
    accountId: ownAccountId,
    marketId: inMarket,
    orderIds: ours(names, 'Which orders, by their orderId.'),
    clientOrderIds: ours(names, 'Which orders, by their clientOrderId instead: of each the newest order that has it.'),
  })
  .superRefine(({ orderIds, clientOrderIds }, context) => {
    if ((orderIds === undefined) !== (clientOrderIds === undefined)) return;
    const message = 'name the orders by orderIds or by clientOrderIds, one of the two';
    context.addIssue({ code: 'custom', path: ['orderIds'], message });
  })
  .meta({
    id: 'OrderCancels',
    description: `From 1 to ${MAX_CANCELS} orders of one account, by orderIds or by clientOrderIds.`,
    'x-openperp-ours': true,
    oneOf: [
      { required: ['orderIds'], properties: { clientOrderIds: false } },
      { required: ['clientOrderIds'], properties: { orderIds: false } },
    ],
  });
export type OrderCancels = z.output<typeof orderCancels>;

export const cancelledOutcome = order
  .omit({ version: true })
  .extend({ index: outcomeIndex, accepted: z.literal(true) })
  .meta({ id: 'CancelledOrderOutcome', description: 'The order after its end.' });

export const refusedCancelOutcome = z
  .strictObject({
    index: outcomeIndex,
    accepted: z.literal(false),
    orderId: idInput.nullable().meta({ description: "As in the request, or the order's; null where neither says." }),
    accountId,
    marketId: marketId.nullable().meta({ description: "The order's market; null with order_not_found." }),
    status: order.shape.status.nullable().meta({ description: "The order's; null with order_not_found." }),
    lastSequence: sequence.nullable().meta({ description: "The order's; null with order_not_found." }),
    idempotencyKey: order.shape.idempotencyKey.meta({ description: 'That of the placement; null with order_not_found.' }),
    clientOrderId: idInput.nullable().meta({ description: "As in the request, or the order's; null where neither says." }),
    code: z.enum(['order_not_found', 'order_not_open']).meta({ description: 'A code of the error catalogue.' }),
    safeMessage: z.string().min(1),
    order: order.nullable().meta({ description: 'With order_not_open: the order as it ended.' }),
  })
  .meta({ id: 'RefusedCancelOutcome' });

export const orderCancelOutcomes = z
  .strictObject({
    version: z.literal('external-order-cancel-batch/v1'),
    outcomes: z.array(z.discriminatedUnion('accepted', [cancelledOutcome, refusedCancelOutcome])),
  })
  .meta({ id: 'OrderCancelOutcomes', description: 'One outcome per order, in request order.', 'x-openperp-ours': true });
export type OrderCancelOutcomes = z.infer<typeof orderCancelOutcomes>;

const oneCancel = z.strictObject({ marketId: inMarket }).optional().meta({ id: 'OrderCancel', 'x-openperp-ours': true });

export const cancelAllBody = z
  .strictObject({ accountId: ownAccountId, marketId: ours(idInput.optional(), 'Only the orders of this market.') })
  .meta({ id: 'CancelAllOrders', 'x-openperp-ours': true });

const openOrderName = z.strictObject({ orderId: numberedId, clientOrderId, marketId }).meta({ id: 'OpenOrderName' });
export type OpenOrderName = z.infer<typeof openOrderName>;

export const cancelledOrders = z
  .strictObject({
    version: z.literal('external-order-cancel-all/v1'),
    accountId,
    cancelled: z.array(openOrderName).meta({ description: 'What this request cancelled, from the oldest to the newest.' }),
    lastSequence: sequence.meta({ description: 'The last record of it; the newest of all where there was nothing to cancel.' }),
  })
  .meta({ id: 'CancelledOrders', 'x-openperp-ours': true });
export type CancelledOrders = z.infer<typeof cancelledOrders>;

const limited = 'Cancels are counted apart from placements.';

const repeatable =
  'Repeating it is a no-op: an order that its owner cancelled is answered as it stands; one that ended otherwise is refused with order_not_open.';

export const cancelOrder = {
  id: 'cancelOrder',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/{orderId}/cancel',
  summary: 'Cancel one order',
  description: `Ends what is left of an open order. Needs no body. ${repeatable} ${limited}`,
  access: 'bearer:trade',
  limit: 'cancels',
  params: z.strictObject({ orderId: idInput }),
  body: oneCancel,
  success: { status: 200, schema: order, description: 'The order after its end.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelOrderByClientOrderId = {
  id: 'cancelOrderByClientOrderId',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/by-client-order-id/{clientOrderId}/cancel',
  summary: 'Cancel one order by its clientOrderId',
  description:
    "Ends what is left of the newest order of the API key's account with this clientOrderId. Needs no body. Percent-encode the " +
    `clientOrderId: it may hold / and +. ${repeatable} ${limited}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'cancels',
  params: z.strictObject({ clientOrderId: idInput }),
  body: oneCancel,
  success: { status: 200, schema: order, description: 'The order after its end.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelOrders = {
  id: 'cancelOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/batch/cancel',
  summary: 'Cancel several orders',
  description:
    'Ends what is left of the orders that it names, in one turn of the venue. Each is decided on its own, as if it had been cancelled alone. ' +
    `${repeatable} One that is named twice has the same outcome twice. It counts as many cancels as it names orders. ${limited}`,
  access: 'bearer:trade',
  limit: 'cancels',
  weight: ({ orderIds, clientOrderIds }: OrderCancels) => (orderIds ?? clientOrderIds ?? []).length,
  body: orderCancels,
  success: { status: 200, schema: orderCancelOutcomes, description: 'What became of each, in request order.' },
  refusals: ['account_forbidden', 'unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelAllOrders = {
  id: 'cancelAllOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/cancel-all',
  summary: 'Cancel all open orders',
  description:
    'Ends every order of the account that is open when the request is taken, in all markets or in one. One that is placed meanwhile stays. ' +
    'Orders leave in turns of 32; the answer comes when all of them have left, and names those that left by this request: one that filled or ' +
    'was cancelled otherwise in between is not among them. Repeating it cancels what is open then. It counts as one cancel, however many ' +
    `orders there are. ${limited}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'cancels',
  body: cancelAllBody,
  success: { status: 200, schema: cancelledOrders, description: 'The orders that it cancelled.' },
  refusals: ['account_forbidden', 'unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderCancelOperations = { cancelOrder, cancelOrderByClientOrderId, cancelOrders, cancelAllOrders };
