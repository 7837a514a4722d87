/** Several limit orders in one request (2.3). Every entry is decided on its own, in request order, in one turn. */
import * as z from 'zod';
import { accountId, clientOrderId, idInput, listInput, ours, sequence } from './fields.ts';
import type { Operation } from './operation.ts';
import {
  addFault,
  IDEMPOTENCY_RETENTION,
  LIMIT_SHAPES,
  LIMIT_SHAPES_TEXT,
  limitShapeFault,
  order,
  outcomeIndex,
  PLACEMENT_REFUSALS,
  placementAmounts,
  placementExtras,
  placementTarget,
} from './orders.ts';

/** How many orders a batch may have (section 8). */
export const MAX_BATCH = 32;

export const limitPlacement = z
  .strictObject({ ...placementTarget, orderType: z.literal('limit'), ...placementAmounts, ...placementExtras })
  .superRefine((entry, context) => addFault(context, limitShapeFault(entry)))
  .meta({
    id: 'LimitOrderPlacement',
    description: `${LIMIT_SHAPES_TEXT} postOnly goes with a price.`,
    oneOf: LIMIT_SHAPES,
  });
export type LimitPlacement = z.output<typeof limitPlacement>;

export const orderBatchBody = z.strictObject({ orders: listInput(limitPlacement, 1, MAX_BATCH) }).meta({
  id: 'OrderBatch',
  description: `From 1 to ${MAX_BATCH} limit orders of one account, in any markets.`,
});

export const acceptedOutcome = order
  .omit({ version: true })
  .extend({ index: outcomeIndex, accepted: z.literal(true) })
  .meta({ id: 'AcceptedOrderOutcome', description: 'The order as the turn of the whole batch left it.' });

export const rejectedOutcome = z
  .strictObject({
    index: outcomeIndex,
    accepted: z.literal(false),
    orderId: z.null().meta({ description: 'A refused entry never was an order.' }),
    accountId,
    marketId: idInput.meta({ description: 'As sent.' }),
    status: z.literal('rejected'),
    lastSequence: sequence.meta({
      description:
        "The batch's place in the venue's journal; of a batch that is not stored, the newest place that it was decided from.",
    }),
    idempotencyKey: z.string().meta({ description: "The request's header." }),
    clientOrderId: ours(clientOrderId, 'As sent; it is still free, unless the code says that it belongs to another order.'),
    code: ours(z.enum(PLACEMENT_REFUSALS), 'Why, as a code of the error catalogue.'),
    safeMessage: ours(z.string().min(1), 'Why, and what to do.'),
  })
  .meta({ id: 'RejectedOrderOutcome', description: 'It never became an order.' });

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
    'Places limit orders one after the other in one turn: nothing comes between them, and an entry that is refused undoes none of the others. ' +
    'Answers 202 when the turn is durable, with one outcome per entry in request order, also where all of them are refused. What is wrong ' +
    'with the form of any entry, or with its account, refuses the whole batch before anything is done, and the message names the field ' +
    '(orders.3.price); what only the market can tell (no such market, off the tick, out of bounds or band, margin) is the outcome of that entry ' +
    'alone. A retry with the same Idempotency-Key and body gets the same answer, marked by the header idempotency-replayed, for ' +
    `${IDEMPOTENCY_RETENTION.hours} hours. A batch of which every entry is refused by a code that is not stored is not stored either: the same key ` +
    'runs again. A batch counts as many placements as it has entries; beyond the limit it is refused as a whole, and counts as one.',
  access: 'bearer:trade',
  limit: 'orders',
  weight: ({ orders }: z.output<typeof orderBatchBody>) => orders.length,
  needsIdempotencyKey: true,
  body: orderBatchBody,
  success: { status: 202, schema: orderBatch, description: 'What became of each entry.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderBatchOperations = { placeOrders };
