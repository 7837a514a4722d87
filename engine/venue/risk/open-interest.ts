/**
 * The initial margin rises with the open interest of a market, so that a position that is split over many accounts does not evade the
 * tiers: `base + (1 − base) × (open interest − lower) ÷ (upper − lower)`, from the market's own rate at the lower bound to the whole
 * notional at the upper one (as in dYdX v4). The maintenance margin does not change.
 */
import type { Bps, QuoteAtoms } from '#units/money.ts';
import { minus, mulDivUp, plus, smallerOf, WHOLE_BPS, ZERO_QUOTE } from '#units/money.ts';
import type { Market } from '#venue/market/market.ts';
import type { MarketSpecification, OpenInterestBounds } from '#venue/market/specification.ts';
import type { PlaceOrder } from '#venue/order/order-terms.ts';
import type { Holding } from '#venue/position/position.ts';
import { closableBy } from '#venue/position/position.ts';
import type { Turn } from '#venue/turn.ts';
import { initialMarginBpsAt } from './initial-margin.ts';

/** The part of a market that its open interest depends on. */
export interface OpenInterest {
  readonly specification: Pick<MarketSpecification, 'openInterest'>;
  readonly longBaseAtoms: number;
  /** Money atoms of one lot at the mark. */
  readonly lotAtoms: QuoteAtoms;
}

/** A rate at an open interest, rounded up. Without bounds it is the rate itself. */
export function marginAtOpenInterest(rate: Bps, openInterestAtoms: QuoteAtoms, bounds: OpenInterestBounds | undefined): Bps {
  if (bounds === undefined || openInterestAtoms <= bounds.lowerAtoms) return rate;
  if (openInterestAtoms >= bounds.upperAtoms) return WHOLE_BPS as Bps;
  const above = minus(openInterestAtoms, bounds.lowerAtoms);
  return plus(rate, mulDivUp<number>(WHOLE_BPS - rate, above, minus(bounds.upperAtoms, bounds.lowerAtoms)) as Bps);
}

/** The notional of all long positions at the mark, at most one lot above the upper bound: beyond it nothing changes. */
export function openInterestAtomsOf({ specification, longBaseAtoms, lotAtoms }: OpenInterest): QuoteAtoms {
  const bounds = specification.openInterest;
  if (bounds === undefined || lotAtoms === 0) return ZERO_QUOTE;
  const lotsToUpper = mulDivUp<number>(bounds.upperAtoms, 1, lotAtoms);
  return (smallerOf(longBaseAtoms, lotsToUpper) * lotAtoms) as QuoteAtoms;
}

/** The open interest that the rates of a market depend on, 0 if they do not. */
export function ratedOpenInterest({ rules }: Pick<Turn, 'rules'>, market: Market): QuoteAtoms {
  return rules.scalesMargin ? openInterestAtomsOf(openInterestIn(market)) : ZERO_QUOTE;
}

/** Whether an open interest raises the rates of a market. */
export function isCrowded({ openInterest }: OpenInterest['specification'], openInterestAtoms: QuoteAtoms): boolean {
  return openInterest !== undefined && openInterestAtoms > openInterest.lowerAtoms;
}

/** The initial margin rate of an exposure at an open interest. */
export function initialMarginIn(specification: MarketSpecification, exposure: QuoteAtoms, openInterestAtoms: QuoteAtoms): Bps {
  return marginAtOpenInterest(initialMarginBpsAt(exposure, specification), openInterestAtoms, specification.openInterest);
}

/** The open interest that counts for an order: as if all of it opened. An order that only closes adds nothing and needs no higher rate. */
export function openInterestWith(
  turn: Turn,
  market: Market,
  holding: Readonly<Holding>,
  order: PlaceOrder,
  notional: QuoteAtoms,
): QuoteAtoms {
  if (market.specification.openInterest === undefined || onlyCloses(order, holding)) return ZERO_QUOTE;
  return turn.rules.scalesMargin ? plus(ratedOpenInterest(turn, market), notional) : ZERO_QUOTE;
}

function onlyCloses({ side, terms, reduceOnly }: PlaceOrder, holding: Readonly<Holding>): boolean {
  if (reduceOnly) return true;
  return (
    (terms.kind === 'limit' || terms.kind === 'band_limit' || terms.kind === 'market') &&
    terms.quantityAtoms <= closableBy(side, holding)
  );
}

function openInterestIn({ specification, positions, markPriceAtoms, tickLotAtoms }: Market): OpenInterest {
  const lotAtoms = (markPriceAtoms * tickLotAtoms) as QuoteAtoms;
  return { specification, longBaseAtoms: positions.longBaseAtoms, lotAtoms };
}
