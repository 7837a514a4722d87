/** Cancels of one order, of several, or of all open orders. Repeating a cancel is harmless, so these operations need no idempotency key. */
import * as z from 'zod';
import { accountId, clientOrderId, idInput, listInput, marketId, numberedId, ours, sequence } from './fields.ts';
import type { Operation } from './operation.ts';
import { order, outcomeIndex } from './orders.ts';

/** The maximum number of orders in a batch of cancels. */
export const MAX_CANCELS = 24;

const ownAccountId = ours(idInput.optional(), 'The account of the API key. Any other account is refused.');
const names = listInput(idInput, 1, MAX_CANCELS).optional();
const inMarket = ours(idInput.optional(), 'The market of the order. An order of another market is reported as order_not_found.');

export const orderCancels = z
  .strictObject({
    accountId: ownAccountId,
    marketId: inMarket,
    orderIds: ours(names, 'The orders, by orderId.'),
    clientOrderIds: ours(names, 'The orders, by clientOrderId. If several orders have it, the newest one.'),
  })
  .superRefine(({ orderIds, clientOrderIds }, context) => {
    if ((orderIds === undefined) !== (clientOrderIds === undefined)) return;
    const message = 'give either orderIds or clientOrderIds, not both';
    context.addIssue({ code: 'custom', path: ['orderIds'], message });
  })
  .meta({
    id: 'OrderCancels',
    description: `1 to ${MAX_CANCELS} orders of one account, by orderIds or by clientOrderIds.`,
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
  .meta({ id: 'CancelledOrderOutcome', description: 'The cancelled order.' });

export const refusedCancelOutcome = z
  .strictObject({
    index: outcomeIndex,
    accepted: z.literal(false),
    orderId: idInput.nullable().meta({ description: "As in the request, otherwise the order's; null if unknown." }),
    accountId,
    marketId: marketId.nullable().meta({ description: 'The market of the order; null with order_not_found.' }),
    status: order.shape.status.nullable().meta({ description: "The order's; null with order_not_found." }),
    lastSequence: sequence.nullable().meta({ description: "The order's; null with order_not_found." }),
    idempotencyKey: order.shape.idempotencyKey.meta({ description: 'The key of the placement; null with order_not_found.' }),
    clientOrderId: idInput.nullable().meta({ description: "As in the request, otherwise the order's; null if unknown." }),
    code: z.enum(['order_not_found', 'order_not_open']).meta({ description: 'A code of the error catalogue.' }),
    safeMessage: z.string().min(1),
    order: order.nullable().meta({ description: 'The ended order with order_not_open; otherwise null.' }),
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
    cancelled: z.array(openOrderName).meta({ description: 'The orders that this request cancelled, oldest first.' }),
    lastSequence: sequence.meta({
      description: 'The sequence of the last cancel; the newest sequence of the venue if nothing was cancelled.',
    }),
  })
  .meta({ id: 'CancelledOrders', 'x-openperp-ours': true });
export type CancelledOrders = z.infer<typeof cancelledOrders>;

const limited = 'Cancels have a rate limit of their own.';

const repeatable =
  'Repeating it is a no-op: an order that its owner cancelled is returned unchanged. An order that ended otherwise is refused with order_not_open.';

export const cancelOrder = {
  id: 'cancelOrder',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/{orderId}/cancel',
  summary: 'Cancel one order',
  description: `Cancels the rest of an open order. Needs no body. ${repeatable} ${limited}`,
  access: 'bearer:trade',
  limit: 'cancels',
  params: z.strictObject({ orderId: idInput }),
  body: oneCancel,
  success: { status: 200, schema: order, description: 'The cancelled order.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelOrderByClientOrderId = {
  id: 'cancelOrderByClientOrderId',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/by-client-order-id/{clientOrderId}/cancel',
  summary: 'Cancel one order by its clientOrderId',
  description:
    "Cancels the rest of the newest order of the API key's account with this clientOrderId. Needs no body. Percent-encode the " +
    `clientOrderId: it may contain / and +. ${repeatable} ${limited}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'cancels',
  params: z.strictObject({ clientOrderId: idInput }),
  body: oneCancel,
  success: { status: 200, schema: order, description: 'The cancelled order.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelOrders = {
  id: 'cancelOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/batch/cancel',
  summary: 'Cancel several orders',
  description:
    'Cancels the rest of the given orders in one turn. Each has its own outcome, as if it had been cancelled alone. ' +
    `${repeatable} An order that is given twice has the same outcome twice. The request counts as one cancel per order. ${limited}`,
  access: 'bearer:trade',
  limit: 'cancels',
  weight: ({ orderIds, clientOrderIds }: OrderCancels) => (orderIds ?? clientOrderIds ?? []).length,
  body: orderCancels,
  success: { status: 200, schema: orderCancelOutcomes, description: 'The outcome of each order, in request order.' },
  refusals: ['account_forbidden', 'unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelAllOrders = {
  id: 'cancelAllOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/cancel-all',
  summary: 'Cancel all open orders',
  description:
    'Cancels every order of the account that is open when the venue accepts the request, in all markets or in one. An order that is placed ' +
    'meanwhile stays open. Orders are cancelled in turns of 32. The response comes after the last turn and lists the orders that this request ' +
    'cancelled, without those that were filled or cancelled otherwise in the meantime. Repeating it cancels the orders that are open then. ' +
    `It counts as one cancel, however many orders there are. ${limited}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'cancels',
  body: cancelAllBody,
  success: { status: 200, schema: cancelledOrders, description: 'The cancelled orders.' },
  refusals: ['account_forbidden', 'unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderCancelOperations = { cancelOrder, cancelOrderByClientOrderId, cancelOrders, cancelAllOrders };
