/** Whether a resting order may still fill at the current mark. Otherwise it is cancelled when an incoming order meets it. */
import { ceilDiv, larger, sum } from './arithmetic.ts';
import { isMetBefore } from './book.ts';
import { closableBy, paysClosingFeeAt } from './equity.ts';
import { fundedHolding } from './funding-payment.ts';
import { lossAgainst, notionalOf, openingMargin, restingOf, tierBpsAt } from './margin.ts';
import type { Market, Order, World } from './world.ts';
import { ordersOf, positionOf } from './world.ts';

/** What the order closes must pay its fee. What it opens behind the mark must have its maintenance margin there. */
export function isBacked(world: World, market: Market, order: Order): boolean {
  const position = positionOf(market, order.account);
  const closes = closableBy(order.side, position);
  if (closes > 0n && !paysClosingFeeAt(market, fundedHolding(market, position!), order.price)) return false;
  const loss = lossAgainst(order, market.mark);
  if (loss <= 0n || order.reduceOnly) return true;
  const opens = order.remaining - leftToClose(world, market, order, closes);
  return opens <= 0n || hasMaintenance(world, market, order, opens);
}

/** What the account's orders that are met before this one leave of its position. */
function leftToClose(world: World, market: Market, order: Order, closes: bigint): bigint {
  const before = ordersOf(world, market, order.account).filter((own) => own.side === order.side && isMetBefore(own, order));
  return larger(0n, closes - sum(before.map(({ remaining }) => remaining)));
}

function hasMaintenance(world: World, market: Market, order: Order, opens: bigint): boolean {
  const equity = openingMargin(market, order, opens) - notionalOf(market, lossAgainst(order, market.mark), opens);
  const entry = positionOf(market, order.account)?.entry ?? 0n;
  const rateBps = tierBpsAt(entry + restingOf(world, market, order.account).notional, market.specification);
  return equity >= ceilDiv(notionalOf(market, market.mark, opens) * rateBps, 10_000n);
}
