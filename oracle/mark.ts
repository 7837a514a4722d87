/** The mark: the index and the median of zero and of the average distances of book and trades from it, within a band. */
import { ceilDiv, clamp, floorDiv, smaller, towardZero } from './arithmetic.ts';
import { levelsOf } from './book.ts';
import type { Side } from './command.ts';
import { notionalOf } from './margin.ts';
import { restingMayOpen } from './status.ts';
import type { Market, World } from './world.ts';

const WHOLE_BPS = 10_000n;
const MICRO_TICKS = 1_000_000n;
const WINDOW_MS = 30_000n;
const MAX_OBSERVATION_MS = 5_000n;
const MAX_TRADED = 2n ** 51n;
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

/** What an accepted index price makes of the mark. `lastIndex` is the index before, 0 if it was not current. */
export function updateMark(
  world: World,
  market: Market,
  bids: Impact | undefined,
  asks: Impact | undefined,
  lastIndex: bigint,
): void {
  observe(world, market, bookPriceOf(market, bids, asks), lastIndex);
  const { averages, index, specification } = market;
  const trades = towardZero(
    averages.tradeMicroTicks * averages.traded,
    averages.traded + BigInt(specification.impactNotionalAtoms),
  );
  const distances = [0n, averages.bookMicroTicks, trades].sort((one, other) => Number(one - other));
  const band = BigInt(specification.markBandBps);
  const lowest = ceilDiv(index.price * (WHOLE_BPS - band), WHOLE_BPS);
  const highest = floorDiv(index.price * (WHOLE_BPS + band), WHOLE_BPS);
  market.mark = clamp(index.price + towardZero(distances[1]!, MICRO_TICKS), lowest, highest);
}

/** Both averages decay over 30 seconds. The book counts for the time since the last price, trades count by their notional. */
function observe(world: World, market: Market, bookPrice: bigint, lastIndex: bigint): void {
  const { averages: last, index } = market;
  const elapsed = world.now - last.updatedAt;
  const whole = WINDOW_MS + elapsed;
  const sample = distanceOf(market, bookPrice, index.price);
  const kept = floorDiv(last.traded * WINDOW_MS, whole);
  const added = lastIndex === 0n ? 0n : last.newTraded;
  const all = kept + added;
  market.averages = {
    bookMicroTicks:
      towardZero(last.bookMicroTicks * WINDOW_MS, whole) + towardZero(sample * smaller(elapsed, MAX_OBSERVATION_MS), whole),
    tradeMicroTicks:
      added === 0n
        ? last.tradeMicroTicks
        : towardZero(last.tradeMicroTicks * kept, all) + towardZero(tradeDistanceOf(market, lastIndex) * added, all),
    traded: added === 0n ? kept : smaller(MAX_TRADED, all),
    updatedAt: world.now,
    newTraded: 0n,
    newBase: 0n,
  };
}

/** The distance of the average price of the new trades, rounded to a tick toward the index of their time. */
function tradeDistanceOf(market: Market, index: bigint): bigint {
  const { newTraded, newBase } = market.averages;
  const tick = notionalOf(market, 1n, newBase);
  const price = newTraded >= tick * index ? floorDiv(newTraded, tick) : ceilDiv(newTraded, tick);
  return distanceOf(market, price, index);
}

function distanceOf({ specification }: Market, price: bigint, index: bigint): bigint {
  const band = floorDiv(index * BigInt(specification.markBandBps), WHOLE_BPS);
  return clamp(price - index, -band, band) * MICRO_TICKS;
}

/** Trades of clients count for the mark. */
export function countTrade({ averages }: Market, notional: bigint, quantity: bigint): void {
  if (averages.newTraded > MAX_TRADED) return;
  averages.newTraded += notional;
  averages.newBase += quantity;
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
