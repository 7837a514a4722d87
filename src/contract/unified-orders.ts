/** /v2: placing, reading and cancelling orders in the form of the unified library (2.4, 4.2). */
import * as z from 'zod';
import { clientOrderId, idInput, listInput, MAX_DECIMALS, ours, side } from './fields.ts';
import type { Operation } from './operation.ts';
import { MAX_BATCH } from './order-batches.ts';
import { MAX_CANCELS } from './order-cancels.ts';
import { PLACEMENT_REFUSALS, placementExtras } from './orders.ts';
import { symbolInput } from './unified-fields.ts';
import { unifiedCancels, unifiedOrder, unifiedPlacements } from './unified-order-structures.ts';
import { type ENTRY_FIELDS, type KNOWN_PARAMS, unsupportedInOrder, unsupportedInOrders } from './unified-unsupported.ts';

const amountInput = z
  .number()
  .min(0)
  .lt(1e20)
  .refine((value) => decimalsOf(value) <= MAX_DECIMALS, {
    error: ({ input }) => `${String(input)} has more than ${MAX_DECIMALS} decimals`,
  })
  .meta({
    description:
      'A JSON number, converted to its shortest decimal. A number with more decimals than the market allows, or that a double cannot represent, is refused.',
  });

/** The number of decimals of a number's shortest decimal. */
function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return (mantissa.split('.')[1] ?? '').length - Number(exponent);
}

const supported = z
  .strictObject({
    clientOrderId: orNull(clientOrderId.optional()).meta({
      description: "The client's reference. If left out, it is derived from the Idempotency-Key.",
    }),
    postOnly: orNull(placementExtras.postOnly),
    reduceOnly: orNull(placementExtras.reduceOnly),
    leverage: ours(orNull(placementExtras.leverageX), 'The leverage whose margin the order reserves.'),
  } satisfies Record<(typeof KNOWN_PARAMS)[number], z.ZodType>)
  .meta({ id: 'UnifiedOrderParams', description: 'Any other key is refused with 501 NotSupported, and nothing is placed.' });

const limitFields = {
  symbol: symbolInput,
  type: z.literal('limit'),
  side,
  amount: amountInput.meta({
    description: 'The base quantity. A JSON number, converted to its shortest decimal and never rounded.',
  }),
  price: amountInput.meta({
    description: 'The limit price. A JSON number, converted to its shortest decimal and never rounded.',
  }),
  params: orNull(supported.optional()),
} satisfies Record<(typeof ENTRY_FIELDS)[number], z.ZodType>;

const unifiedLimitEntry = z.strictObject(limitFields).meta({ id: 'UnifiedLimitOrderEntry', description: 'One limit order.' });

const unifiedMarketEntry = z
  .strictObject({
    ...limitFields,
    type: z.literal('market'),
    price: z.unknown().optional().meta({ description: 'Ignored.' }),
  })
  .meta({ id: 'UnifiedMarketOrderEntry', description: 'One market order.' });

const unifiedOrderEntry = z.discriminatedUnion('type', [unifiedLimitEntry, unifiedMarketEntry]).meta({
  id: 'UnifiedOrderEntry',
  description:
    'One order (2.4), limit or market. timeInForce (here or in params), any other field and any other type are refused with 501 NotSupported, ' +
    'whatever their value.',
});
export type UnifiedOrderEntry = z.output<typeof unifiedOrderEntry>;

const unifiedOrderEntries = listInput(unifiedLimitEntry, 1, MAX_BATCH).meta({
  id: 'UnifiedOrderEntries',
  description: `1 to ${MAX_BATCH} limit orders.`,
});

const cancelBody = z
  .strictObject({
    symbol: ours(symbolInput.nullish(), 'The market of the order. An order of another market is refused with order_not_found.'),
  })
  .optional()
  .meta({ id: 'UnifiedOrderCancel', 'x-openperp-ours': true });

const cancelsBody = z
  .strictObject({
    ids: listInput(idInput, 1, MAX_CANCELS),
    symbol: symbolInput.meta({ description: 'The market of the orders. An order of another market is not cancelled.' }),
  })
  .meta({ id: 'UnifiedOrderCancels', description: `1 to ${MAX_CANCELS} orders of one market.` });
export type UnifiedOrderCancels = z.output<typeof cancelsBody>;

/** Accepts null like an absent field, because some clients send null for unset fields. Keeps the description of the field. */
function orNull<Field extends z.ZodType>(field: z.ZodOptional<Field>) {
  const optional = field.unwrap().nullish();
  const described = field.meta();
  return described === undefined ? optional : optional.meta(described);
}

const orderParams = z.strictObject({ orderId: idInput });
const BTC = 'BTC/USD.E:USD.E';

/** Entries have an amount in base, no notional, no expiry and no trigger, so these refusals cannot occur. */
const NOT_HERE: readonly string[] = [
  'notional_too_fine',
  'notional_too_small',
  'expiry_out_of_bounds',
  'trigger_reached',
  'linked_order_not_waiting',
];
const REFUSALS = PLACEMENT_REFUSALS.filter((code) => !NOT_HERE.includes(code));

const REPEATABLE =
  'Repeating it is harmless: an order that its owner cancelled is returned unchanged; one that ended otherwise is refused with order_not_open.';

export const createUnifiedOrder = {
  id: 'createUnifiedOrder',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/order',
  summary: 'createOrder',
  description:
    'Places one limit or market order by POST /v1/orders with the same Idempotency-Key. Responds when the turn of the order is durable, with the ' +
    'order after that turn. The two operations share their keys: with a key that was used at one of them, the same order gets the same ' +
    'response at the other, and a different order is refused with idempotency_conflict. timeInForce, an unknown field, an unknown key in params ' +
    'and an unknown type are refused with 501 NotSupported, and nothing is placed. Optional fields may be null.',
  access: 'bearer:trade',
  limit: 'orders',
  needsIdempotencyKey: true,
  body: unifiedOrderEntry,
  example: {
    body: {
      symbol: BTC,
      type: 'limit',
      side: 'buy',
      amount: 0.01,
      price: 60000,
      params: { clientOrderId: 'entry-1', postOnly: true },
    },
  },
  success: { status: 200, schema: unifiedOrder, description: 'The order after its turn.' },
  unsupported: ({ body }) => unsupportedInOrder(body),
  refusals: [...REFUSALS, 'venue_busy'],
} as const satisfies Operation;

export const createUnifiedOrders = {
  id: 'createUnifiedOrders',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders',
  summary: 'createOrders',
  description:
    'Places limit orders by POST /v1/orders/batch, in request order in one turn. Each entry has its own outcome, and a refused entry does not undo ' +
    'the others. An unsupported feature in any entry (timeInForce, an unknown field or key in params, a type other than limit) is refused with ' +
    '501 NotSupported and a malformed entry with 400; in both cases no entry is placed.',
  access: 'bearer:trade',
  limit: 'orders',
  weight: (entries: z.output<typeof unifiedOrderEntries>) => entries.length,
  needsIdempotencyKey: true,
  body: unifiedOrderEntries,
  example: {
    body: [{ symbol: BTC, type: 'limit', side: 'buy', amount: 0.01, price: 60000, params: { clientOrderId: 'entry-1' } }],
  },
  success: { status: 200, schema: unifiedPlacements, description: 'The result of each entry.' },
  unsupported: ({ body }) => unsupportedInOrders(body, MAX_BATCH),
  refusals: ['unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getUnifiedOrder = {
  id: 'getUnifiedOrder',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/orders/{orderId}',
  summary: 'fetchOrder',
  description: "An order of the API key's account. An order of another account is not found.",
  access: 'bearer:read',
  params: orderParams,
  success: { status: 200, schema: unifiedOrder, description: 'The order.' },
  refusals: ['order_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelUnifiedOrder = {
  id: 'cancelUnifiedOrder',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders/{orderId}/cancel',
  summary: 'cancelOrder',
  description: `Cancels the rest of an open order; with a symbol, only if the order is of that market. Needs no Idempotency-Key. ${REPEATABLE}`,
  access: 'bearer:trade',
  limit: 'cancels',
  params: orderParams,
  body: cancelBody,
  success: { status: 200, schema: unifiedOrder, description: 'The cancelled order.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelUnifiedOrders = {
  id: 'cancelUnifiedOrders',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders/cancel',
  summary: 'cancelOrders',
  description:
    'Cancels the rest of orders of one market in one turn. Each has its own outcome. An order of another market is not cancelled and reported as ' +
    `order_not_found. ${REPEATABLE} No response is stored for the Idempotency-Key.`,
  access: 'bearer:trade',
  limit: 'cancels',
  weight: ({ ids }: UnifiedOrderCancels) => ids.length,
  needsIdempotencyKey: true,
  isRepeatable: true,
  body: cancelsBody,
  success: { status: 200, schema: unifiedCancels, description: 'The result of each order, in request order.' },
  refusals: ['unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const unifiedOrderOperations = {
  createUnifiedOrder,
  createUnifiedOrders,
  cancelUnifiedOrders,
  getUnifiedOrder,
  cancelUnifiedOrder,
};
