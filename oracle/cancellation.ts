/** Cancels an order for its owner. */
import { Refused, refuseIf } from './refused.ts';
import { cancelOrder } from './resting.ts';
import type { World } from './world.ts';
import { accountOf } from './world.ts';

export function cancelForOwner(world: World, account: number, ordinal: number): void {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
  refuseIf(ordinal < 1 || ordinal > world.lastOrder, 'order_not_found');
  const order = world.orders.find((it) => it.order === ordinal);
  if (order === undefined) throw new Refused('order_not_open', 0n, ordinal);
  refuseIf(order.account !== account, 'order_not_found');
  cancelOrder(world, order, 'user');
}
