/**
 * What the structures of the unified library are made of. Amounts are JSON numbers: the double that is nearest to the decimal of the
 * /v1 resource, in the shortest form that reads back as the same double. A key of which nothing is known is null, and never left out.
 */
import * as z from 'zod';
import { betweenMoments, clientOrderId, epochMs, idInput, limitInput, momentInput, ours, SETTLEMENT_ASSET } from './fields.ts';

/** `<BASE>/<QUOTE>:<SETTLE>`, in an answer. */
export const symbol = z.string().regex(/^[^/:]+\/[^/:]+:[^/:]+$/);

/** In a request: which there are is looked up. */
export const symbolInput = idInput.meta({
  description: 'As GET /v2/markets lists it, such as BTC/USD.E:USD.E; percent-encode it in an address.',
});

export const amount = z.number();
export const amountOrNull = amount.nullable();
export const textOrNull = z.string().nullable();
export const timeOrNull = epochMs.nullable();
/** What this venue never knows. */
export const unknown = z.null();

/** The end of a path under /v2/markets. */
export const symbolParams = z.strictObject({ symbol: symbolInput });

export const symbolFilter = { symbol: ours(symbolInput.optional(), 'Only of this market.') };
export const clientOrderIdFilter = { clientOrderId: ours(clientOrderId.optional(), 'Only of the order with this reference.') };

/** The query of a list. Without `since` the newest ones, with it the first ones from then on; oldest first either way. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return betweenMoments(
    z.strictObject({
      ...symbolFilter,
      since: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: the first ones from then on, instead of the newest.'),
      until: ours(momentInput.optional(), 'Epoch milliseconds, inclusive: nothing later is shown. Not before since.'),
      limit: limitInput,
      ...filters,
    }),
  );
}

/** A fee that was paid, below zero for a rebate. */
export const unifiedFee = z
  .strictObject({ cost: amountOrNull, currency: z.literal(SETTLEMENT_ASSET).nullable() })
  .meta({ id: 'UnifiedFee' });
