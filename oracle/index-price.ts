/** Which observations of the index a market accepts: recent ones, newer than the last, and jumps only once they are confirmed. */
import { absolute, smaller } from './arithmetic.ts';
import type { Market, World } from './world.ts';

/** Takes an observation. Returns whether the market accepts its price. */
export function observeIndex(world: World, market: Market, price: bigint, observedAt: bigint): boolean {
  const { index, specification } = market;
  const maxAge = BigInt(specification.maxIndexAgeMs);
  // A source whose clock is fast observes now.
  const at = smaller(observedAt, world.now);
  const isNewer = (index.price === 0n || at > index.observedAt) && (index.pendingPrice === 0n || at > index.pendingAt);
  if (!isNewer || world.now - at > maxAge) return false;
  const isNear = (other: bigint) => absolute(price - other) * 10_000n <= other * BigInt(specification.maxIndexJumpBps);
  const confirms = index.pendingPrice !== 0n && at - index.pendingAt <= maxAge && isNear(index.pendingPrice);
  const confirmations = confirms ? index.confirmations + 1 : 0;
  const isConfirmed = confirms && confirmations >= specification.indexConfirmations;
  if (index.price === 0n || isNear(index.price) || isConfirmed) {
    market.index = { price, observedAt: at, pendingPrice: 0n, pendingAt: 0n, confirmations: 0 };
    return true;
  }
  market.index = { ...index, pendingPrice: price, pendingAt: at, confirmations };
  return false;
}
