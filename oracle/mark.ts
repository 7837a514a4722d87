/** The mark: the median of index, book and last trade, within a band around the index. */
import { ceilDiv, clamp, floorDiv, smaller } from './arithmetic.ts';
import { levelsOf } from './book.ts';
import type { Side } from './command.ts';
import { notionalOf } from './margin.ts';
import { restingMayOpen } from './status.ts';
import type { Market, World } from './world.ts';

const WHOLE_BPS = 10_000n;
/** A last trade counts for so many times the maximum age of an index price. */
const LAST_TRADE_AGES = 6n;
const MAX_LEVELS = 10_000;

/** What the impact notional buys or sells: the impact price is notional ÷ base. */
export interface Impact {
  readonly notional: bigint;
  readonly base: bigint;
}

/** The impact of a side: whole lots, best price first, until the impact notional is reached. Undefined if the side is too thin. */
export function impactOf(world: World, market: Market, side: Side): Impact | undefined {
  if (!restingMayOpen(world, market)) return undefined;
  const wanted = BigInt(market.specification.impactNotionalAtoms);
  let [notional, base] = [0n, 0n];
  const levels = levelsOf(world, market, side);
  for (const { price, quantity } of levels.slice(0, MAX_LEVELS)) {
    const lots = smaller(quantity, ceilDiv(wanted - notional, notionalOf(market, price, 1n)));
    notional += notionalOf(market, price, lots);
    base += lots;
    if (notional >= wanted) return { notional, base };
  }
  return levels.length > MAX_LEVELS && base > 0n ? { notional, base } : undefined;
}

export function markOf(world: World, market: Market, bids: Impact | undefined, asks: Impact | undefined): bigint {
  const { index, specification } = market;
  const isTraded =
    market.lastPrice !== 0n && world.now - market.lastTradedAt <= BigInt(specification.maxIndexAgeMs) * LAST_TRADE_AGES;
  const candidates = [index.price, bookPriceOf(market, bids, asks), isTraded ? market.lastPrice : index.price];
  const median = candidates.sort((one, other) => Number(one - other))[1]!;
  const band = BigInt(specification.markBandBps);
  const lowest = ceilDiv(index.price * (WHOLE_BPS - band), WHOLE_BPS);
  const highest = floorDiv(index.price * (WHOLE_BPS + band), WHOLE_BPS);
  return clamp(median, lowest, highest);
}

/** The middle of the impact prices, which are whole ticks, rounded toward the index. The index, if a side is too thin. */
function bookPriceOf(market: Market, bids: Impact | undefined, asks: Impact | undefined): bigint {
  const index = market.index.price;
  if (bids === undefined || asks === undefined) return index;
  const bid = floorDiv(bids.notional, notionalOf(market, 1n, bids.base));
  const ask = ceilDiv(asks.notional, notionalOf(market, 1n, asks.base));
  return bid + ask >= index * 2n ? floorDiv(bid + ask, 2n) : ceilDiv(bid + ask, 2n);
}

/** The worst price at which an order of this side may trade: the end of the price band, within the bounds of the market. */
export function bandPriceOf({ specification, mark }: Market, side: Side): bigint {
  const band = BigInt(specification.priceBandBps);
  if (side === 'buy') return smaller(BigInt(specification.maxPriceAtoms), floorDiv(mark * (WHOLE_BPS + band), WHOLE_BPS));
  const lowest = ceilDiv(mark * (WHOLE_BPS - band), WHOLE_BPS);
  return lowest < BigInt(specification.minPriceAtoms) ? BigInt(specification.minPriceAtoms) : lowest;
}
