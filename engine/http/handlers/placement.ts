/** Converts the body of a placement to a command. */
import { ERRORS } from '#contract/errors.ts';
import type { OrderPlacement } from '#contract/orders.ts';
import { Refused } from '#contract/refused.ts';
import type { Directory, ListedMarket } from '#reads/reads.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { leverageHundredths } from '#units/leverage.ts';
import type { BatchEntry, PlaceOrder } from '#venue/command.ts';
import { orderTerms } from './order-terms.ts';
import { conditionalTerms, reducesByDefault } from './trigger-terms.ts';

/** Throws {@link Refused} `unknown_market`. */
export function marketOfBody(directory: Directory, marketId: string): ListedMarket {
  const listed = directory.listedMarket(marketId);
  if (listed === undefined) throw unknownMarket(marketId);
  return listed;
}

/** The refusal for a market in a body, for which 404 would mean the path. */
export function unknownMarket(marketId: string): Refused {
  return new Refused('unknown_market', `There is no market ${JSON.stringify(marketId)}. ${ERRORS.unknown_market.whatToDo}`);
}

/** Throws {@link Refused} if an amount does not fit the market. */
export function placementOf(
  account: AccountOrdinal,
  listed: ListedMarket,
  body: OrderPlacement,
  idempotencyKey: string,
): PlaceOrder {
  return { type: 'PlaceOrder', account, ...placementEntry(listed, body), idempotencyKey };
}

/** The terms of the order alone. Throws {@link Refused} likewise. */
export function placementEntry(listed: ListedMarket, body: OrderPlacement): BatchEntry {
  return {
    market: listed.market,
    clientOrderId: body.clientOrderId,
    side: body.side,
    terms: orderTerms(body, listed.specification),
    reduceOnly: body.reduceOnly ?? reducesByDefault(body),
    leverageHundredths: leverageHundredths(body.leverageX ?? 0),
    ...conditionalTerms(body, listed.specification),
  };
}
