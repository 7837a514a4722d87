/** Orders: place and read. The body of a placement is one of the three shapes of 2.1, or a market order; any other pairing is refused. */
import * as z from 'zod';
import type { ErrorCode } from './errors.ts';
import {
  accountId,
  clientOrderId,
  decimal,
  decimalInput,
  epochMs,
  idInput,
  marketId,
  numberedId,
  orderType,
  ours,
  sequence,
  side,
  signedDecimal,
} from './fields.ts';
import type { Operation } from './operation.ts';

/** Why an order ended without its owner asking for it. */
export const CANCEL_REASONS = [
  'self_trade',
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'margin_unbacked',
  'bankruptcy_price',
  'liquidation',
] as const;

/** Who placed an order that its owner did not: the venue, to close a position. */
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
    idempotencyKey: z.string().nullable().meta({ description: "The request's header; null on an order that the venue placed." }),
    cancelReason: z
      .enum(CANCEL_REASONS)
      .meta({
        id: 'CancelReason',
        description:
          'Why it ended before it was filled, where its owner did not ask for it. self_trade: it met an own order; reduce_only: nothing was left ' +
          'to reduce; no_liquidity: the book had no more; price_band: what was left lay outside of the price band; fill_limit: it met as many ' +
          'orders as one turn takes; margin_unbacked: its account could not back it any more; bankruptcy_price: closing the position beyond ' +
          'that price costs more than backs it; liquidation: the position in the market is being liquidated.',
      })
      .optional(),
    origin: ours(
      venueOrigin,
      'Why the venue placed it: to liquidate or to deleverage a position. null where its owner placed it.',
    ),
    clientOrderId: ours(clientOrderId.nullable(), "The caller's reference; null on an order that the venue placed."),
    side: ours(side, 'As placed.'),
    orderType: ours(orderType, 'As placed.'),
    price: ours(
      decimal.nullable(),
      'The limit: as placed, or the end of the price band when it was placed without one; null on a market order.',
    ),
    quantity: ours(
      decimal.nullable(),
      'As placed; of a limit order by notional, what that comes to; null on a market order by notional.',
    ),
    notional: ours(decimal.nullable(), 'As placed; null on an order by quantity.'),
    filledQuantity: ours(decimal, 'The base that traded.'),
    remainingQuantity: ours(decimal, 'The base that did not trade; 0 on a market order by notional.'),
    averagePrice: ours(
      decimal.nullable(),
      'filledNotional over filledQuantity, rounded down to 6 decimals; null before the first fill.',
    ),
    filledNotional: ours(decimal, 'What the fills came to.'),
    feePaid: ours(signedDecimal, 'The fees of all fills; below zero for a rebate.'),
    postOnly: ours(z.boolean(), 'As placed.'),
    reduceOnly: ours(z.boolean(), 'As placed.'),
    leverageX: ours(z.int().min(1).nullable(), 'As placed; null where the order did not say.'),
    createdAtEpochMs: ours(epochMs, 'When it was accepted.'),
    updatedAtEpochMs: ours(epochMs, 'When it last changed.'),
    lastFillAtEpochMs: ours(epochMs.nullable(), 'When it last traded; null before the first fill.'),
  })
  .meta({ id: 'Order' });
export type OrderResource = z.infer<typeof order>;

/** Of an outcome in a batch. */
export const outcomeIndex = z.int().min(0).meta({ description: 'The place in the request, from 0.' });

/** What every placement says, whatever its shape. */
export const placementTarget = { accountId: idInput, marketId: idInput, clientOrderId, side };
export const placementAmounts = {
  price: decimalInput.optional(),
  quantity: decimalInput.optional(),
  notional: decimalInput.optional(),
};
export const placementExtras = {
  postOnly: z.boolean().optional(),
  reduceOnly: ours(z.boolean().optional(), 'The order may only make a position smaller.'),
  leverageX: ours(z.int().min(1).max(10_000).optional(), 'The leverage whose margin the order reserves; at most maxLeverageX.'),
};

/** The shapes of a limit order for readers of the document; `limitShapeFault` says the same to the parser. */
export const LIMIT_SHAPES = [
  { properties: { orderType: { const: 'limit' }, notional: false }, required: ['orderType', 'price', 'quantity'] },
  {
    properties: { orderType: { const: 'limit' }, notional: false, postOnly: { const: false } },
    required: ['orderType', 'quantity'],
    // Not `price: false`: beside the shape above, which requires a quantity as well, linters do not see what it excludes.
    not: { properties: { price: { type: 'string' } }, required: ['price'] },
  },
  {
    properties: { orderType: { const: 'limit' }, price: false, quantity: false, postOnly: { const: false } },
    required: ['orderType', 'notional'],
  },
];
export const LIMIT_SHAPES_TEXT =
  'A limit order has price and quantity; or quantity alone, or notional alone, and then the worst price that the price band of the market admits ' +
  'for its side, when it takes its turn, is its limit.';

/** The fields of all shapes in one object; `orderShapeFault` says which pairings are an order. */
export const placementBody = z
  .strictObject({ ...placementTarget, orderType, ...placementAmounts, ...placementExtras })
  .superRefine((body, context) => addFault(context, body.orderType === 'limit' ? limitShapeFault(body) : marketShapeFault(body)))
  .meta({
    id: 'OrderPlacement',
    description: `${LIMIT_SHAPES_TEXT} A market order has quantity or notional, and never rests. postOnly goes with a limit order that has a price.`,
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
    ],
  });
export type OrderPlacement = z.output<typeof placementBody>;

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

export function limitShapeFault(body: ShapeFields): ShapeFault | undefined {
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
 * For how long the answer to an idempotency key is kept: that long, and the newest so many of an account. Of an account's refusals
 * so many bytes are stored at once, and so many per second on and on: some hundred bytes each.
 */
export const IDEMPOTENCY_RETENTION = {
  hours: 24,
  keysPerAccount: 100_000,
  refusedBytesAtOnce: 4_194_304,
  refusedBytesPerSecond: 1_024,
} as const;

/** Why an order is not taken, whichever way it came: what the market or the account does not allow, now or ever. */
export const PLACEMENT_REFUSALS = [
  'account_not_enabled',
  'account_retired',
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
  'insufficient_margin',
  'post_only_would_cross',
  'reduce_only_would_increase',
  'too_many_open_orders',
  'too_many_positions',
  'exposure_limit',
  'position_limit',
  'duplicate_client_order_id',
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
    'Answers when the turn that took the order is durable, with what it made of the order. A retry with the same Idempotency-Key and body ' +
    'gets the same answer, marked by the header idempotency-replayed. A final refusal by the venue is stored likewise (its requestId is that ' +
    'of each request). A refusal that may pass (retryable codes, insufficient_margin) or one of the form is not stored: the same key ' +
    'runs again. stored in x-openperp-errors says which is which. ' +
    `Answers are kept for ${IDEMPOTENCY_RETENTION.hours} hours, of one account the newest ${IDEMPOTENCY_RETENTION.keysPerAccount}, whatever other accounts do: ` +
    'a venue that can keep no more answers venue_busy to a placement rather than to forget one earlier.',
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
  success: { status: 202, schema: order, description: 'The order as its turn left it.' },
  refusals: ['account_forbidden', ...PLACEMENT_REFUSALS, 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getOrder = {
  id: 'getOrder',
  group: 'Orders',
  method: 'GET',
  path: '/v1/orders/{orderId}',
  summary: 'Read one order',
  description: "An order of the API key's account, by its orderId. Another account's order does not exist for it.",
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
    "The newest order of the API key's account with this clientOrderId: it is unique as long as idempotency keys are kept, and may be used " +
    'again after that. Percent-encode it: it may hold / and +.',
  isOurs: true,
  access: 'bearer:read',
  params: clientOrderParams,
  success: { status: 200, schema: order, description: 'The order.' },
  refusals: ['order_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const orderOperations = { placeOrder, getOrder, getOrderByClientOrderId };
