/** Orders that the venue places for an account to close its position. */
import type { Side } from './command.ts';
import { reservedOf } from './margin.ts';
import type { Market, World } from './world.ts';
import { note } from './world.ts';

export function acceptVenueOrder(
  world: World,
  market: Market,
  account: number,
  side: Side,
  quantityAtoms: bigint,
  origin: 'liquidation' | 'auto_deleveraging',
): number {
  world.lastOrder += 1;
  note(world, {
    type: 'OrderAccepted',
    order: world.lastOrder,
    account,
    market: market.ordinal,
    clientOrderId: '',
    idempotencyKey: '',
    side,
    terms: { kind: 'market', quantityAtoms },
    reduceOnly: true,
    leverageHundredths: 0,
    initialMarginBps: 0n,
    origin,
    markPriceAtoms: market.mark,
  });
  return world.lastOrder;
}

/** Ends what such an order has not closed. */
export function endVenueOrder(
  world: World,
  market: Market,
  account: number,
  order: number,
  side: Side,
  remainingAtoms: bigint,
): void {
  note(world, {
    type: 'OrderCancelled',
    order,
    account,
    market: market.ordinal,
    side,
    reason: 'liquidation',
    wasResting: false,
    priceAtoms: 0n,
    remainingAtoms,
    accountReservedAtoms: reservedOf(world, account),
  });
}
