/** Orders: place and read. The body of a placement is one of the three shapes of 2.1, or a market order; other combinations are refused. */
import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import {
  accountId,
  clientOrderId,
  decimal,
  decimalInput,
  epochMs,
  idInput,
  leverage,
  leverageInput,
  marketId,
  numberedId,
  orderType,
  ours,
  sequence,
  side,
  signedDecimal,
} from './fields.ts';
import type { Operation } from './operation.ts';
import { closesPosition, conditionalExtras, conditionalFault, orderTrigger } from './order-triggers.ts';
import { orderTimeFields, TIME_RULES, timeFault, timeFields } from './time-in-force.ts';

/** Why an order was cancelled without a request of its owner. */
export const CANCEL_REASONS = [
  'self_trade',
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'margin_unbacked',
  'bankruptcy_price',
  'liquidation',
  'immediate_or_cancel',
  'fill_or_kill',
  'expired',
  'cancel_all_after',
  'trigger_refused',
  'position_ended',
  'entry_ended',
  'linked_order',
] as const;

/** The origin of an order that the venue placed to close a position. */
export const VENUE_ORIGINS = ['liquidation', 'auto_deleveraging'] as const;
export const venueOrigin = z.enum(VENUE_ORIGINS).meta({ id: 'VenueOrigin' }).nullable();

export const order = z
  .strictObject({
    version: z.literal('external-order/v1'),
    orderId: numberedId,
    accountId,
    marketId,
    status: z.enum(['open', 'filled', 'cancelled']).meta({ id: 'OrderStatus' }),
    lastSequence: sequence,
    idempotencyKey: z
      .string()
      .nullable()
      .meta({ description: 'The Idempotency-Key of the request; null if the venue placed the order.' }),
    cancelReason: z
      .enum(CANCEL_REASONS)
      .meta({
        id: 'CancelReason',
        description:
          'Why the order was cancelled without a request of its owner. self_trade: it met an order of the same account; reduce_only: nothing ' +
          'of the position was left for it to reduce; no_liquidity: the book had no more orders; price_band: the rest was outside the price band; fill_limit: it ' +
          'reached the maximum number of fills of one turn; margin_unbacked: the account no longer had the margin for it; ' +
          'bankruptcy_price: closing the position beyond that price would cost more than its margin; liquidation: the position in the ' +
          'market is being liquidated; immediate_or_cancel: the order was IOC, and the rest did not fill at once; fill_or_kill: the order was ' +
          'FOK, and could not fill whole at once; expired: the order was GTD, and expiresAtEpochMs has passed; cancel_all_after: the ' +
          "account's timer for its orders has run out; trigger_refused: when its price was reached, a rule refused it that refuses placements; " +
          'position_ended: the position that it reduced has ended; entry_ended: the order whose stopLoss or takeProfit it was opened nothing; ' +
          'linked_order: the order that it is linked with was triggered.',
      })
      .optional(),
    origin: ours(
      venueOrigin,
      'Why the venue placed the order: to liquidate or to deleverage a position. null if its owner placed it.',
    ),
    clientOrderId: ours(
      clientOrderId.nullable(),
      "The client's reference; null if the venue placed the order, and for the stopLoss or takeProfit of another order.",
    ),
    side: ours(side, 'As placed.'),
    orderType: ours(orderType, 'As placed.'),
    price: ours(
      decimal.nullable(),
      'The limit price: as placed, or the end of the price band if placed without one; null for a market order.',
    ),
    quantity: ours(
      decimal.nullable(),
      'As placed, less what was cut from a reduce-only order because the position is smaller than it; for a limit order by notional, the ' +
        'quantity that the notional buys; null for a market order by notional.',
    ),
    notional: ours(decimal.nullable(), 'As placed; null for an order by quantity.'),
    filledQuantity: ours(decimal, 'The filled base quantity.'),
    remainingQuantity: ours(decimal, 'The unfilled base quantity; 0 for a market order by notional.'),
    averagePrice: ours(
      decimal.nullable(),
      'filledNotional / filledQuantity, rounded down to 6 decimals; null before the first fill.',
    ),
    filledNotional: ours(decimal, 'The total notional of the fills.'),
    feePaid: ours(signedDecimal, 'The total fees of the fills; negative for a rebate.'),
    postOnly: ours(z.boolean(), 'As placed.'),
    ...orderTimeFields,
    reduceOnly: ours(z.boolean(), 'As placed.'),
    leverageX: ours(
      leverage.nullable(),
      'The leverage whose margin the order reserves. null: the initial margin of the exposure that it reaches.',
    ),
    createdAtEpochMs: ours(epochMs, 'When the order was accepted.'),
    updatedAtEpochMs: ours(epochMs, 'When the order last changed.'),
    lastFillAtEpochMs: ours(epochMs.nullable(), 'When the order last filled; null before the first fill.'),
    trigger: ours(orderTrigger.nullable(), 'What the order waits or waited for; null for an order that did not wait.'),
    attachedOrderIds: ours(z.array(numberedId), 'The orders that are its stopLoss and takeProfit.'),
  })
  .meta({ id: 'Order' });
export type OrderResource = z.infer<typeof order>;

/** The index of an outcome in a batch. */
export const outcomeIndex = z.int().min(0).meta({ description: 'The index in the request, from 0.' });

/** The fields of every placement, whatever its shape. */
export const placementTarget = { accountId: idInput, marketId: idInput, clientOrderId, side };
export const placementAmounts = {
  price: decimalInput.optional(),
  quantity: decimalInput.optional(),
  notional: decimalInput.optional(),
};
export const placementExtras = {
  postOnly: z.boolean().optional(),
  reduceOnly: ours(z.boolean().optional(), 'The order may only make a position smaller.'),
  leverageX: ours(
    leverageInput.optional(),
    "The leverage whose margin the order reserves, in steps of 0.01; at most maxLeverageX. Without it, the account's leverage in the market applies.",
  ),
  ...timeFields,
};
const reduceOnlyText =
  'The order may only make a position smaller. By default true for stop_loss, take_profit, trailing_stop and closePosition, else false.';
/** The extras of /v1, which has orders that wait. */
export const conditionalPlacement = {
  ...placementExtras,
  reduceOnly: ours(z.boolean().optional(), reduceOnlyText),
  ...conditionalExtras,
};

/** The shapes of a limit order for the document. `limitShapeFault` checks the same rules. */
export const LIMIT_SHAPES = [
  { properties: { orderType: { const: 'limit' }, notional: false }, required: ['orderType', 'price', 'quantity'] },
  {
    properties: { orderType: { const: 'limit' }, notional: false, postOnly: { const: false } },
    required: ['orderType', 'quantity'],
    // Not `price: false`: linters then take this shape and the one above, which also requires quantity, for ambiguous.
    not: { properties: { price: { type: 'string' } }, required: ['price'] },
  },
  {
    properties: { orderType: { const: 'limit' }, price: false, quantity: false, postOnly: { const: false } },
    required: ['orderType', 'notional'],
  },
];
/** A market order that closes the position when it triggers. */
export const CLOSING_SHAPE = {
  properties: {
    orderType: { const: 'market' },
    price: false,
    quantity: false,
    notional: false,
    postOnly: { const: false },
    trigger: { properties: { closePosition: { const: true } }, required: ['closePosition'] },
  },
  required: ['orderType', 'trigger'],
};
export const LIMIT_SHAPES_TEXT =
  'A limit order has price and quantity, or only quantity, or only notional. Without a price its limit is the end of the price band on its ' +
  'side when its turn runs.';

/** The fields of all shapes in one object. The shape faults check which combinations are valid. */
export const placementBody = z
  .strictObject({ ...placementTarget, orderType, ...placementAmounts, ...conditionalPlacement })
  .superRefine((body, context) => addFault(context, conditionalFault(body) ?? shapeFault(body) ?? timeFault(body)))
  .meta({
    id: 'OrderPlacement',
    description: `${LIMIT_SHAPES_TEXT} A market order has quantity or notional, and never rests. postOnly needs a limit order with a price.`,
    allOf: TIME_RULES,
    oneOf: [
      ...LIMIT_SHAPES,
      {
        properties: { orderType: { const: 'market' }, price: false, notional: false, postOnly: { const: false } },
        required: ['orderType', 'quantity'],
      },
      {
        properties: { orderType: { const: 'market' }, price: false, quantity: false, postOnly: { const: false } },
        required: ['orderType', 'notional'],
      },
      CLOSING_SHAPE,
    ],
  });
export type OrderPlacement = z.output<typeof placementBody>;

export function shapeFault(body: ShapeFields & Parameters<typeof closesPosition>[0]): ShapeFault | undefined {
  if (closesPosition(body)) return undefined;
  return body.orderType === 'limit' ? limitShapeFault(body) : marketShapeFault(body);
}

interface ShapeFields {
  readonly price?: string | undefined;
  readonly quantity?: string | undefined;
  readonly notional?: string | undefined;
  readonly postOnly?: boolean | undefined;
}

interface ShapeFault {
  readonly field: string;
  readonly message: string;
}

export function addFault(context: z.RefinementCtx, fault: ShapeFault | undefined): void {
  if (fault !== undefined) context.addIssue({ code: 'custom', path: [fault.field], message: fault.message });
}

function limitShapeFault(body: ShapeFields): ShapeFault | undefined {
  if (body.price === undefined) {
    if (body.postOnly === true)
      return { field: 'postOnly', message: 'a limit order without price cannot be post-only: give a price' };
    return amountFault(body, 'a limit order without price');
  }
  if (body.notional !== undefined)
    return { field: 'notional', message: 'a limit order with a price takes quantity, not notional' };
  return body.quantity === undefined ? { field: 'quantity', message: 'a limit order with a price needs quantity' } : undefined;
}

function marketShapeFault(body: ShapeFields): ShapeFault | undefined {
  if (body.price !== undefined) return { field: 'price', message: 'a market order takes no price' };
  if (body.postOnly === true) return { field: 'postOnly', message: 'a market order cannot be post-only' };
  return amountFault(body, 'a market order');
}

function amountFault({ quantity, notional }: ShapeFields, what: string): ShapeFault | undefined {
  if (quantity === undefined && notional === undefined)
    return { field: 'quantity', message: `${what} needs quantity or notional` };
  if (quantity !== undefined && notional !== undefined)
    return { field: 'notional', message: `${what} takes quantity or notional, not both` };
  return undefined;
}

/**
 * How long the response to an idempotency key is stored: for `hours`, and at most the newest `keysPerAccount` of an account. Stored refusals
 * of an account are limited in bytes, as a burst and a rate per second; each takes some hundred bytes.
 */
export const IDEMPOTENCY_RETENTION = {
  hours: 24,
  keysPerAccount: 100_000,
  refusedBytesAtOnce: 4_194_304,
  refusedBytesPerSecond: 1_024,
} as const;

/** Codes that refuse a placement because of the market or the account, on every route. */
export const PLACEMENT_REFUSALS = [
  'account_not_enabled',
  'account_retired',
  'account_legacy_excluded',
  'venue_halted',
  'intake_paused',
  'capability_unavailable',
  'unknown_market',
  'market_not_open',
  'market_reduce_only',
  'mark_price_unavailable',
  'index_not_current',
  'price_off_tick',
  'price_out_of_bounds',
  'price_out_of_band',
  'quantity_off_lot',
  'quantity_out_of_bounds',
  'notional_too_fine',
  'notional_too_small',
  'leverage_too_high',
  'expiry_out_of_bounds',
  'insufficient_margin',
  'post_only_would_cross',
  'reduce_only_would_increase',
  'too_many_open_orders',
  'too_many_positions',
  'exposure_limit',
  'position_limit',
  'duplicate_client_order_id',
  'trigger_reached',
  'linked_order_not_waiting',
] as const satisfies readonly ErrorCode[];
export type PlacementRefusal = (typeof PLACEMENT_REFUSALS)[number];

export function isPlacementRefusal(code: ErrorCode): code is PlacementRefusal {
  return (PLACEMENT_REFUSALS as readonly ErrorCode[]).includes(code);
}

const orderParams = z.strictObject({ orderId: idInput });
const clientOrderParams = z.strictObject({ clientOrderId: idInput });

export const placeOrder = {
  id: 'placeOrder',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders',
  summary: 'Place an order',
  description:
    'Responds when the turn of the order is durable, with the order after that turn. A retry with the same Idempotency-Key and body gets the ' +
    'same response, marked by the header idempotency-replayed. A final refusal is stored in the same way; only its requestId is that of the ' +
    'retry. A temporary refusal (retryable codes, insufficient_margin) or a refusal of a malformed request is not stored: the same key runs ' +
    'again. The field stored in x-openperp-errors says which codes are stored. ' +
    `Responses are stored for ${IDEMPOTENCY_RETENTION.hours} hours, at most the newest ${IDEMPOTENCY_RETENTION.keysPerAccount} of each account. ` +
    'A venue that cannot store another response refuses placements with venue_busy; it does not drop stored ones early.',
  access: 'bearer:trade',
  limit: 'orders',
  needsIdempotencyKey: true,
  body: placementBody,
  example: {
    body: {
      accountId: 'acct-1',
      marketId: 'BTC-USD-PERP',
      clientOrderId: 'entry-1',
      side: 'buy',
      orderType: 'limit',
      price: '60000',
      quantity: '0.01',
      postOnly: true,
    },
  },
  success: { status: 202, schema: order, description: 'The order after its turn.' },
  refusals: ['account_forbidden', ...PLACEMENT_REFUSALS, 'venue_busy'],
} as const satisfies Operation;

export const getOrder = {
  id: 'getOrder',
  group: 'Orders',
  method: 'GET',
  path: '/v1/orders/{orderId}',
  summary: 'Read one order',
  description: "An order of the API key's account, by orderId. An order of another account is not found.",
  access: 'bearer:read',
  params: orderParams,
  success: { status: 200, schema: order, description: 'The order.' },
  refusals: ['order_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getOrderByClientOrderId = {
  id: 'getOrderByClientOrderId',
  group: 'Orders',
  method: 'GET',
  path: '/v1/orders/by-client-order-id/{clientOrderId}',
  summary: 'Read one order by its clientOrderId',
  description:
    "The newest order of the API key's account with this clientOrderId. A clientOrderId is unique as long as idempotency keys are stored, and " +
    'can be used again after that. Percent-encode it: it may contain / and +.',
  isOurs: true,
  access: 'bearer:read',
  params: clientOrderParams,
  success: { status: 200, schema: order, description: 'The order.' },
  refusals: ['order_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderOperations = { placeOrder, getOrder, getOrderByClientOrderId };
