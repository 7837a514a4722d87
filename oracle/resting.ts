/** How resting orders end and shrink, and how reduce-only ones are kept within the position. */
import { larger, smaller, sum } from './arithmetic.ts';
import { isMetBefore } from './book.ts';
import { closableBy } from './equity.ts';
import { reservedOf } from './margin.ts';
import { endEntry } from './waiting.ts';
import type { Market, Order, World } from './world.ts';
import { marketOf, note, ordersOf, positionOf } from './world.ts';

export function removeOrder(world: World, order: Order): void {
  world.orders = world.orders.filter((other) => other !== order);
}

export function cancelOrder(world: World, order: Order, reason: string): void {
  removeOrder(world, order);
  note(world, {
    type: 'OrderCancelled',
    order: order.order,
    account: order.account,
    market: order.market,
    side: order.side,
    reason,
    wasResting: true,
    priceAtoms: order.price,
    remainingAtoms: order.remaining,
    accountReservedAtoms: reservedOf(world, order.account),
  });
  endEntry(world, order.order);
}

/** Cancels all orders of an account in a market, the newest first. */
export function cancelAll(world: World, market: Market, account: number, reason: string): void {
  for (const order of ordersOf(world, market, account).reverse()) cancelOrder(world, order, reason);
}

/** Cuts the reduce-only orders of the accounts whose positions the step has changed. */
export function cutChanged(world: World, market: Market): void {
  for (const account of world.changed) cutReduceOnly(world, market, account);
  world.changed = [];
}

/** What an account's reduce-only orders offer beyond its position is cut, from the order that would be met last. */
export function cutReduceOnly(world: World, market: Market, account: number): void {
  const orders = ordersOf(world, market, account).filter(({ reduceOnly }) => reduceOnly);
  if (orders.length === 0) return;
  const reducible = closableBy(orders[0]!.side, positionOf(market, account));
  if (reducible === 0n) {
    for (const order of orders.reverse()) cancelOrder(world, order, 'reduce_only');
    return;
  }
  let excess = sum(orders.map(({ remaining }) => remaining)) - reducible;
  for (const order of orders.sort((one, other) => (isMetBefore(one, other) ? 1 : -1))) {
    if (excess <= 0n) return;
    const cut = smaller(excess, order.remaining);
    excess -= cut;
    if (cut === order.remaining) cancelOrder(world, order, 'reduce_only');
    else {
      order.remaining -= cut;
      noteCut(world, order, cut, true);
    }
  }
}

export function noteCut(world: World, order: Order, cutAtoms: bigint, wasResting: boolean): void {
  note(world, {
    type: 'OrderReduced',
    order: order.order,
    account: order.account,
    market: order.market,
    side: order.side,
    wasResting,
    priceAtoms: order.price,
    cutAtoms,
    remainingAtoms: order.remaining,
  });
}

/** What the reduce-only orders of an account that are met before a new one leave of a quantity to close. */
export function reducibleBeside(
  world: World,
  place: Pick<Order, 'account' | 'market' | 'side' | 'price'>,
  closable: bigint,
): bigint {
  const own = ordersOf(world, marketOf(world, place.market)!, place.account);
  const newest = { ...place, arrival: Number.POSITIVE_INFINITY };
  const before = own.filter((other) => other.reduceOnly && isMetBefore(other, newest));
  return larger(0n, closable - sum(before.map(({ remaining }) => remaining)));
}
