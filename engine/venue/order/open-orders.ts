/** Finds an account's open orders, for callers that decide which commands to submit. Changes nothing. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueState } from '#venue/state.ts';
import { NO_SLOT, type Slot } from './order-table.ts';

/** An order's number, or its client order id. */
export type OrderName = OrderOrdinal | { readonly clientOrderId: string };

/** The named orders in the given order, and those of them that are open and the account's, each once. */
export interface NamedOrders {
  readonly orders: readonly OrderOrdinal[];
  readonly open: readonly OrderOrdinal[];
}

/** Returns `undefined` if a client order id is not stored any more: an order that once had it may still be open. */
export function ordersNamed(
  state: VenueState,
  ordinal: AccountOrdinal,
  names: readonly OrderName[],
  now: EpochMs,
): NamedOrders | undefined {
  const account = state.account(ordinal)!;
  const orders: OrderOrdinal[] = [];
  for (const name of names) {
    const order = typeof name === 'number' ? name : state.clientOrderIds.orderOf(account, name.clientOrderId, now);
    if (order === undefined) return undefined;
    orders.push(order);
  }
  return { orders, open: [...new Set(orders)].filter((order) => isOpen(state, ordinal, order)) };
}

/** All open orders of an account, in one market or in all, from the oldest to the newest. */
export function openOrdersOf(state: VenueState, ordinal: AccountOrdinal, market?: MarketOrdinal): readonly OrderOrdinal[] {
  const { positions } = state.account(ordinal)!;
  const open: OrderOrdinal[] = [];
  for (const position of market === undefined ? positions : [positions[market]]) {
    let slot = (position?.firstOwnOrder ?? NO_SLOT) as Slot;
    for (; slot !== NO_SLOT; slot = state.orders.ownAfter[slot]! as Slot) open.push(state.orders.orderOf(slot));
  }
  for (const listed of market === undefined ? state.markets : [state.market(market)]) {
    if (listed !== undefined) for (const { order } of state.triggers.of(ordinal, listed.ordinal)) open.push(order);
  }
  return open.sort((left, right) => left - right);
}

function isOpen({ orders, triggers }: VenueState, account: AccountOrdinal, order: OrderOrdinal): boolean {
  const slot = orders.slotOf(order);
  return slot === NO_SLOT ? triggers.find(order)?.account === account : orders.accountOf(slot) === account;
}
