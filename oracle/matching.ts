/** Which resting orders an incoming order meets. Nothing changes: all of them are judged by the world before the first fill. */
import { floorDiv, larger, smaller, sum } from './arithmetic.ts';
import { missingBacking } from './backing.ts';
import { bookOf, otherSide } from './book.ts';
import type { Side } from './command.ts';
import { closableBy } from './equity.ts';
import { notionalOf, reservedOf } from './margin.ts';
import { openInterestOf } from './open-interest.ts';
import type { Market, Order, World } from './world.ts';
import { accountOf, positionOf } from './world.ts';

/** How many resting orders an incoming one meets, and how many it skips because they may not open now. */
const MAX_MET = 1_000;
const MAX_SKIPPED = 10_000;

export interface Incoming {
  readonly account: number;
  readonly side: Side;
  /** The worst price at which it may fill. */
  readonly limit: bigint;
  readonly quantity: bigint;
  /** The most that an order by notional spends. */
  readonly notional?: bigint;
  /** Whether resting orders may open. Otherwise each offers only what it reduces. */
  readonly restingMayOpen: boolean;
}

export interface Step {
  readonly order: Order;
  readonly kind: 'fill' | 'self_trade' | 'margin_unbacked' | 'expired';
  readonly quantity: bigint;
  /** What cash of the order's account adds to the margin at most. */
  readonly topUp: bigint;
  /** That of the market before the first fill. */
  readonly openInterest: bigint;
}

export interface Matches {
  readonly steps: Step[];
  /** Why matching ended. */
  end: 'filled' | 'price' | 'empty' | 'met' | 'skipped';
  /** How many orders it has met and skipped. */
  visited: number;
  /** A met order stays in the book with a quantity that it may not open now. */
  leavesCrossing: boolean;
}

export function matchesOf(world: World, market: Market, incoming: Incoming): Matches {
  const matches: Matches = { steps: [], end: 'empty', visited: 0, leavesCrossing: false };
  const openInterest = openInterestOf(market);
  let [met, skipped] = [0, 0];
  let price = 0n;
  let wanted = 0n;
  for (const order of bookOf(world, market, otherSide(incoming.side))) {
    if (order.price !== price) {
      // The last price has filled the order, or left it something that this price may fill.
      if (price !== 0n && wanted === 0n) break;
      const isBeyond = incoming.side === 'buy' ? order.price > incoming.limit : order.price < incoming.limit;
      if (isBeyond) return { ...matches, end: 'price' };
      price = order.price;
      wanted = wantedAt(market, incoming, matches, price);
    }
    if (wanted === 0n) break;
    if (met === MAX_MET) return { ...matches, end: 'met' };
    const position = positionOf(market, order.account);
    const missing = missingBacking(world, market, order, wanted, openInterest);
    const reason = endOf(world, incoming, order, missing, matches);
    if (reason !== undefined) {
      met += 1;
      matches.visited += 1;
      matches.steps.push({ order, kind: reason, quantity: 0n, topUp: 0n, openInterest });
      continue;
    }
    if (!incoming.restingMayOpen && closableBy(order.side, position) === 0n) {
      if (skipped === MAX_SKIPPED) return { ...matches, end: 'skipped' };
      skipped += 1;
      matches.visited += 1;
      matches.leavesCrossing = true;
      continue;
    }
    met += 1;
    matches.visited += 1;
    const mayOpen = incoming.restingMayOpen && !order.reduceOnly;
    const earlier = matches.steps.filter((step) => step.order.account === order.account).map(({ quantity }) => quantity);
    const reducible = larger(0n, smaller(order.remaining, closableBy(order.side, position) - sum(earlier)));
    const offered = mayOpen ? order.remaining : reducible;
    const quantity = smaller(wanted, offered);
    if (quantity > 0n) matches.steps.push({ order, kind: 'fill', quantity, topUp: missing!, openInterest });
    wanted -= quantity;
    if (!mayOpen && !order.reduceOnly && wanted > 0n && offered < order.remaining) matches.leavesCrossing = true;
  }
  if (price !== 0n && wanted === 0n) matches.end = 'filled';
  return matches;
}

/** Why a met order ends instead of filling, if it does. */
function endOf(
  world: World,
  incoming: Incoming,
  order: Order,
  missing: bigint | undefined,
  { steps }: Matches,
): Exclude<Step['kind'], 'fill'> | undefined {
  if (order.expiresAt !== 0n && order.expiresAt <= world.now) return 'expired';
  if (order.account === incoming.account) return 'self_trade';
  if (missing === 0n) return undefined;
  const taken = sum(steps.filter((step) => step.order.account === order.account).map(({ topUp }) => topUp));
  const available = accountOf(world, order.account)!.cash - reservedOf(world, order.account) - taken;
  return missing === undefined || missing > available ? 'margin_unbacked' : undefined;
}

export function filledBaseOf({ steps }: Matches): bigint {
  return sum(steps.map(({ quantity }) => quantity));
}

export function filledNotionalOf(market: Market, { steps }: Matches): bigint {
  return sum(steps.map(({ order, quantity }) => notionalOf(market, order.price, quantity)));
}

/** What the order still wants at a price, in whole lots. */
function wantedAt(market: Market, { quantity, notional }: Incoming, matches: Matches, price: bigint): bigint {
  const left = quantity - filledBaseOf(matches);
  if (notional === undefined) return left;
  return smaller(left, floorDiv(notional - filledNotionalOf(market, matches), notionalOf(market, price, 1n)));
}
