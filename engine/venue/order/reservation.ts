/**
 * What an open order holds of its account's cash: the margin of what it may still open and the fee of what it may still
 * fill, each rounded up. Reduce-only orders hold nothing: what they close pays for itself.
 */
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfTowardZero, bpsOfUp, minus, mulDivUp, plus, ZERO_QUOTE } from '#units/money.ts';
import type { Liquidity } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';

/** The margin that a notional needs: the market's initial share, or one part in `leverageX` where the order says so. */
export function orderMargin(market: Market, notional: QuoteAtoms, leverageX: number): QuoteAtoms {
  return leverageX === 0 ? bpsOfUp(notional, market.specification.initialMarginBps) : mulDivUp(notional, 1, leverageX);
}

/** What an order with `remaining` to fill at `price` holds. */
export function reservationOf(
  market: Market,
  price: PriceAtoms,
  remaining: BaseAtoms,
  leverageX: number,
  reduceOnly: boolean,
): QuoteAtoms {
  if (reduceOnly) return ZERO_QUOTE;
  const notional = market.notional(price, remaining);
  return plus(orderMargin(market, notional, leverageX), bpsOfUp(notional, market.specification.takerFeeBps));
}

/**
 * The margin that the next `filled` of an open order takes out of its reservation. It is the difference of two
 * requirements that were rounded up, so the shares of all fills add up to what was reserved, to the atom.
 */
export function marginShare(
  market: Market,
  price: PriceAtoms,
  remaining: BaseAtoms,
  filled: BaseAtoms,
  leverageX: number,
): QuoteAtoms {
  const before = orderMargin(market, market.notional(price, remaining), leverageX);
  return minus(before, orderMargin(market, market.notional(price, minus(remaining, filled)), leverageX));
}

/**
 * The fee of a fill, rounded toward zero: the remainder stays with the account that pays. Rounded down, a maker's fee
 * always fits into what its order gives back of the fee that it reserved.
 */
export function fillFee(market: Market, notional: QuoteAtoms, liquidity: Liquidity): QuoteAtoms {
  const { makerFeeBps, takerFeeBps } = market.specification;
  return bpsOfTowardZero(notional, (liquidity === 'maker' ? makerFeeBps : takerFeeBps) as Bps);
}
