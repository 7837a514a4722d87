/** What a resting order lacks to fill at the current mark. Cash of its account pays it, or the order is cancelled when it is met. */
import { larger, smaller, sum } from './arithmetic.ts';
import { isMetBefore } from './book.ts';
import { closableBy, paysClosingFeeAt } from './equity.ts';
import { fundedHolding } from './funding-payment.ts';
import { lossAgainst, missingAtMark, openingMargin, restingOf } from './margin.ts';
import { initialMarginIn, isCrowded } from './open-interest.ts';
import type { Market, Order, World } from './world.ts';
import { ordersOf, positionOf } from './world.ts';

/**
 * What a fill of up to `wanted` lacks; undefined if no cash makes it good. What the order closes must pay its fee. What it opens behind
 * the mark, or while the open interest raises the rates, must have its initial margin there.
 */
export function missingBacking(
  world: World,
  market: Market,
  order: Order,
  wanted: bigint,
  openInterest: bigint,
): bigint | undefined {
  const position = positionOf(market, order.account);
  const held = position === undefined ? undefined : fundedHolding(market, position);
  const closes = closableBy(order.side, held);
  if (closes > 0n && !paysClosingFeeAt(market, held!, order.price)) return undefined;
  const isChecked = lossAgainst(order, market.mark) > 0n || isCrowded(market.specification, openInterest);
  if (!isChecked || order.reduceOnly) return 0n;
  const opens = smaller(order.remaining, wanted) - leftToClose(world, market, order, closes);
  if (opens <= 0n) return 0n;
  const exposure = (held?.entry ?? 0n) + restingOf(world, market, order.account).notional;
  const rateBps = initialMarginIn(market.specification, exposure, openInterest);
  return missingAtMark(market, order, opens, openingMargin(market, order, opens), rateBps);
}

/** What the account's orders that are met before this one leave of its position. */
function leftToClose(world: World, market: Market, order: Order, closes: bigint): bigint {
  const before = ordersOf(world, market, order.account).filter((own) => own.side === order.side && isMetBefore(own, order));
  return larger(0n, closes - sum(before.map(({ remaining }) => remaining)));
}
