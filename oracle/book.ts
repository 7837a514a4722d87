/** The book of a market: which order is met before which, and what the book offers at each price. */
import type { Side } from './command.ts';
import type { Market, Order, World } from './world.ts';

/** The resting orders of a side, the one that is met first in front: best price, then oldest. */
export function bookOf(world: World, market: Market, side: Side): Order[] {
  return world.orders
    .filter((order) => order.market === market.ordinal && order.side === side)
    .sort((one, other) => (isMetBefore(one, other) ? -1 : 1));
}

/** What decides which order is met first. */
type Placed = Pick<Order, 'side' | 'price' | 'arrival'>;

/** Whether an incoming order meets `one` before `other`. Both are on one side. */
export function isMetBefore(one: Placed, other: Placed): boolean {
  if (one.price !== other.price) return one.side === 'buy' ? one.price > other.price : one.price < other.price;
  return one.arrival < other.arrival;
}

export function otherSide(side: Side): Side {
  return side === 'buy' ? 'sell' : 'buy';
}

/** The best price that an incoming order of this side may meet; 0 if there is none. */
export function bestAgainst(world: World, market: Market, side: Side): bigint {
  return bookOf(world, market, otherSide(side))[0]?.price ?? 0n;
}

/** What the orders that are not reduce-only offer at each price with an order, the best price first. */
export function levelsOf(world: World, market: Market, side: Side): { price: bigint; quantity: bigint }[] {
  const levels: { price: bigint; quantity: bigint }[] = [];
  for (const order of bookOf(world, market, side)) {
    if (levels.at(-1)?.price !== order.price) levels.push({ price: order.price, quantity: 0n });
    if (!order.reduceOnly) levels.at(-1)!.quantity += order.remaining;
  }
  return levels;
}
