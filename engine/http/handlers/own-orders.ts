/** Orders as a client names them: its own, or none. */

import { Refused } from '#contract/refused.ts';
import type { OrderOrdinal } from '#units/ids.ts';
import { parseOrderId } from '#units/ids.ts';

/** Throws {@link Refused} `order_not_found` for what is no id of any order. */
export function orderNamed(orderId: string): OrderOrdinal {
  return existing(parseOrderId(orderId));
}

/** Throws {@link Refused} `order_not_found` where there is nothing, as there is of another account's order. */
export function existing<Found>(found: Found | undefined): Found {
  if (found === undefined) throw new Refused('order_not_found');
  return found;
}
