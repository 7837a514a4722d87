/** /v2: placing, reading and cancelling orders as the unified library asks for it (2.4, 4.2). */
import * as z from 'zod';
import { clientOrderId, idInput, orderType, ours, side } from './fields.ts';
import type { Operation } from './operation.ts';
import { MAX_BATCH } from './order-batches.ts';
import { MAX_CANCELS } from './order-cancels.ts';
import { PLACEMENT_REFUSALS, placementExtras } from './orders.ts';
import { symbolInput } from './unified-fields.ts';
import { unifiedCancels, unifiedOrder, unifiedPlacements } from './unified-order-structures.ts';
import { unsupportedInOrder, unsupportedInOrders } from './unified-unsupported.ts';

const amountInput = z.number().min(0).lt(1e20).meta({
  description: 'A JSON number. Its shortest decimal is what counts: one that is finer than the market takes is refused.',
});

const supported = z
  .strictObject({
    clientOrderId: clientOrderId
      .optional()
      .meta({ description: 'Yours; one is made of the Idempotency-Key where it is left out.' }),
    postOnly: placementExtras.postOnly,
    reduceOnly: placementExtras.reduceOnly,
    leverage: ours(placementExtras.leverageX.unwrap().optional(), 'The leverage whose margin the order reserves.'),
  })
  .meta({ description: 'Any other key is refused with 501 NotSupported, and nothing is placed.' });

export const unifiedOrderEntry = z
  .strictObject({
    symbol: symbolInput,
    type: orderType.meta({ description: 'Any other is refused with 501 NotSupported.' }),
    side,
    amount: amountInput.meta({ description: 'In base. A JSON number, taken by its shortest decimal: never rounded.' }),
    price: amountInput.optional().meta({ description: 'Of a limit order, likewise. That of a market order is dropped.' }),
    params: supported.optional(),
  })
  .meta({
    id: 'UnifiedOrderEntry',
    description:
      'One order (2.4). With a timeInForce, here or in params, it is refused with 501 NotSupported, whatever that says.',
  });
export type UnifiedOrderEntry = z.output<typeof unifiedOrderEntry>;

const unifiedLimitEntry = unifiedOrderEntry
  .extend({ type: z.literal('limit'), price: amountInput })
  .meta({ id: 'UnifiedLimitOrderEntry', description: 'One limit order.' });

const unifiedOrderEntries = z
  .array(unifiedLimitEntry)
  .min(1)
  .max(MAX_BATCH)
  .meta({
    id: 'UnifiedOrderEntries',
    description: `From 1 to ${MAX_BATCH} limit orders.`,
  });

const cancelBody = z
  .strictObject({ symbol: ours(symbolInput.optional(), 'Only where the order is of this market.') })
  .optional()
  .meta({ id: 'UnifiedOrderCancel', 'x-openperp-ours': true });

const cancelsBody = z
  .strictObject({
    ids: z.array(idInput).min(1).max(MAX_CANCELS),
    symbol: symbolInput.meta({ description: 'The one market that all of them are of: an order of another is not cancelled.' }),
  })
  .meta({ id: 'UnifiedOrderCancels', description: `From 1 to ${MAX_CANCELS} orders of one market.` });
export type UnifiedOrderCancels = z.output<typeof cancelsBody>;

const orderParams = z.strictObject({ orderId: idInput });
const BTC = 'BTC/USD.E:USD.E';

/** An entry names its amount in base, and no notional. */
const REFUSALS = PLACEMENT_REFUSALS.filter((code) => code !== 'notional_too_fine' && code !== 'notional_too_small');

const REPEATABLE =
  'Repeating it is harmless, so no answer is kept for its Idempotency-Key: an order that its owner cancelled is answered as it stands, one ' +
  'that ended otherwise is told so (order_not_open).';

export const createUnifiedOrder = {
  id: 'createUnifiedOrder',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/order',
  summary: 'createOrder',
  description:
    'Places one limit or market order by POST /v1/orders, under the Idempotency-Key that it comes with, and answers when its turn is durable, ' +
    'with what the turn made of it. Since both are one operation of /v1, a key that was used at one of the two is used at the other: the same order ' +
    'gets the same answer, another one is refused with idempotency_conflict. timeInForce in any place, an unknown key in params and an unknown ' +
    'type are 501 NotSupported, and nothing is placed.',
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
    'the others. What this surface cannot represent in any entry (timeInForce, an unknown key in params, a type that is not limit) is 501 ' +
    'NotSupported, and no entry is placed; so it is with a fault in the form of any entry.',
  access: 'bearer:trade',
  limit: 'orders',
  weight: (entries: z.output<typeof unifiedOrderEntries>) => entries.length,
  needsIdempotencyKey: true,
  body: unifiedOrderEntries,
  example: {
    body: [{ symbol: BTC, type: 'limit', side: 'buy', amount: 0.01, price: 60000, params: { clientOrderId: 'entry-1' } }],
  },
  success: { status: 200, schema: unifiedPlacements, description: 'What became of each entry.' },
  unsupported: ({ body }) => unsupportedInOrders(body),
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
  refusals: ['order_not_found', 'venue_halted'],
} as const satisfies Operation;

export const cancelUnifiedOrder = {
  id: 'cancelUnifiedOrder',
  group: 'Unified-library v2',
  method: 'POST',
  path: '/v2/orders/{orderId}/cancel',
  summary: 'cancelOrder',
  description: `Ends what is left of an open order; with a symbol, only where it is of that market. ${REPEATABLE}`,
  access: 'bearer:trade',
  limit: 'cancels',
  needsIdempotencyKey: true,
  isRepeatable: true,
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
    `no such order in this one. ${REPEATABLE}`,
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
