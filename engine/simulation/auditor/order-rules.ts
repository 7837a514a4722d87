/** What the venue's documents say of orders: the cash that they reserve, the margin that they lock, their fees and the price band. */
import type { Liquidity, OrderOrigin } from '#venue/event.ts';
import type { Listing } from './listing.ts';
import { shareTowardZero, shareUp } from './rounding.ts';

type Side = 'buy' | 'sell';

export interface OrderTerms {
  readonly side: Side;
  readonly priceAtoms: number;
  readonly reduceOnly: boolean;
  /** 0: the order reserves the share `initialMarginBps`. */
  readonly leverageHundredths: number;
  readonly initialMarginBps: number;
  /** The mark price when it was placed. */
  readonly markPriceAtoms: number;
}

/** The share of the notional, rounded up, and the loss that the mark price gives an opening at the order's price. */
export function openingMargin(terms: OrderTerms, quantity: number, { tickLot }: Listing): number {
  const { side, priceAtoms, leverageHundredths, initialMarginBps, markPriceAtoms } = terms;
  const notional = priceAtoms * quantity * tickLot;
  const share =
    leverageHundredths === 0 ? shareUp(notional, initialMarginBps, 10_000) : shareUp(notional, 100, leverageHundredths);
  const ticksBehind = side === 'buy' ? priceAtoms - markPriceAtoms : markPriceAtoms - priceAtoms;
  return ticksBehind > 0 ? share + ticksBehind * quantity * tickLot : share;
}

/**
 * What the margin of an opened quantity lacks to be the rate's share of its notional at the mark, after the loss there. Without a loss the
 * notional is that at its own price.
 */
export function missingAtMark(terms: OrderTerms, opened: number, mark: number, rate: number, listing: Listing): number {
  const ticksBehind = terms.side === 'buy' ? terms.priceAtoms - mark : mark - terms.priceAtoms;
  const price = ticksBehind > 0 ? mark : terms.priceAtoms;
  const loss = Math.max(0, ticksBehind) * opened * listing.tickLot;
  const needed = shareUp(price * opened * listing.tickLot, rate, 10_000) + loss;
  return Math.max(0, needed - openingMargin(terms, opened, listing));
}

/** The cash that an open order reserves: its margin and the fee of a taker, rounded up. */
export function reservationFor(terms: OrderTerms, remaining: number, listing: Listing): number {
  if (terms.reduceOnly || remaining === 0) return 0;
  const notional = terms.priceAtoms * remaining * listing.tickLot;
  return openingMargin(terms, remaining, listing) + shareUp(notional, listing.specification.takerFeeBps, 10_000);
}

/**
 * The fee of a client's trade, rounded toward zero; a deleveraging has no fee. A rebate is never more than what the taker
 * pays. The taker of a liquidation pays no more than the fill gains compared with the bankruptcy price (`gain`).
 */
export function feeFor(
  origin: OrderOrigin,
  liquidity: Liquidity,
  notional: number,
  gain: number,
  { specification }: Listing,
): number {
  if (origin === 'auto_deleveraging') return 0;
  const whole = shareTowardZero(notional, specification.takerFeeBps, 10_000);
  const taker = origin === 'liquidation' ? Math.max(0, Math.min(gain, whole)) : whole;
  if (liquidity === 'taker') return taker;
  return Math.max(-taker, shareTowardZero(notional, specification.makerFeeBps, 10_000)) + 0;
}

/** Whether a fill without a limit price is within the band around the mark price. */
export function isWithinBand(side: Side, price: number, mark: number, { specification: { priceBandBps } }: Listing): boolean {
  return side === 'buy' ? price * 10_000 <= mark * (10_000 + priceBandBps) : price * 10_000 >= mark * (10_000 - priceBandBps);
}

/** The worst price that the band permits: the limit of an order that was sent without one. */
export function isEndOfBand(side: Side, price: number, mark: number, listing: Listing): boolean {
  if (!isWithinBand(side, price, mark, listing)) return false;
  const { minPriceAtoms, maxPriceAtoms } = listing.specification;
  if (side === 'buy') return price === maxPriceAtoms || !isWithinBand(side, price + 1, mark, listing);
  return price === minPriceAtoms || !isWithinBand(side, price - 1, mark, listing);
}

/** An exposure permits the whole leverages whose margin is at least its initial margin, and what is below them. */
export function permitsLeverage(initialMarginBps: number, leverageHundredths: number): boolean {
  return Math.ceil(leverageHundredths / 100) * initialMarginBps <= 10_000;
}
