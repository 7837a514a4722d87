/**
 * The cost of opening, and the reservation of an open order: the margin of its remaining quantity, the loss against the mark
 * price with which it would open, and the fee. Reduce-only orders reserve nothing: the proceeds of closing pay their fee.
 */
import { ONE_X } from '#units/leverage.ts';
import type { BaseAtoms, Bps, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { bpsOfTowardZero, bpsOfUp, largerOf, minus, mulDivDown, mulDivUp, plus, ZERO_QUOTE } from '#units/money.ts';
import type { Liquidity } from '#venue/event.ts';
import type { Market } from '#venue/market/market.ts';
import type { Side } from '#venue/order/order-terms.ts';
import type { RiskRules } from '#venue/risk/risk-rules.ts';

/** The terms of an order that determine the cost of opening with it. */
export interface OpeningTerms {
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  /** The mark price when the order was placed. */
  readonly markPriceAtoms: PriceAtoms;
  /** 0 uses the initial margin of the exposure: the share `initialMarginBps`. */
  readonly leverageHundredths: number;
  readonly initialMarginBps: Bps;
}

/**
 * The margin that opening a quantity locks: notional × initialMarginBps, or notional ÷ leverage if set, rounded up, plus the
 * loss that the position has at the mark price when it opens. Without that loss, two accounts could trade with each other far
 * from the mark price and leave the loss of one to the venue.
 */
export function openingMargin(market: Market, terms: OpeningTerms, quantity: BaseAtoms): QuoteAtoms {
  const { side, priceAtoms, markPriceAtoms, leverageHundredths, initialMarginBps } = terms;
  const notional = market.notional(priceAtoms, quantity);
  const share = leverageHundredths === 0 ? bpsOfUp(notional, initialMarginBps) : mulDivUp(notional, ONE_X, leverageHundredths);
  const behind = side === 'buy' ? minus(priceAtoms, markPriceAtoms) : minus(markPriceAtoms, priceAtoms);
  return behind > 0 ? plus(share, market.notional(behind, quantity)) : share;
}

/**
 * What `marginAtoms` lacks to be the initial margin of an opened quantity at the current mark: the rate's share of the notional at the
 * mark, and the loss. Without a loss, it is the share of the notional at the order's price: a profit is no margin.
 */
export function missingAtMark(
  market: Market,
  { side, priceAtoms }: Pick<OpeningTerms, 'side' | 'priceAtoms'>,
  opened: BaseAtoms,
  marginAtoms: QuoteAtoms,
  rate: Bps,
): QuoteAtoms {
  const { markPriceAtoms: mark } = market;
  const behind = side === 'buy' ? minus(priceAtoms, mark) : minus(mark, priceAtoms);
  const needed =
    behind > 0
      ? plus(bpsOfUp(market.notional(mark, opened), rate), market.notional(behind, opened))
      : bpsOfUp(market.notional(priceAtoms, opened), rate);
  return largerOf(ZERO_QUOTE, minus(needed, marginAtoms));
}

/**
 * The margin that a taker locks to open a quantity: `openingMargin`, and at least the initial margin at the mark. A sale far below the mark
 * would otherwise open above the highest leverage.
 */
export function takerMargin(
  market: Market,
  terms: OpeningTerms,
  opened: BaseAtoms,
  { needsInitialMargin }: RiskRules,
): QuoteAtoms {
  const margin = openingMargin(market, terms, opened);
  if (opened === 0 || terms.side === 'buy' || !needsInitialMargin) return margin;
  return plus(margin, missingAtMark(market, terms, opened, margin, terms.initialMarginBps));
}

/** The cash that an order with `remaining` to fill reserves. */
export function reservationOf(market: Market, terms: OpeningTerms, remaining: BaseAtoms): QuoteAtoms {
  const fee = bpsOfUp(market.notional(terms.priceAtoms, remaining), market.specification.takerFeeBps);
  return plus(openingMargin(market, terms, remaining), fee);
}

/**
 * The margin that a fill of `filled` takes out of an open order's reservation. It is the difference of two requirements that
 * are rounded up, so the shares of all fills add up exactly to the reserved margin.
 */
export function marginShare(market: Market, terms: OpeningTerms, remaining: BaseAtoms, filled: BaseAtoms): QuoteAtoms {
  return minus(openingMargin(market, terms, remaining), openingMargin(market, terms, minus(remaining, filled)));
}

/**
 * The fee of a fill, or a rebate if negative, rounded toward zero: the payer keeps the remainder, which is the account for a
 * fee and the venue for a rebate. A maker's fee therefore never exceeds the reserved fee that the fill releases.
 */
export function fillFee(market: Market, notional: QuoteAtoms, liquidity: Liquidity): QuoteAtoms {
  const { makerFeeBps, takerFeeBps } = market.specification;
  return bpsOfTowardZero(notional, (liquidity === 'maker' ? makerFeeBps : takerFeeBps) as Bps);
}

/** The part of a fill's fee for the quantity that it closes, rounded toward zero. The rest is for what it opens. */
export function closingFeeOf(feeAtoms: QuoteAtoms, closed: BaseAtoms, quantity: BaseAtoms): QuoteAtoms {
  if (closed === quantity) return feeAtoms;
  if (closed === 0) return ZERO_QUOTE;
  return feeAtoms < 0
    ? minus(ZERO_QUOTE, mulDivDown(minus(ZERO_QUOTE, feeAtoms), closed, quantity))
    : mulDivDown(feeAtoms, closed, quantity);
}
