/** /v2: placing, reading and cancelling orders as the unified library asks for it (2.4, 4.2). */
import * as z from 'zod';
import { clientOrderId, idInput, listInput, MOST_DECIMALS, ours, side } from './fields.ts';
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
  .refine((value) => decimalsOf(value) <= MOST_DECIMALS, {
    error: ({ input }) => `it is ${String(input)}, finer than the ${MOST_DECIMALS} decimals that an amount may have`,
  })
  .meta({
    description:
      'A JSON number, taken by its shortest decimal: one that is finer than the market takes, or than a JSON number is read, is refused.',
  });

/** Of the shortest decimal that a number stands for. */
function decimalsOf(value: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return (mantissa.split('.')[1] ?? '').length - Number(exponent);
}

const supported = z
  .strictObject({
    clientOrderId: orNull(clientOrderId.optional()).meta({
      description: 'Yours; one is made of the Idempotency-Key where it is left out.',
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
  amount: amountInput.meta({ description: 'In base. A JSON number, taken by its shortest decimal: never rounded.' }),
  price: amountInput.meta({ description: 'Likewise.' }),
  params: orNull(supported.optional()),
} satisfies Record<(typeof ENTRY_FIELDS)[number], z.ZodType>;

const unifiedLimitEntry = z.strictObject(limitFields).meta({ id: 'UnifiedLimitOrderEntry', description: 'One limit order.' });

const unifiedMarketEntry = z
  .strictObject({
    ...limitFields,
    type: z.literal('market'),
    price: z.unknown().optional().meta({ description: 'Dropped, whatever it is.' }),
  })
  .meta({ id: 'UnifiedMarketOrderEntry', description: 'One market order.' });

const unifiedOrderEntry = z.discriminatedUnion('type', [unifiedLimitEntry, unifiedMarketEntry]).meta({
  id: 'UnifiedOrderEntry',
  description:
    'One order (2.4), limit or market. With a timeInForce, here or in params, with any other field and of any other type it is refused with ' +
    '501 NotSupported, whatever that says.',
});
export type UnifiedOrderEntry = z.output<typeof unifiedOrderEntry>;

const unifiedOrderEntries = listInput(unifiedLimitEntry, 1, MAX_BATCH).meta({
  id: 'UnifiedOrderEntries',
  description: `From 1 to ${MAX_BATCH} limit orders.`,
});

const cancelBody = z
  .strictObject({ symbol: ours(symbolInput.nullish(), 'Only where the order is of this market.') })
  .optional()
  .meta({ id: 'UnifiedOrderCancel', 'x-openperp-ours': true });

const cancelsBody = z
  .strictObject({
    ids: listInput(idInput, 1, MAX_CANCELS),
    symbol: symbolInput.meta({ description: 'The one market that all of them are of: an order of another is not cancelled.' }),
  })
  .meta({ id: 'UnifiedOrderCancels', description: `From 1 to ${MAX_CANCELS} orders of one market.` });
export type UnifiedOrderCancels = z.output<typeof cancelsBody>;

/** null says as much as leaving it out: programs write it for what they do not set. Told as the field that it is of. */
function orNull<Field extends z.ZodType>(field: z.ZodOptional<Field>) {
  const optional = field.unwrap().nullish();
  const described = field.meta();
  return described === undefined ? optional : optional.meta(described);
}

const orderParams = z.strictObject({ orderId: idInput });
const BTC = 'BTC/USD.E:USD.E';

/** An entry names its amount in base, and no notional. */
const REFUSALS = PLACEMENT_REFUSALS.filter((code) => code !== 'notional_too_fine' && code !== 'notional_too_small');

const REPEATABLE =
  'Repeating it is harmless: an order that its owner cancelled is answered as it stands, one that ended otherwise with order_not_open.';

export const createUnifiedOrder = {
  id: 'createUnifiedOrder',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/order',
  summary: 'createOrder',
  description:
    'Places one limit or market order by POST /v1/orders, under the Idempotency-Key that it comes with, and answers when its turn is durable, ' +
    'with what the turn made of it. Since both are one operation of /v1, a key that was used at one of the two is used at the other: the same order ' +
    'gets the same answer, another one is refused with idempotency_conflict. timeInForce in any place, an unknown field, an unknown key in params ' +
    'and an unknown type are 501 NotSupported, and nothing is placed. A field that may be left out may be null.',
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
  success: { status: 200, schema: unifiedOrder, description: 'The order as its turn left it.' },
  unsupported: ({ body }) => unsupportedInOrder(body),
  refusals: [...REFUSALS, 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const createUnifiedOrders = {
  id: 'createUnifiedOrders',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders',
  summary: 'createOrders',
  description:
    'Places limit orders by POST /v1/orders/batch, each decided on its own, in request order and in one turn; one that is refused undoes none of ' +
    'the others. What this surface cannot represent in any entry (timeInForce, an unknown field or key in params, a type that is not limit) is ' +
    '501 NotSupported, and no entry is placed; so it is with a fault in the form of any entry.',
  access: 'bearer:trade',
  limit: 'orders',
  weight: (entries: z.output<typeof unifiedOrderEntries>) => entries.length,
  needsIdempotencyKey: true,
  body: unifiedOrderEntries,
  example: {
    body: [{ symbol: BTC, type: 'limit', side: 'buy', amount: 0.01, price: 60000, params: { clientOrderId: 'entry-1' } }],
  },
  success: { status: 200, schema: unifiedPlacements, description: 'What became of each entry.' },
  unsupported: ({ body }) => unsupportedInOrders(body, MAX_BATCH),
  refusals: ['unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const getUnifiedOrder = {
  id: 'getUnifiedOrder',
  group: 'Unified-library v2',
  method: 'GET',
  path: '/v2/orders/{orderId}',
  summary: 'fetchOrder',
  description: "An order of the API key's account. Another account's order does not exist for it.",
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
  description: `Ends what is left of an open order; with a symbol, only where it is of that market. Needs no Idempotency-Key. ${REPEATABLE}`,
  access: 'bearer:trade',
  limit: 'cancels',
  params: orderParams,
  body: cancelBody,
  success: { status: 200, schema: unifiedOrder, description: 'The order after its end.' },
  refusals: ['unknown_market', 'order_not_found', 'order_not_open', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const cancelUnifiedOrders = {
  id: 'cancelUnifiedOrders',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders/cancel',
  summary: 'cancelOrders',
  description:
    'Ends what is left of orders of one market, each decided on its own, in one turn. An order of another market is not cancelled: there is ' +
    `no such order in this one. ${REPEATABLE} No answer is stored for the Idempotency-Key.`,
  access: 'bearer:trade',
  limit: 'cancels',
  weight: ({ ids }: UnifiedOrderCancels) => ids.length,
  needsIdempotencyKey: true,
  isRepeatable: true,
  body: cancelsBody,
  success: { status: 200, schema: unifiedCancels, description: 'What became of each, in request order.' },
  refusals: ['unknown_market', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const unifiedOrderOperations = {
  createUnifiedOrder,
  createUnifiedOrders,
  cancelUnifiedOrders,
  getUnifiedOrder,
  cancelUnifiedOrder,
};
