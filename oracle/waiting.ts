/** How orders that wait for a price end, and how the legs of an entry order follow what it opens. */
import { reservedOf } from './margin.ts';
import type { Market, WaitingOrder, World } from './world.ts';
import { note } from './world.ts';

/** Those of an account in a market, the oldest first. */
export function waitingOf(world: World, market: Market, account: number): WaitingOrder[] {
  return world.waiting.filter((it) => it.account === account && it.market === market.ordinal);
}

export function startWaiting(world: World, waiting: WaitingOrder): void {
  world.lastWaiting += 1;
  waiting.waitsSince = world.lastWaiting;
}

/** The order waits no longer. The one that is linked with it waits alone. */
export function removeWaiting(world: World, waiting: WaitingOrder): void {
  world.waiting = world.waiting.filter((other) => other !== waiting);
  for (const other of world.waiting) if (other.linked === waiting.order) other.linked = 0;
}

export function cancelWaiting(world: World, waiting: WaitingOrder, reason: string): void {
  removeWaiting(world, waiting);
  note(world, {
    type: 'OrderCancelled',
    order: waiting.order,
    account: waiting.account,
    market: waiting.market,
    side: waiting.side,
    reason,
    wasResting: false,
    priceAtoms: waiting.price,
    remainingAtoms: waiting.quantity,
    accountReservedAtoms: reservedOf(world, waiting.account),
  });
}

/** What reduces a position ends with it. A leg whose entry order is open waits for that order again. */
export function endOfEpisode(world: World, market: Market, account: number, episode: number): void {
  for (const waiting of waitingOf(world, market, account)) {
    if (waiting.position !== episode) continue;
    if (waiting.entry === 0) cancelWaiting(world, waiting, 'position_ended');
    else changeLeg(world, waiting, { quantity: 0n, position: 0, waitsSince: 0, dueSince: 0 });
  }
}

/** The legs of an order that has filled protect what it opened. */
export function followFill(world: World, entry: number, episode: number, opened: bigint): void {
  if (opened === 0n) return;
  for (const leg of legsOf(world, entry)) {
    if (leg.waitsSince === 0) startWaiting(world, leg);
    changeLeg(world, leg, { quantity: leg.quantity + opened, position: episode });
  }
}

/** The legs of an order that has ended protect what it opened, and end if it opened nothing. */
export function endEntry(world: World, entry: number): void {
  for (const leg of legsOf(world, entry)) {
    if (leg.quantity === 0n) cancelWaiting(world, leg, 'entry_ended');
    else leg.entry = 0;
  }
}

function legsOf(world: World, entry: number): WaitingOrder[] {
  return world.waiting.filter((it) => it.entry === entry);
}

type LegChange = Pick<WaitingOrder, 'quantity' | 'position'> & Partial<WaitingOrder>;

function changeLeg(world: World, leg: WaitingOrder, change: LegChange): void {
  Object.assign(leg, change);
  note(world, {
    type: 'LegChanged',
    order: leg.order,
    account: leg.account,
    market: leg.market,
    position: leg.position,
    quantityAtoms: leg.quantity,
  });
}
