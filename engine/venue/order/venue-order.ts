/** Orders that the venue places in an account's name, to close a position: they are told of like any other. */

import type { OrderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, Bps } from '#units/money.ts';
import type { Account } from '#venue/account/account.ts';
import type { OrderOrigin } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { Turn } from '#venue/turn.ts';
import { NO_PRICE } from './book.ts';

/** Accepts an order for a quantity that closes; it has no id of a client, and its end is told by who placed it. */
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
    leverageX: 0,
    initialMarginBps: 0 as Bps,
    origin,
    markPriceAtoms: market.markPriceAtoms,
  });
  return order;
}

/** Ends such an order with something left of it. */
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
