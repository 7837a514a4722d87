/**
 * The quotes of a maker: twelve levels per side, dense near the index and sparse out to 8.5 %. A position skews the whole ladder
 * against it and shrinks the side that would add to it, so that trading reduces the position; neither side is ever empty.
 */
import type { OrderPlacement } from '#contract/orders.ts';

export type Side = OrderPlacement['side'];

/** Distance from the index and notional of each level: basis points, and dollars. */
const LEVELS: readonly { readonly offsetBps: number; readonly worth: number }[] = [
  { offsetBps: 2, worth: 20_000 },
  { offsetBps: 4, worth: 30_000 },
  { offsetBps: 7, worth: 45_000 },
  { offsetBps: 12, worth: 60_000 },
  { offsetBps: 20, worth: 90_000 },
  { offsetBps: 35, worth: 130_000 },
  { offsetBps: 60, worth: 200_000 },
  { offsetBps: 110, worth: 300_000 },
  { offsetBps: 200, worth: 450_000 },
  { offsetBps: 350, worth: 650_000 },
  { offsetBps: 550, worth: 900_000 },
  { offsetBps: 850, worth: 1_200_000 },
];

/** How far a position at its limit moves the ladder. */
const LARGEST_LEAN_BPS = 6;
/** The remaining share, at the limit, of the side that would add to the position. */
const SMALLEST_SHARE = 0.25;

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
  const center = indexPrice * (1 - (bounded * LARGEST_LEAN_BPS) / 10_000);
  return LEVELS.flatMap(({ offsetBps, worth }, level) => [
    quoteOf(market, center, 'buy', level, offsetBps, worth * shareOf(bounded)),
    quoteOf(market, center, 'sell', level, offsetBps, worth * shareOf(-bounded)),
  ]);
}

/** Shrinks only the side that would add to the position. */
function shareOf(lean: number): number {
  return 1 - Math.max(0, lean) * (1 - SMALLEST_SHARE);
}

function quoteOf(market: QuotedMarket, center: number, side: Side, level: number, offsetBps: number, worth: number): Quote {
  const tick = 10 ** market.priceScale;
  const offset = center * (offsetBps / 10_000);
  const wanted = side === 'buy' ? Math.floor((center - offset) * tick) : Math.ceil((center + offset) * tick);
  const quantity = Math.round((worth / center) * 10 ** market.quantityScale);
  return {
    slot: `${side === 'buy' ? 'b' : 'a'}${level}`,
    side,
    priceAtoms: Math.max(market.minPriceAtoms, Math.min(market.maxPriceAtoms, wanted)),
    quantityAtoms: Math.max(market.minQuantityAtoms, Math.min(market.maxQuantityAtoms, quantity)),
    toleranceAtoms: Math.max(1, Math.round(offset * tick * 0.3)),
  };
}
