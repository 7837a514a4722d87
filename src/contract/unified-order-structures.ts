/** /v2: an order in the structure of the unified library (2.4), and the results of placing and cancelling. */
import * as z from 'zod';
import { clientOrderId, epochMs, idInput, numberedId, orderType, ours, side } from './fields.ts';
import { rejectedOutcome } from './order-batches.ts';
import { refusedCancelOutcome } from './order-cancels.ts';
import { order, outcomeIndex } from './orders.ts';
import { amountOrNull, symbol, timeOrNull, unifiedFee, unknown } from './unified-fields.ts';

const status = z.enum(['open', 'closed', 'canceled']).meta({ id: 'UnifiedOrderStatus' });
const timeInForce = z.enum(['GTC', 'IOC', 'FOK', 'PO', 'GTD']).meta({
  id: 'UnifiedTimeInForce',
  description:
    'That of the order: IOC for a market order, PO for a post-only order, otherwise GTC; FOK, GTD and IOC also if placed so on /v1.',
});

export const unifiedOrder = z
  .strictObject({
    id: numberedId,
    symbol,
    status,
    info: order,
    clientOrderId: clientOrderId.nullable().meta({ description: 'null if the venue placed the order.' }),
    timestamp: epochMs,
    datetime: z.string(),
    side,
    type: orderType,
    timeInForce,
    price: amountOrNull.meta({ description: 'The limit price; for a market order the average price.' }),
    amount: amountOrNull,
    filled: z.number(),
    remaining: z.number(),
    reduceOnly: z.boolean(),
    postOnly: z.boolean(),
    lastTradeTimestamp: ours(timeOrNull, 'When the order last filled.'),
    lastUpdateTimestamp: ours(epochMs, 'When the order last changed.'),
    cost: ours(z.number(), 'The total notional of the fills.'),
    average: ours(amountOrNull, 'The average price of the fills.'),
    fee: ours(unifiedFee, 'The total fee of the fills.'),
    fees: ours(z.array(unifiedFee), 'The fee as a list.'),
    trades: ours(z.array(unknown).max(0), 'Always empty: GET /v2/accounts/{accountId}/fills lists the trades.'),
    triggerPrice: ours(amountOrNull, 'The price that an order of /v1 with a trigger waits or waited for.'),
    stopPrice: ours(amountOrNull, 'The same as triggerPrice.'),
    takeProfitPrice: ours(amountOrNull, 'The triggerPrice of a take_profit.'),
    stopLossPrice: ours(amountOrNull, 'The triggerPrice of a stop_loss.'),
  })
  .meta({ id: 'UnifiedOrder' });
export type UnifiedOrder = z.infer<typeof unifiedOrder>;

export const unifiedOrders = z.array(unifiedOrder).meta({ id: 'UnifiedOrders', 'x-openperp-ours': true });

/** A result in a batch. Most fields are null if the order was refused or not found. */
function resultOf<Info extends z.ZodType>(info: Info) {
  return z.strictObject({
    ...orNull(unifiedOrder.shape),
    status: z.union([status, z.literal('rejected')]).nullable(),
    index: outcomeIndex,
    accepted: z.boolean().meta({ description: 'Whether the request was carried out; if not, info has the reason.' }),
    info,
  });
}

type OrNull<Shape> = { readonly [Key in keyof Shape]: Shape[Key] extends z.ZodType ? z.ZodNullable<Shape[Key]> : never };

function orNull<Shape extends Readonly<Record<string, z.ZodType>>>(shape: Shape): OrNull<Shape> {
  const fields = Object.entries(shape).map(([key, field]) => [key, field.safeParse(null).success ? field : field.nullable()]);
  return Object.fromEntries(fields) as OrNull<Shape>;
}

/** The interface has the full order in `info` (2.2); the batch of /v1 has it without its version. */
const acceptedOrder = order
  .extend({ index: outcomeIndex, accepted: z.literal(true) })
  .meta({ id: 'UnifiedAcceptedOrder', description: 'The order of /v1, with its index in the request.' });

export const unifiedPlacement = resultOf(z.discriminatedUnion('accepted', [acceptedOrder, rejectedOutcome])).meta({
  id: 'UnifiedPlacement',
  description: 'The order after the turn of the whole batch, or a rejected entry, which did not become an order.',
});
export type UnifiedPlacement = z.infer<typeof unifiedPlacement>;

export const unifiedPlacements = z.array(unifiedPlacement).meta({
  id: 'UnifiedPlacements',
  description: 'One result per entry, in request order.',
});

export const unifiedCancel = resultOf(z.discriminatedUnion('accepted', [acceptedOrder, refusedCancelOutcome]))
  .extend({ id: idInput.nullable().meta({ description: 'As in the request, also if no order has it.' }) })
  .meta({
    id: 'UnifiedCancel',
    description: 'The cancelled order; an order that had already ended otherwise is unchanged.',
  });
export type UnifiedCancel = z.infer<typeof unifiedCancel>;

export const unifiedCancels = z.array(unifiedCancel).meta({
  id: 'UnifiedCancels',
  description: 'One result per id, in request order.',
});
