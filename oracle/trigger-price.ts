/** Which prices trigger orders, and in which order. */
import { ceilDiv, floorDiv, larger, smaller } from './arithmetic.ts';
import type { Side, TriggerDirection, TriggerKind, TriggerSource } from './command.ts';
import { permits } from './status.ts';
import type { Market, WaitingOrder, World } from './world.ts';

const WHOLE_BPS = 10_000n;

/** A stop that sells triggers at or below its price, a take-profit that sells at or above. */
export function directionOf(kind: TriggerKind, side: Side): TriggerDirection {
  const isForFalling = kind === 'take_profit' ? side === 'buy' : side === 'sell';
  return isForFalling ? 'below' : 'above';
}

/** The price of a source now. Until there is a trade, the mark is the last price. */
export function priceOf(market: Market, source: TriggerSource): bigint {
  if (source === 'index') return market.index.price;
  return source === 'last' && market.lastPrice !== 0n ? market.lastPrice : market.mark;
}

export function isReached(direction: TriggerDirection, triggerPrice: bigint, price: bigint): boolean {
  return direction === 'below' ? price <= triggerPrice : price >= triggerPrice;
}

/** The price at which a trailing stop triggers: at its distance from the best price, at least a tick, within the market's prices. */
export function trailingPriceOf(
  market: Market,
  { direction, trailing, trailingBps }: Pick<WaitingOrder, 'direction' | 'trailing' | 'trailingBps'>,
  best: bigint,
): bigint {
  if (direction === 'below') {
    const share = smaller(best - 1n, ceilDiv(best * (WHOLE_BPS - trailingBps), WHOLE_BPS));
    return larger(0n, trailing > 0n ? best - trailing : share);
  }
  const share = larger(best + 1n, floorDiv(best * (WHOLE_BPS + trailingBps), WHOLE_BPS));
  return smaller(BigInt(market.specification.maxPriceAtoms), trailing > 0n ? best + trailing : share);
}

/** An accepted observation: the prices of all sources count, unless the index is not current. */
export function observePrices(world: World, market: Market): void {
  if (!permits(world, market, 'liquidate')) return;
  observe(world, market, 'mark', market.mark);
  observe(world, market, 'index', market.index.price);
  if (market.lastPrice !== 0n) observe(world, market, 'last', market.lastPrice);
}

/** A trade makes orders due. They trigger in the next turn of the market. */
export function observeTrade(world: World, market: Market): void {
  if (permits(world, market, 'liquidate')) observe(world, market, 'last', market.lastPrice);
}

/** Orders whose price is reached become due: falling before rising ones, the level that was reached first, then age; then trailing stops. */
function observe(world: World, market: Market, source: TriggerSource, price: bigint): void {
  const isOfSource = (it: WaitingOrder) => it.market === market.ordinal && it.source === source;
  const watching = world.waiting.filter((it) => isOfSource(it) && it.waitsSince > 0 && it.dueSince === 0);
  watching.sort((one, other) => one.waitsSince - other.waitsSince);
  const fixed = watching.filter(({ kind }) => kind !== 'trailing_stop');
  const reached = fixed.filter(({ direction, triggerPrice }) => isReached(direction, triggerPrice, price));
  const falling = reached.filter(({ direction }) => direction === 'below');
  const rising = reached.filter(({ direction }) => direction === 'above');
  falling.sort((one, other) => Number(other.triggerPrice - one.triggerPrice));
  rising.sort((one, other) => Number(one.triggerPrice - other.triggerPrice));
  const trailing = watching.filter(({ kind }) => kind === 'trailing_stop').filter((it) => trails(market, it, price));
  for (const due of [...falling, ...rising, ...trailing]) {
    world.lastDue += 1;
    due.dueSince = world.lastDue;
  }
}

/** Moves a trailing stop with a better price. Returns whether its price is reached. */
function trails(market: Market, stop: WaitingOrder, price: bigint): boolean {
  const isBetter = stop.direction === 'below' ? price > stop.best : price < stop.best;
  if (isBetter) {
    stop.best = price;
    stop.triggerPrice = trailingPriceOf(market, stop, price);
  }
  return isReached(stop.direction, stop.triggerPrice, price);
}
