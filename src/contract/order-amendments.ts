/** Amendments of open orders, one or several: the price, the quantity, or both. Ours: the interface has none. */
import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import { accountId, decimal, decimalInput, epochMs, idInput, listInput, marketId, numberedId, sequence, side } from './fields.ts';
import type { Operation } from './operation.ts';
import { MAX_BATCH } from './order-batches.ts';
import { IDEMPOTENCY_RETENTION, order, outcomeIndex } from './orders.ts';

const changes = {
  accountId: idInput.meta({ description: 'The account of the API key.' }),
  marketId: idInput.meta({ description: 'The market of the order. An order of another market is reported as order_not_found.' }),
  price: decimalInput.optional().meta({ description: 'The new limit price; without it the price stays.' }),
  quantity: decimalInput
    .optional()
    .meta({ description: 'The new quantity with what has filled; without it the quantity stays. Above filledQuantity.' }),
};

const CHANGES_RULE = [{ required: ['price'] }, { required: ['quantity'] }];
const NAMES_RULE = [
  { required: ['orderId'], properties: { clientOrderId: false } },
  { required: ['clientOrderId'], properties: { orderId: false } },
];

interface Changes {
  readonly price?: string | undefined;
  readonly quantity?: string | undefined;
}

function checkChanges({ price, quantity }: Changes, context: z.RefinementCtx): void {
  if (price !== undefined || quantity !== undefined) return;
  context.addIssue({ code: 'custom', path: ['price'], message: 'give price, quantity, or both' });
}

export const amendmentEntry = z
  .strictObject({ orderId: idInput.optional(), clientOrderId: idInput.optional(), ...changes })
  .superRefine((entry, context) => {
    checkChanges(entry, context);
    if ((entry.orderId === undefined) !== (entry.clientOrderId === undefined)) return;
    context.addIssue({ code: 'custom', path: ['orderId'], message: 'give either orderId or clientOrderId, not both' });
  })
  .meta({ id: 'OrderAmendment', 'x-openperp-ours': true, allOf: [{ anyOf: CHANGES_RULE }, { oneOf: NAMES_RULE }] });
export type AmendmentEntry = z.output<typeof amendmentEntry>;

export const amendmentsBody = z
  .strictObject({ amendments: listInput(amendmentEntry, 1, MAX_BATCH) })
  .meta({ id: 'OrderAmendments', 'x-openperp-ours': true });

const amendedFields = {
  orderId: numberedId,
  accountId,
  marketId,
  status: order.shape.status.meta({ description: 'Read the order for the reason if it is cancelled.' }),
  side,
  price: decimal,
  quantity: decimal.meta({ description: 'With what has filled.' }),
  filledQuantity: decimal,
  remainingQuantity: decimal,
  keepsPriority: z.boolean().meta({ description: 'Whether the order kept its place in the queue at its price.' }),
  lastSequence: sequence,
  idempotencyKey: z.string().meta({ description: 'The Idempotency-Key of the amendment.' }),
  amendedAtEpochMs: epochMs,
};

export const orderAmendment = z
  .strictObject({ version: z.literal('external-order-amendment/v1'), ...amendedFields })
  .meta({ id: 'AmendedOrder', description: 'The order after the turn of the amendment.', 'x-openperp-ours': true });
export type AmendedOrder = z.infer<typeof orderAmendment>;

const acceptedAmendment = z
  .strictObject({ index: outcomeIndex, accepted: z.literal(true), ...amendedFields })
  .meta({ id: 'AcceptedAmendment', description: 'The order after the turn of the whole batch.' });

const refusedAmendment = z
  .strictObject({
    index: outcomeIndex,
    accepted: z.literal(false),
    orderId: idInput.nullable().meta({ description: 'As sent.' }),
    clientOrderId: idInput.nullable().meta({ description: 'As sent.' }),
    accountId,
    marketId: idInput.meta({ description: 'As sent.' }),
    lastSequence: sequence,
    idempotencyKey: z.string(),
    code: z.string().min(1).meta({ description: 'A code of the error catalogue, as for one amendment. The order is as it was.' }),
    safeMessage: z.string().min(1),
  })
  .meta({ id: 'RefusedAmendment' });

export const orderAmendmentOutcomes = z
  .strictObject({
    version: z.literal('external-order-amendment-batch/v1'),
    outcomes: z.array(z.discriminatedUnion('accepted', [acceptedAmendment, refusedAmendment])),
  })
  .meta({ id: 'OrderAmendmentOutcomes', description: 'One outcome per entry, in request order.', 'x-openperp-ours': true });
export type OrderAmendmentOutcomes = z.infer<typeof orderAmendmentOutcomes>;

const RULES =
  'A smaller quantity at the same price keeps the place in the queue. Any other change loses it: the order, with the same orderId, is planned ' +
  'like a new one, with its leverageX at the mark price of now. It may fill at once as a taker, and rests behind all others at its price. A ' +
  'post-only order that would cross is refused, and so is a price beyond the stopLoss or takeProfit of the order (trigger_reached). A refused amendment leaves the order as it was. ' +
  `A retry with the same Idempotency-Key and body gets the same response for ${IDEMPOTENCY_RETENTION.hours} hours, as for placements.`;

/** Refusals of an amendment by the market or the account. */
const AMENDMENT_REFUSALS = [
  'order_not_found',
  'order_not_open',
  'order_not_amendable',
  'quantity_already_filled',
  'venue_halted',
  'intake_paused',
  'capability_unavailable',
  'unknown_market',
  'market_not_open',
  'market_reduce_only',
  'index_not_current',
  'price_off_tick',
  'price_out_of_bounds',
  'price_out_of_band',
  'quantity_off_lot',
  'quantity_out_of_bounds',
  'leverage_too_high',
  'insufficient_margin',
  'post_only_would_cross',
  'trigger_reached',
  'too_many_positions',
  'exposure_limit',
  'position_limit',
] as const satisfies readonly ErrorCode[];

const EXAMPLE = { accountId: 'acct-1', marketId: 'BTC-USD-PERP', quantity: '0.005' };

export const amendOrder = {
  id: 'amendOrder',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/amend',
  summary: 'Amend one order',
  description: `Changes the price or the quantity of an open limit order, named by orderId or by clientOrderId. ${RULES}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'orders',
  needsIdempotencyKey: true,
  body: amendmentEntry,
  example: { body: { clientOrderId: 'entry-1', ...EXAMPLE } },
  success: { status: 200, schema: orderAmendment, description: 'The amended order.' },
  refusals: ['account_forbidden', ...AMENDMENT_REFUSALS, 'venue_busy'],
} as const satisfies Operation;

export const amendOrders = {
  id: 'amendOrders',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/batch/amend',
  summary: 'Amend 1 to 32 orders',
  description:
    'Amends orders of one account in request order in one turn. Each has its own outcome, also if all are refused, as if it had been amended ' +
    `alone. The request counts as one placement per entry. ${RULES}`,
  isOurs: true,
  access: 'bearer:trade',
  limit: 'orders',
  weight: ({ amendments }: z.output<typeof amendmentsBody>) => amendments.length,
  needsIdempotencyKey: true,
  body: amendmentsBody,
  example: { body: { amendments: [{ clientOrderId: 'entry-1', ...EXAMPLE }] } },
  success: { status: 200, schema: orderAmendmentOutcomes, description: 'The outcome of each entry.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderAmendmentOperations = { amendOrder, amendOrders };
