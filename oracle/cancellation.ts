/** Ends open orders: for their owners, those that have expired, and those of timers. */
import { Refused, refuseIf } from './refused.ts';
import { cancelOrder } from './resting.ts';
import { dueTimers, runTimers } from './timers.ts';
import { cancelWaiting } from './waiting.ts';
import type { Order, World } from './world.ts';
import { accountOf } from './world.ts';

const ENDED_PER_TURN = 100;

export function cancelForOwner(world: World, account: number, ordinal: number): void {
  const waiting = world.waiting.find((it) => it.order === ordinal && it.account === account);
  if (waiting !== undefined) cancelWaiting(world, waiting, 'user');
  else cancelOrder(world, openOrderOf(world, account, ordinal), 'user');
}

export function openOrderOf(world: World, account: number, ordinal: number): Order {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
  refuseIf(ordinal < 1 || ordinal > world.lastOrder, 'order_not_found');
  // One that waits for a price is open, but not in the book.
  const waiting = world.waiting.find((it) => it.order === ordinal);
  if (waiting !== undefined) throw new Refused(waiting.account === account ? 'order_not_amendable' : 'order_not_found');
  const order = world.orders.find((it) => it.order === ordinal);
  if (order === undefined) throw new Refused('order_not_open', 0n, ordinal);
  refuseIf(order.account !== account, 'order_not_found');
  return order;
}

/** The orders that expired first end first, then those with lower numbers; then those of timers. */
export function endDueOrders(world: World): void {
  const due = world.orders.filter(({ expiresAt }) => expiresAt !== 0n && expiresAt <= world.now);
  const hasTimers = world.fired.length > 0 || dueTimers(world).length > 0;
  refuseIf(due.length === 0 && !hasTimers, 'nothing_to_advance');
  due.sort((one, other) => Number(one.expiresAt - other.expiresAt) || one.order - other.order);
  for (const order of due.slice(0, ENDED_PER_TURN)) cancelOrder(world, order, 'expired');
  runTimers(world, Math.max(0, ENDED_PER_TURN - due.length));
}
