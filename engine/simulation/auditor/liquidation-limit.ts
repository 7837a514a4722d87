/**
 * The worst price at which a liquidation may trade in the book: near its price at first, then further with each eighth of the way to the
 * price where half of the requirement is lost, and at last the further of the bankruptcy price and the mark.
 */
import type { Listing } from './listing.ts';
import type { Holding } from './position-rules.ts';
import { bankruptcyPriceFor, isDue, isHalfLost } from './position-rules.ts';
import { shareDown, shareUp } from './rounding.ts';

const PARTS = 8;
const HIGHEST_TICK = 2 ** 26;

/** The part of a market that the limit depends on. */
interface PricedMarket {
  readonly mark: number;
  readonly index: { readonly price: number };
  readonly listing: Listing;
}

export function liquidationLimitFor(market: PricedMarket, holding: Holding): number {
  const { mark, listing } = market;
  const { priceBandBps, minPriceAtoms, maxPriceAtoms, autoDeleveraging } = listing.specification;
  const bankruptcy = bankruptcyPriceFor(holding, listing);
  const due = duePrice(market, holding);
  const parts = partsLost(due, holding, listing) + 1;
  if (holding.signedBase > 0) {
    const band = Math.max(minPriceAtoms, shareUp(mark, 10_000 - priceBandBps, 10_000));
    if (!autoDeleveraging) return band;
    return Math.max(band, parts < PARTS ? due - shareDown(due - bankruptcy, parts, PARTS) : Math.min(bankruptcy, mark));
  }
  const band = Math.min(maxPriceAtoms, shareDown(mark, 10_000 + priceBandBps, 10_000));
  if (!autoDeleveraging) return band;
  return Math.min(band, parts < PARTS ? due + shareDown(bankruptcy - due, parts, PARTS) : Math.max(bankruptcy, mark));
}

/** The better of mark and index for the owner. */
function duePrice({ mark, index }: PricedMarket, { signedBase }: Holding): number {
  return signedBase > 0 ? Math.max(mark, index.price) : Math.min(mark, index.price);
}

/** How many whole parts of the way from the liquidation price to half of the requirement a price has gone; −1 before that way. */
export function partsLost(price: number, holding: Holding, listing: Listing): number {
  const from = firstTick(listing, holding, isDue);
  const to = firstTick(listing, holding, isHalfLost);
  const way = Math.abs(to - from);
  const gone = holding.signedBase > 0 ? from - price : price - from;
  let parts = -1;
  while (parts < PARTS && gone >= Math.floor((way * (parts + 1)) / PARTS)) parts += 1;
  return parts;
}

/** The first tick in the direction of a loss at which a condition of the position holds, by bisection. */
function firstTick(listing: Listing, holding: Holding, holds: typeof isDue): number {
  const isLong = holding.signedBase > 0;
  let [low, high] = [1, HIGHEST_TICK + 1];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if (holds(middle, holding, listing) === isLong) low = middle + 1;
    else high = middle;
  }
  return isLong ? low - 1 : low;
}
