/** What an order would do if it were placed now, asked without placing it. */
import * as z from 'zod';
import { accountId, clientOrderId, decimal, epochMs, idInput, marketId, sequence, signedDecimal } from './fields.ts';
import type { Operation } from './operation.ts';
import { PLACEMENT_REFUSALS, placementBody } from './orders.ts';

/** Why something of an order may be cancelled in the turn that takes it. */
const IMMEDIATE_CANCEL_REASONS = ['reduce_only', 'no_liquidity', 'price_band', 'fill_limit', 'bankruptcy_price'] as const;

const asOf = {
  snapshotSequence: sequence.meta({
    description: 'The newest record that it takes into account. All of them were durable before it was answered.',
  }),
  asOfEpochMs: epochMs.meta({ description: "The venue's time by which it was judged." }),
};

const resultingPosition = z
  .strictObject({
    side: z.enum(['long', 'short']),
    quantity: decimal,
    avgEntryPrice: decimal,
    entryNotional: decimal,
    margin: decimal,
    liquidationPrice: decimal.nullable().meta({ description: 'Estimated; null where no price would liquidate it.' }),
  })
  .meta({ id: 'PreviewedPosition', description: "The account's position in the market after the fills." });

const accepted = z
  .strictObject({
    version: z.literal('external-order-preview/v1'),
    accountId,
    marketId,
    clientOrderId,
    accepted: z.literal(true),
    status: z.enum(['open', 'filled', 'cancelled']).meta({ description: 'The status that the order would have after its turn.' }),
    cancelReason: z
      .enum(IMMEDIATE_CANCEL_REASONS)
      .optional()
      .meta({ description: 'Why what does not fill would be cancelled; absent where it would rest, or all of it fill.' }),
    price: decimal.nullable().meta({
      description: 'The limit that it would have, also where it is sent without one; null on a market order.',
    }),
    filledQuantity: decimal.meta({ description: 'What would fill at once.' }),
    averagePrice: decimal
      .nullable()
      .meta({ description: 'At what price on average, rounded down to 6 decimals; null where nothing would fill.' }),
    filledNotional: decimal,
    fee: signedDecimal.meta({ description: 'The taker fee of what would fill at once; below zero for a rebate.' }),
    realizedPnl: signedDecimal.meta({ description: 'Of what the fills would close.' }),
    lockedMargin: decimal.meta({ description: 'The margin that the fills would lock in the position.' }),
    restingQuantity: decimal.meta({ description: 'What would rest in the book.' }),
    reservedMargin: decimal.meta({ description: 'The initial margin that would be reserved for what rests.' }),
    reservedFee: decimal.meta({ description: 'The fee that would be reserved for what rests: the taker fee, its worst.' }),
    availableForOrdersBefore: signedDecimal,
    availableForOrdersAfter: signedDecimal,
    position: resultingPosition.nullable().meta({ description: 'null where the account would hold none.' }),
    ...asOf,
  })
  .meta({ id: 'AcceptedOrderPreview', description: 'The order would be taken.' });

const rejected = z
  .strictObject({
    version: z.literal('external-order-preview/v1'),
    accountId,
    marketId: idInput.meta({ description: 'As sent.' }),
    clientOrderId,
    accepted: z.literal(false),
    status: z.literal('rejected'),
    code: z.enum(PLACEMENT_REFUSALS).meta({ description: 'The code of the refusal that it would meet.' }),
    safeMessage: z.string().min(1),
    ...asOf,
  })
  .meta({ id: 'RejectedOrderPreview', description: 'The order would be refused, and change nothing.' });

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
    'Says whether the order would be taken now, what of it would fill and at what price, what would rest, what it would cost and reserve, and where ' +
    'the position would be liquidated. Takes the body of a placement. The venue plans the order exactly as it would place it, on its ' +
    'present state, and changes nothing: no order, no number, no clientOrderId is used up. Placed at once, before anything else happens, the ' +
    'order does what the preview says; anything that happens in between may change that. Previews are counted apart from placements.',
  access: 'bearer:read',
  limit: 'previews',
  body: placementBody,
  success: { status: 200, schema: orderPreview, description: 'What it would do.' },
  refusals: ['account_forbidden', 'venue_halted'],
} as const satisfies Operation;

export const orderPreviewOperations = { previewOrder };
