/**
 * What opening costs and what an open order holds for it: the margin of what it may still open, the loss against the
 * mark that it would open with, and the fee of what it may still fill. Reduce-only orders hold nothing: what they close
 * pays for itself.
 */
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfTowardZero, bpsOfUp, minus, mulDivDown, mulDivUp, plus, ZERO_QUOTE } from '#units/money.ts';
import type { Liquidity } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';

/** The terms of an order that say what opening with it costs. */
export interface OpeningTerms {
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  /** The mark when the order was placed. */
  readonly markPriceAtoms: PriceAtoms;
  /** 0 asks for the initial margin: the share `initialMarginBps`. */
  readonly leverageX: number;
  readonly initialMarginBps: Bps;
}

/**
 * The margin that opening a quantity locks: the share of its notional (the initial one, or one part in
 * `leverageX`), rounded up, and all of what the position would have lost already at the mark. Without the latter two
 * accounts could trade with each other far from the mark, and leave the loss of one to the venue.
 */
export function openingMargin(market: Market, terms: OpeningTerms, quantity: BaseAtoms): QuoteAtoms {
  const { side, priceAtoms, markPriceAtoms, leverageX, initialMarginBps } = terms;
  const notional = market.notional(priceAtoms, quantity);
  const share = leverageX === 0 ? bpsOfUp(notional, initialMarginBps) : mulDivUp(notional, 1, leverageX);
  const behind = side === 'buy' ? minus(priceAtoms, markPriceAtoms) : minus(markPriceAtoms, priceAtoms);
  return behind > 0 ? plus(share, market.notional(behind, quantity)) : share;
}

/** What an order with `remaining` to fill holds of its account's cash. */
export function reservationOf(market: Market, terms: OpeningTerms, remaining: BaseAtoms): QuoteAtoms {
  const fee = bpsOfUp(market.notional(terms.priceAtoms, remaining), market.specification.takerFeeBps);
  return plus(openingMargin(market, terms, remaining), fee);
}

/**
 * The margin that the next `filled` of an open order takes out of its reservation. It is the difference of two
 * requirements that were rounded up, so the shares of all fills add up to what was reserved, to the atom.
 */
export function marginShare(market: Market, terms: OpeningTerms, remaining: BaseAtoms, filled: BaseAtoms): QuoteAtoms {
  return minus(openingMargin(market, terms, remaining), openingMargin(market, terms, minus(remaining, filled)));
}

/**
 * The fee of a fill, rounded toward zero: the remainder stays with the account that pays. Rounded down, a maker's fee
 * always fits into what its order gives back of the fee that it reserved.
 */
export function fillFee(market: Market, notional: QuoteAtoms, liquidity: Liquidity): QuoteAtoms {
  const { makerFeeBps, takerFeeBps } = market.specification;
  return bpsOfTowardZero(notional, (liquidity === 'maker' ? makerFeeBps : takerFeeBps) as Bps);
}

/** The part of a fill's fee that falls on what it closes, rounded toward zero; what it opens has the rest. */
export function closingFeeOf(feeAtoms: QuoteAtoms, closed: BaseAtoms, quantity: BaseAtoms): QuoteAtoms {
  if (closed === quantity) return feeAtoms;
  if (closed === 0) return ZERO_QUOTE;
  return feeAtoms < 0
    ? minus(ZERO_QUOTE, mulDivDown(minus(ZERO_QUOTE, feeAtoms), closed, quantity))
    : mulDivDown(feeAtoms, closed, quantity);
}
