/** Orders that the venue places for an account to close its position. They emit the same events as client orders. */

import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { OrderOrigin } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_PRICE } from './book.ts';

/** Accepts an order that closes a quantity. It has no client order id. The caller emits its end. */
export function acceptVenueOrder(
  turn: Turn,
  market: Market,
  account: Account,
  side: Side,
  quantityAtoms: BaseAtoms,
  origin: OrderOrigin,
): OrderOrdinal {
  const order = turn.state.nextOrder();
  turn.events.orderAccepted({
    order,
    account: account.ordinal,
    market: market.ordinal,
    clientOrderId: '',
    idempotencyKey: '',
    side,
    terms: { kind: 'market', quantityAtoms },
    reduceOnly: true,
    leverageHundredths: 0,
    initialMarginBps: 0 as Bps,
    origin,
    markPriceAtoms: market.markPriceAtoms,
  });
  return order;
}

/** Cancels the remainder of such an order. */
export function endVenueOrder(
  turn: Turn,
  market: Market,
  account: Account,
  order: OrderOrdinal,
  side: Side,
  remainingAtoms: BaseAtoms,
): void {
  turn.events.orderCancelled({
    order,
    account: account.ordinal,
    market: market.ordinal,
    side,
    reason: 'liquidation',
    wasResting: false,
    priceAtoms: NO_PRICE,
    remainingAtoms,
    accountReservedAtoms: account.reservedAtoms,
  });
}
