/** Timers that cancel an account's orders unless they are set again. They fire and cancel when due orders are ended. */
import { refuseIf } from './refused.ts';
import { cancelOrder } from './resting.ts';
import { cancelWaiting, waitingOf } from './waiting.ts';
import type { World } from './world.ts';
import { accountOf, marketOf, note, ordersOf } from './world.ts';

const MIN_TIMEOUT_MS = 1_000;
const MAX_TIMEOUT_MS = 86_400_000;
const ALL_MARKETS = 0;

export type Timer = World['timers'][number];

/** 0 turns the timer off. A call that comes after its time does not prevent it from firing. */
export function setTimer(world: World, account: number, market: number, timeoutMs: number): void {
  refuseIf(accountOf(world, account) === undefined, 'account_not_found');
  refuseIf(market !== ALL_MARKETS && marketOf(world, market) === undefined, 'market_not_found');
  refuseIf(timeoutMs !== 0 && timeoutMs < MIN_TIMEOUT_MS, 'timeout_out_of_bounds', BigInt(MIN_TIMEOUT_MS));
  refuseIf(timeoutMs > MAX_TIMEOUT_MS, 'timeout_out_of_bounds', BigInt(MAX_TIMEOUT_MS));
  const last = world.timers.find((it) => it.account === account && it.market === market);
  if (last !== undefined && last.deadline <= world.now) fire(world, last);
  else world.timers = world.timers.filter((it) => it !== last);
  const deadline = timeoutMs === 0 ? 0n : world.now + BigInt(timeoutMs);
  if (timeoutMs !== 0) world.timers.push({ account, market, deadline });
  note(world, { type: 'CancelAllAfterSet', account, market, deadlineEpochMs: deadline });
}

/** The timers that are due, by time, account and market. */
export function dueTimers(world: World): Timer[] {
  const due = world.timers.filter(({ deadline }) => deadline <= world.now);
  return due.sort(
    (one, other) => Number(one.deadline - other.deadline) || one.account - other.account || one.market - other.market,
  );
}

/** Fires what is due, and cancels for what has fired. Timers that fire or finish and orders that end are at most `limit`. */
export function runTimers(world: World, limit: number): void {
  let left = limit;
  for (const timer of dueTimers(world).slice(0, left)) {
    fire(world, timer);
    left -= 1;
  }
  while (left > 0 && world.fired.length > 0) {
    const fired = world.fired[0]!;
    left -= 1;
    if (cancelNext(world, fired)) continue;
    world.fired.shift();
    note(world, { type: 'CancelAllAfterFinished', account: fired.account, market: fired.market });
  }
}

/** A timer that fires while an earlier one of its market still cancels takes its place. */
function fire(world: World, timer: Timer): void {
  const { account, market, deadline } = timer;
  const { lastOrder } = world;
  world.timers = world.timers.filter((it) => it !== timer);
  const earlier = world.fired.find((it) => it.account === account && it.market === market);
  if (earlier === undefined) world.fired.push({ account, market, lastOrder });
  else earlier.lastOrder = lastOrder;
  note(world, { type: 'CancelAllAfterFired', account, market, deadlineEpochMs: deadline, lastOrder });
}

/**
 * Ends an order of a fired timer: market by market the newest resting one, then the oldest waiting one that may open. Returns false if no
 * order is left.
 */
function cancelNext(world: World, { account, market, lastOrder }: World['fired'][number]): boolean {
  for (const it of world.markets) {
    if (market !== ALL_MARKETS && market !== it.ordinal) continue;
    const resting = ordersOf(world, it, account).findLast(({ order }) => order <= lastOrder);
    const waiting = waitingOf(world, it, account).find(({ order, reduceOnly }) => order <= lastOrder && !reduceOnly);
    if (resting !== undefined) cancelOrder(world, resting, 'cancel_all_after');
    else if (waiting !== undefined) cancelWaiting(world, waiting, 'cancel_all_after');
    if (resting !== undefined || waiting !== undefined) return true;
  }
  return false;
}
