/** Who may do what: by the status of the market, the index, and liquidations that no turn has reached. */
import type { MarketStatus } from './command.ts';
import { duePriceOf, hasReachedStep, isDue, liquidationPriceOf, stepPriceOf } from './equity.ts';
import type { Market, Position, World } from './world.ts';
import { positionOf } from './world.ts';

export type Activity = 'open_risk' | 'reduce' | 'liquidate' | 'fund';
export type IndexStatus = 'current' | 'unconfirmed' | 'stale';

const NEXT: Readonly<Record<MarketStatus, readonly MarketStatus[]>> = {
  draft: ['open', 'closed'],
  open: ['reduce_only', 'cancel_only'],
  reduce_only: ['open', 'cancel_only'],
  cancel_only: ['open', 'reduce_only', 'closed'],
  closed: [],
};

export function isNextStatus(status: MarketStatus, next: MarketStatus): boolean {
  return NEXT[status].includes(next);
}

export function indexStatusOf({ now }: World, { index, specification }: Market): IndexStatus {
  const maxAge = BigInt(specification.maxIndexAgeMs);
  if (index.pendingPrice !== 0n && now - index.pendingAt <= maxAge) return 'unconfirmed';
  return index.price === 0n || now - index.observedAt > maxAge ? 'stale' : 'current';
}

export function permits(world: World, market: Market, activity: Activity): boolean {
  const { status } = market;
  if (status !== 'open' && status !== 'reduce_only') return false;
  if (activity === 'reduce') return true;
  if (indexStatusOf(world, market) !== 'current') return false;
  return activity !== 'open_risk' || (status === 'open' && nextDue(market) === undefined);
}

/** Whether resting orders may open when an order of the venue meets them, and whether the book counts for the mark. */
export function restingMayOpen(world: World, market: Market): boolean {
  return market.status === 'open' && indexStatusOf(world, market) === 'current';
}

export function isParked(market: Market, position: Position): boolean {
  return market.parked.some(({ account }) => account === position.account);
}

/**
 * The position to liquidate next. First those that are not parked, longs before shorts, the liquidation price that the price reached first
 * in front, then the oldest. Then parked ones that have reached the step which they wait for, in the same order by its price.
 */
export function nextDue(market: Market): Position | undefined {
  const steps = new Map<Position, bigint>();
  for (const { account, nextStep } of market.parked) {
    const position = positionOf(market, account)!;
    if (nextStep > 0n && hasReachedStep(market, position, nextStep, duePriceOf(market, position))) steps.set(position, nextStep);
  }
  const due = market.positions.filter((it) => !isParked(market, it) && isDue(market, it));
  const stepPrice = (it: Position) => stepPriceOf(market, it, steps.get(it)!);
  return (
    firstReached(due, true, (it) => liquidationPriceOf(market, it)) ??
    firstReached(due, false, (it) => liquidationPriceOf(market, it)) ??
    firstReached([...steps.keys()], true, stepPrice) ??
    firstReached([...steps.keys()], false, stepPrice)
  );
}

function firstReached(
  positions: readonly Position[],
  isLong: boolean,
  priceOf: (position: Position) => bigint,
): Position | undefined {
  const priced = positions.filter(({ base }) => base > 0n === isLong).map((position) => ({ position, price: priceOf(position) }));
  priced.sort((one, other) => {
    if (one.price === other.price) return one.position.episode - other.position.episode;
    return one.price < other.price === isLong ? 1 : -1;
  });
  return priced[0]?.position;
}
