/**
 * The fields of the unified library's structures. Amounts are JSON numbers: the double nearest to the decimal of the /v1 resource, in the
 * shortest form that parses to the same double. A key without a value is null and never left out.
 */
import * as z from 'zod';
import { betweenTimes, clientOrderId, epochMs, idInput, limitInput, ours, SETTLEMENT_ASSET, timeInput } from './fields.ts';

/** `<BASE>/<QUOTE>:<SETTLE>`, in a response. */
export const symbol = z.string().regex(/^[^/:]+\/[^/:]+:[^/:]+$/);

/** A symbol in a request; it is looked up. */
export const symbolInput = idInput.meta({
  description: 'As in GET /v2/markets, such as BTC/USD.E:USD.E; percent-encode it in a URL.',
});

export const amount = z.number();
export const amountOrNull = amount.nullable();
export const textOrNull = z.string().nullable();
export const timeOrNull = epochMs.nullable();
/** A field that this venue never has a value for. */
export const unknown = z.null();

/** The end of a path under /v2/markets. */
export const symbolParams = z.strictObject({ symbol: symbolInput });

export const symbolFilter = { symbol: ours(symbolInput.optional(), 'Only entries of this market.') };
export const clientOrderIdFilter = {
  clientOrderId: ours(clientOrderId.optional(), 'Only entries of the order with this reference.'),
};

/** The query of a list, oldest first: the newest entries, or with `since` the first entries from that time on. */
export function listQuery<Filters extends z.ZodRawShape>(filters: Filters) {
  return betweenTimes(
    z.strictObject({
      ...symbolFilter,
      since: ours(
        timeInput.optional(),
        'Epoch milliseconds, inclusive: the first entries from this time on, instead of the newest.',
      ),
      until: ours(timeInput.optional(), 'Epoch milliseconds, inclusive. Must not be before since.'),
      limit: limitInput,
      ...filters,
    }),
  );
}

/** A paid fee; negative for a rebate. */
export const unifiedFee = z
  .strictObject({ cost: amountOrNull, currency: z.literal(SETTLEMENT_ASSET).nullable() })
  .meta({ id: 'UnifiedFee' });
