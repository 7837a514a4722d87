/** Finds orders that a client names, within its own account. */

import { Refused } from '#contract/refused.ts';
import type { OrderOrdinal } from '#units/ids.ts';
import { parseOrderId } from '#units/ids.ts';

/** Throws {@link Refused} `order_not_found` if the id is malformed. */
export function orderNamed(orderId: string): OrderOrdinal {
  return foundOrRefuse(parseOrderId(orderId));
}

/** Throws {@link Refused} `order_not_found` for `undefined`, which another account's order is read as. */
export function foundOrRefuse<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refused('order_not_found');
  return found;
}
