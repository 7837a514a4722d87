/** Previews: the result of an order if it were placed now, without placing it. */
import * as z from 'zod';
import { accountId, clientOrderId, decimal, epochMs, idInput, marketId, sequence, signedDecimal } from './fields.ts';
import type { Operation } from './operation.ts';
import { PLACEMENT_REFUSALS, placementBody } from './orders.ts';

/** Why the rest of an order may be cancelled in the turn that places it. */
const IMMEDIATE_CANCEL_REASONS = [
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'bankruptcy_price',
  'immediate_or_cancel',
  'fill_or_kill',
] as const;

const asOf = {
  snapshotSequence: sequence.meta({
    description: 'The newest record that the preview uses. It was durable before the response.',
  }),
  asOfEpochMs: epochMs.meta({ description: "The venue's time of the preview." }),
};

const resultingPosition = z
  .strictObject({
    side: z.enum(['long', 'short']),
    quantity: decimal,
    avgEntryPrice: decimal,
    entryNotional: decimal,
    margin: decimal,
    liquidationPrice: decimal.nullable().meta({ description: 'Estimated; null if no price would liquidate the position.' }),
  })
  .meta({ id: 'PreviewedPosition', description: "The account's position in the market after the fills." });

const accepted = z
  .strictObject({
    version: z.literal('external-order-preview/v1'),
    accountId,
    marketId,
    clientOrderId,
    accepted: z.literal(true),
    status: z.enum(['open', 'filled', 'cancelled']).meta({ description: 'The status of the order after its turn.' }),
    cancelReason: z
      .enum(IMMEDIATE_CANCEL_REASONS)
      .optional()
      .meta({ description: 'Why the rest of the order would be cancelled; absent if it would rest or fill completely.' }),
    price: decimal.nullable().meta({
      description: 'The limit price of the order, also if it is sent without one; null for a market order.',
    }),
    filledQuantity: decimal.meta({ description: 'The quantity that would fill at once.' }),
    averagePrice: decimal
      .nullable()
      .meta({ description: 'The average price of the fills, rounded down to 6 decimals; null without fills.' }),
    filledNotional: decimal,
    fee: signedDecimal.meta({ description: 'The taker fee of the fills; negative for a rebate.' }),
    realizedPnl: signedDecimal.meta({ description: 'The PnL that the fills would realize.' }),
    lockedMargin: decimal.meta({ description: 'The margin that the fills would lock in the position.' }),
    restingQuantity: decimal.meta({ description: 'The quantity that would rest in the book.' }),
    reservedMargin: decimal.meta({ description: 'The initial margin that would be reserved for the resting quantity.' }),
    reservedFee: decimal.meta({
      description: 'The fee that would be reserved for the resting quantity: the taker fee, as the worst case.',
    }),
    availableForOrdersBefore: signedDecimal,
    availableForOrdersAfter: signedDecimal,
    position: resultingPosition.nullable().meta({ description: 'null if the account would have no position.' }),
    ...asOf,
  })
  .meta({ id: 'AcceptedOrderPreview', description: 'The order would be accepted.' });

const rejected = z
  .strictObject({
    version: z.literal('external-order-preview/v1'),
    accountId,
    marketId: idInput.meta({ description: 'As sent.' }),
    clientOrderId,
    accepted: z.literal(false),
    status: z.literal('rejected'),
    code: z.enum(PLACEMENT_REFUSALS).meta({ description: 'The code of the refusal.' }),
    safeMessage: z.string().min(1),
    ...asOf,
  })
  .meta({ id: 'RejectedOrderPreview', description: 'The order would be refused.' });

export const orderPreview = z
  .discriminatedUnion('accepted', [accepted, rejected])
  .meta({ id: 'OrderPreview', 'x-openperp-ours': true });
export type OrderPreview = z.infer<typeof orderPreview>;

export const previewOrder = {
  id: 'previewOrder',
  group: 'Orders',
  method: 'POST',
  path: '/v1/orders/preview',
  summary: 'Preview an order',
  description:
    'Whether the order would be accepted now: fills and their prices, the resting quantity, fees and reservations, and the liquidation price ' +
    'of the position. Takes the body of a placement. The venue plans the order on its current state exactly as for a placement, and changes ' +
    'nothing: it uses up no order, no orderId and no clientOrderId. If the order is placed before anything else happens, the result is that ' +
    'of the preview. Previews have a rate limit of their own.',
  access: 'bearer:read',
  limit: 'previews',
  body: placementBody,
  success: { status: 200, schema: orderPreview, description: 'The preview.' },
  refusals: ['account_forbidden', 'venue_halted'],
} as const satisfies Operation;

export const orderPreviewOperations = { previewOrder };
