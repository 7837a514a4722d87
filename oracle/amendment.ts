/** Changes an open order. A smaller quantity at its price keeps its place; otherwise it leaves the book and is placed again. */

import { openOrderOf } from './cancellation.ts';
import type { Amendment, OrderRequest } from './command.ts';
import { reservedOf } from './margin.ts';
import { checkAmended, checkQuantity } from './order-checks.ts';
import { type Placement, planOf } from './order-plan.ts';
import { carryOut } from './placement.ts';
import { listedMarket } from './prices.ts';
import { refuseIf } from './refused.ts';
import { removeOrder } from './resting.ts';
import { checkLegsAt } from './trigger-placement.ts';
import type { Order, World } from './world.ts';
import { note } from './world.ts';

export function amendOrder(world: World, account: number, amendment: Amendment): void {
  const order = openOrderOf(world, account, amendment.order);
  refuseIf(order.market !== amendment.market, 'order_not_found');
  refuseIf(order.expiresAt !== 0n && order.expiresAt <= world.now, 'order_not_open', 0n, order.order);
  const market = listedMarket(world, order.market);
  const price = amendment.priceAtoms === 0 ? order.price : BigInt(amendment.priceAtoms);
  const quantity = amendment.quantityAtoms === 0 ? order.filled + order.remaining : BigInt(amendment.quantityAtoms);
  const remaining = quantity - order.filled;
  refuseIf(remaining <= 0n, 'quantity_already_filled', order.filled);
  checkQuantity(market, quantity);
  const was = { price: order.price, remaining: order.remaining };
  if (price === order.price && remaining <= order.remaining) {
    order.remaining = remaining;
    noteAmended(world, order, was, { price, quantity, remaining, placement: undefined, mark: order.placedAtMark });
    return;
  }
  if (price !== order.price) checkLegsAt(world, market, order.order, price);
  removeOrder(world, order);
  const request = requestOf(order, price, remaining);
  checkAmended(world, market, account, request, order.filled);
  const placement = planOf(world, market, account, request, order.leverageHundredths);
  noteAmended(world, order, was, { price, quantity, remaining, placement, mark: market.mark });
  carryOut(world, market, placement, order);
}

function requestOf(order: Order, price: bigint, remaining: bigint): OrderRequest {
  const { market, side, reduceOnly, postOnly } = order;
  const terms = { kind: 'limit', priceAtoms: Number(price), quantityAtoms: Number(remaining), postOnly } as const;
  return { market, clientOrderId: '', side, terms, reduceOnly, leverageHundredths: Number(order.leverageHundredths) };
}

interface Amended {
  readonly price: bigint;
  readonly quantity: bigint;
  readonly remaining: bigint;
  /** Of an order that loses its place. */
  readonly placement: Placement | undefined;
  readonly mark: bigint;
}

function noteAmended(world: World, order: Order, was: Pick<Order, 'price' | 'remaining'>, to: Amended): void {
  note(world, {
    type: 'OrderAmended',
    order: order.order,
    account: order.account,
    market: order.market,
    side: order.side,
    wasPriceAtoms: was.price,
    wasRemainingAtoms: was.remaining,
    priceAtoms: to.price,
    quantityAtoms: to.quantity,
    remainingAtoms: to.remaining,
    keepsPlace: to.placement === undefined,
    markPriceAtoms: to.mark,
    initialMarginBps: to.placement?.initialMarginBps ?? order.initialMarginBps,
    accountReservedAtoms: reservedOf(world, order.account),
  });
}
