/** Several limit orders in one request (2.3). Each entry is accepted or refused on its own, in request order, in one turn. */
import * as z from 'zod';
import { accountId, clientOrderId, idInput, listInput, orderType, ours, sequence } from './fields.ts';
import type { Operation } from './operation.ts';
import { conditionalFault } from './order-triggers.ts';
import {
  addFault,
  CLOSING_SHAPE,
  conditionalPlacement,
  IDEMPOTENCY_RETENTION,
  LIMIT_SHAPES,
  LIMIT_SHAPES_TEXT,
  order,
  outcomeIndex,
  PLACEMENT_REFUSALS,
  placementAmounts,
  placementTarget,
  shapeFault,
} from './orders.ts';
import { TIME_RULES, timeFault } from './time-in-force.ts';

/** The maximum number of orders in a batch (section 8). */
export const MAX_BATCH = 32;

export const limitPlacement = z
  .strictObject({ ...placementTarget, orderType, ...placementAmounts, ...conditionalPlacement })
  .superRefine((entry, context) => addFault(context, entryFault(entry) ?? timeFault(entry)))
  .meta({
    id: 'LimitOrderPlacement',
    description: `${LIMIT_SHAPES_TEXT} postOnly needs a price. A market order needs a trigger.`,
    allOf: [...TIME_RULES, { anyOf: [{ properties: { orderType: { const: 'limit' } } }, { required: ['trigger'] }] }],
    oneOf: [
      ...LIMIT_SHAPES,
      {
        properties: { orderType: { const: 'market' }, price: false, notional: false, postOnly: { const: false } },
        required: ['orderType', 'quantity'],
      },
      CLOSING_SHAPE,
    ],
  });
export type LimitPlacement = z.output<typeof limitPlacement>;

function entryFault(entry: Parameters<typeof conditionalFault>[0]) {
  if (entry.orderType === 'market' && entry.trigger === undefined)
    return { field: 'orderType', message: 'a batch takes limit orders, and market orders with a trigger' };
  return conditionalFault(entry) ?? shapeFault(entry);
}

export const orderBatchBody = z.strictObject({ orders: listInput(limitPlacement, 1, MAX_BATCH) }).meta({
  id: 'OrderBatch',
  description: `1 to ${MAX_BATCH} limit orders of one account, in any markets.`,
});

export const acceptedOutcome = order
  .omit({ version: true })
  .extend({ index: outcomeIndex, accepted: z.literal(true) })
  .meta({ id: 'AcceptedOrderOutcome', description: 'The order after the turn of the whole batch.' });

export const rejectedOutcome = z
  .strictObject({
    index: outcomeIndex,
    accepted: z.literal(false),
    orderId: z.null().meta({ description: 'Always null: a refused entry does not become an order.' }),
    accountId,
    marketId: idInput.meta({ description: 'As sent.' }),
    status: z.literal('rejected'),
    lastSequence: sequence.meta({
      description:
        "The batch's sequence in the venue's journal. For a batch that is not stored, the newest sequence that the decision used.",
    }),
    idempotencyKey: z.string().meta({ description: 'The Idempotency-Key of the request.' }),
    clientOrderId: ours(clientOrderId, 'As sent. It can be used again, unless the code is duplicate_client_order_id.'),
    code: ours(z.enum(PLACEMENT_REFUSALS), 'The reason, as a code of the error catalogue.'),
    safeMessage: ours(z.string().min(1), 'The reason, and what to do.'),
  })
  .meta({ id: 'RejectedOrderOutcome', description: 'The entry was refused and did not become an order.' });

export const orderBatch = z
  .strictObject({
    version: z.literal('external-limit-order-batch/v1'),
    outcomes: z.array(z.discriminatedUnion('accepted', [acceptedOutcome, rejectedOutcome])),
  })
  .meta({ id: 'OrderBatchOutcomes', description: 'One outcome per entry, in request order.' });
export type OrderBatch = z.infer<typeof orderBatch>;
export type OrderOutcome = OrderBatch['outcomes'][number];

export const placeOrders = {
  id: 'placeOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/batch',
  summary: 'Place 1 to 32 limit orders',
  description:
    'Places limit orders in request order in one turn: no other command runs between them, and a refused entry does not undo the others. ' +
    'Returns 202 when the turn is durable, with one outcome per entry in request order, even if all entries are refused. An entry that is ' +
    'malformed or names another account refuses the whole batch before anything is done, and the message names the field ' +
    '(orders.3.price). A refusal by the market (unknown market, off the tick, out of bounds or band, margin) is the outcome of that entry ' +
    'alone. A retry with the same Idempotency-Key and body gets the same response, marked by the header idempotency-replayed, for ' +
    `${IDEMPOTENCY_RETENTION.hours} hours. A batch is not stored if every entry is refused with a code that is not stored: the same key ` +
    'then runs again. A batch counts as one placement per entry; above the rate limit it is refused as a whole and counts as one.',
  access: 'bearer:trade',
  limit: 'orders',
  weight: ({ orders }: z.output<typeof orderBatchBody>) => orders.length,
  needsIdempotencyKey: true,
  body: orderBatchBody,
  success: { status: 202, schema: orderBatch, description: 'The outcome of each entry.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderBatchOperations = { placeOrders };
