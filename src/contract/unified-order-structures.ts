/** /v2: an order as the unified library has it (2.4), placed, read, cancelled or refused. */
import * as z from 'zod';
import { clientOrderId, epochMs, idInput, numberedId, orderType, ours, side } from './fields.ts';
import { rejectedOutcome } from './order-batches.ts';
import { refusedCancelOutcome } from './order-cancels.ts';
import { order, outcomeIndex } from './orders.ts';
import { amountOrNull, symbol, timeOrNull, unifiedFee, unknown } from './unified-fields.ts';

const status = z.enum(['open', 'closed', 'canceled']).meta({ id: 'UnifiedOrderStatus' });
const timeInForce = z.enum(['GTC', 'IOC', 'PO']).meta({
  id: 'UnifiedTimeInForce',
  description: 'What the order was, never what was asked for: a market order is IOC, a post-only one PO, every other one GTC.',
});

export const unifiedOrder = z
  .strictObject({
    id: numberedId,
    symbol,
    status,
    info: order,
    clientOrderId: clientOrderId.nullable().meta({ description: 'null on an order that the venue placed.' }),
    timestamp: epochMs,
    datetime: z.string(),
    side,
    type: orderType,
    timeInForce,
    price: amountOrNull.meta({ description: 'The limit; of a market order the average price.' }),
    amount: amountOrNull,
    filled: z.number(),
    remaining: z.number(),
    reduceOnly: z.boolean(),
    postOnly: z.boolean(),
    lastTradeTimestamp: ours(timeOrNull, 'When it last traded.'),
    lastUpdateTimestamp: ours(epochMs, 'When it last changed.'),
    cost: ours(z.number(), 'What the fills came to.'),
    average: ours(amountOrNull, 'The average price of the fills.'),
    fee: ours(unifiedFee, 'What the fills cost.'),
    fees: ours(z.array(unifiedFee), 'The same.'),
    trades: ours(z.array(unknown).max(0), 'Trades are listed by GET /v2/accounts/{accountId}/fills.'),
    triggerPrice: ours(unknown, 'There are no trigger orders.'),
    stopPrice: ours(unknown, 'Likewise.'),
    takeProfitPrice: ours(unknown, 'Likewise.'),
    stopLossPrice: ours(unknown, 'Likewise.'),
  })
  .meta({ id: 'UnifiedOrder' });
export type UnifiedOrder = z.infer<typeof unifiedOrder>;

export const unifiedOrders = z.array(unifiedOrder).meta({ id: 'UnifiedOrders', 'x-openperp-ours': true });

/** Of a batch: what is known of an order, which is little of one that was never placed, or never found. */
function resultOf<Info extends z.ZodType>(info: Info) {
  return z.strictObject({
    ...orNull(unifiedOrder.shape),
    status: z.union([status, z.literal('rejected')]).nullable(),
    index: outcomeIndex,
    accepted: z.boolean().meta({ description: 'Whether it was done as it was asked for; info says why where it was not.' }),
    info,
  });
}

type OrNull<Shape> = { readonly [Key in keyof Shape]: Shape[Key] extends z.ZodType ? z.ZodNullable<Shape[Key]> : never };

function orNull<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): OrNull<Shape> {
  const fields = Object.entries(shape).map(([key, field]) => [key, field.safeParse(null).success ? field : field.nullable()]);
  return Object.fromEntries(fields) as OrNull<Shape>;
}

/** The interface has an order whole in `info` (2.2), where the batch of /v1 has it without its version. */
const acceptedOrder = order
  .extend({ index: outcomeIndex, accepted: z.literal(true) })
  .meta({ id: 'UnifiedAcceptedOrder', description: 'The order of /v1 that it was done to, with its place in the request.' });

export const unifiedPlacement = resultOf(z.discriminatedUnion('accepted', [acceptedOrder, rejectedOutcome])).meta({
  id: 'UnifiedPlacement',
  description: 'The order as the turn of the whole batch left it; or rejected, which never was an order.',
});
export type UnifiedPlacement = z.infer<typeof unifiedPlacement>;

export const unifiedPlacements = z.array(unifiedPlacement).meta({
  id: 'UnifiedPlacements',
  description: 'One result per entry, in request order.',
});

export const unifiedCancel = resultOf(z.discriminatedUnion('accepted', [acceptedOrder, refusedCancelOutcome]))
  .extend({ id: idInput.nullable().meta({ description: 'As named in the request, also where no order has it.' }) })
  .meta({
    id: 'UnifiedCancel',
    description: 'The order after its end; where it had ended otherwise before, as it is.',
  });
export type UnifiedCancel = z.infer<typeof unifiedCancel>;

export const unifiedCancels = z.array(unifiedCancel).meta({
  id: 'UnifiedCancels',
  description: 'One result per id, in request order.',
});
