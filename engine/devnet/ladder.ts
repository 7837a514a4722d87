/**
 * The quotes of a maker: twelve levels per side, dense near the index and sparse out to 8.5 %. A position skews the whole ladder
 * against it and shrinks the side that would add to it, so that trading reduces the position; neither side is ever empty.
 */
import type { OrderPlacement } from '#contract/orders.ts';

export type Side = OrderPlacement['side'];

/** Distance from the index and notional of each level: basis points, and dollars. */
const LEVELS: readonly { readonly offsetBps: number; readonly notional: number }[] = [
  { offsetBps: 2, notional: 20_000 },
  { offsetBps: 4, notional: 30_000 },
  { offsetBps: 7, notional: 45_000 },
  { offsetBps: 12, notional: 60_000 },
  { offsetBps: 20, notional: 90_000 },
  { offsetBps: 35, notional: 130_000 },
  { offsetBps: 60, notional: 200_000 },
  { offsetBps: 110, notional: 300_000 },
  { offsetBps: 200, notional: 450_000 },
  { offsetBps: 350, notional: 650_000 },
  { offsetBps: 550, notional: 900_000 },
  { offsetBps: 850, notional: 1_200_000 },
];

/** How far a position at its limit moves the ladder. */
const MAX_SKEW_BPS = 6;
/** The remaining share, at the limit, of the side that would add to the position. */
const MIN_SHARE = 0.25;

/** The scales and bounds of a market, from the catalogue. */
export interface QuotedMarket {
  readonly priceScale: number;
  readonly quantityScale: number;
  readonly minPriceAtoms: number;
  readonly maxPriceAtoms: number;
  readonly minQuantityAtoms: number;
  readonly maxQuantityAtoms: number;
}

export interface Quote {
  /** Side and level: `b0` is the best bid, `a11` the farthest ask. */
  readonly slot: string;
  readonly side: Side;
  readonly priceAtoms: number;
  readonly quantityAtoms: number;
  /** A resting order within this distance of the price needs no replacement. */
  readonly toleranceAtoms: number;
}

/**
 * The quotes for an index. `lean` is the position as a share of its limit, from -1 (short) to 1 (long). Bids are rounded down and
 * asks up, so that bids stay below asks however coarse the tick is.
 */
export function ladderOf(market: QuotedMarket, indexPrice: number, lean: number): Quote[] {
  const bounded = Math.max(-1, Math.min(1, lean));
  const center = indexPrice * (1 - (bounded * MAX_SKEW_BPS) / 10_000);
  return LEVELS.flatMap(({ offsetBps, notional }, level) => [
    quoteOf(market, center, 'buy', level, offsetBps, notional * shareOf(bounded)),
    quoteOf(market, center, 'sell', level, offsetBps, notional * shareOf(-bounded)),
  ]);
}

/** Shrinks only the side that would add to the position. */
function shareOf(lean: number): number {
  return 1 - Math.max(0, lean) * (1 - MIN_SHARE);
}

function quoteOf(market: QuotedMarket, center: number, side: Side, level: number, offsetBps: number, notional: number): Quote {
  const tick = 10 ** market.priceScale;
  const offset = center * (offsetBps / 10_000);
  const price = side === 'buy' ? Math.floor((center - offset) * tick) : Math.ceil((center + offset) * tick);
  const quantity = Math.round((notional / center) * 10 ** market.quantityScale);
  return {
    slot: `${side === 'buy' ? 'b' : 'a'}${level}`,
    side,
    priceAtoms: Math.max(market.minPriceAtoms, Math.min(market.maxPriceAtoms, price)),
    quantityAtoms: Math.max(market.minQuantityAtoms, Math.min(market.maxQuantityAtoms, quantity)),
    toleranceAtoms: Math.max(1, Math.round(offset * tick * 0.3)),
  };
}
