/** Sets a timer that cancels an account's orders (`cancel-timers.ts`), and what it does when it fires. */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { cancelWaiting } from '#venue/trigger/waiting.ts';
import type { WaitingTrigger } from '#venue/trigger/waiting-trigger.ts';
import type { Turn } from '#venue/turn.ts';
import { ALL_MARKETS, type FiredTimer } from './cancel-timers.ts';
import { NO_SLOT, type Slot } from './order-table.ts';
import { cancelResting } from './resting.ts';

/** The bounds of a timer. */
export const MIN_CANCEL_TIMEOUT_MS = 1_000;
export const MAX_CANCEL_TIMEOUT_MS = 86_400_000;

export interface SetCancelAllAfter {
  readonly type: 'SetCancelAllAfter';
  readonly account: AccountOrdinal;
  /** 0 for all markets. */
  readonly market: MarketOrdinal;
  /** 0 turns the timer off. */
  readonly timeoutMs: number;
}

export type CancelAllAfterCommand = SetCancelAllAfter;

export const CANCEL_ALL_AFTER_COMMANDS: CommandRules<CancelAllAfterCommand> = {
  SetCancelAllAfter: {
    plan: planTimer,
    commit: commitTimer,
    layout: {
      tag: 90,
      fields: (io, it) => ({
        type: 'SetCancelAllAfter',
        account: io.int(it.account),
        market: io.int(it.market),
        timeoutMs: io.int(it.timeoutMs),
      }),
    },
  },
};

function planTimer({ state }: Turn, { account, market, timeoutMs }: SetCancelAllAfter): Refusal | undefined {
  if (state.account(account) === undefined) return { code: 'account_not_found' };
  if (market !== ALL_MARKETS && state.market(market) === undefined) return { code: 'market_not_found' };
  if (timeoutMs === 0) return undefined;
  if (!Number.isSafeInteger(timeoutMs) || timeoutMs < MIN_CANCEL_TIMEOUT_MS)
    return { code: 'timeout_out_of_bounds', bound: MIN_CANCEL_TIMEOUT_MS };
  return timeoutMs > MAX_CANCEL_TIMEOUT_MS ? { code: 'timeout_out_of_bounds', bound: MAX_CANCEL_TIMEOUT_MS } : undefined;
}

/** A command that arrives after the deadline does not prevent the timer from firing. */
function commitTimer(turn: Turn, { account, market, timeoutMs }: SetCancelAllAfter): void {
  const { cancelTimers } = turn.state;
  const deadline = cancelTimers.deadlineOf(account, market);
  if (deadline !== undefined && deadline <= turn.now) fire(turn, account, market, deadline);
  const deadlineEpochMs = (timeoutMs === 0 ? 0 : turn.now + timeoutMs) as EpochMs;
  if (timeoutMs === 0) cancelTimers.stop(account, market);
  else cancelTimers.set({ account, market, deadlineEpochMs });
  turn.events.emit({ type: 'CancelAllAfterSet', account, market, deadlineEpochMs });
}

/** Whether a timer is due, or has orders left to cancel. */
export function hasDueTimers({ cancelTimers }: VenueState, now: EpochMs): boolean {
  return cancelTimers.firstFired !== undefined || cancelTimers.dueAt(now) !== undefined;
}

/** Fires what is due and cancels orders of fired timers, at most `most` of both. */
export function runTimers(turn: Turn, most: number): void {
  const { cancelTimers } = turn.state;
  let left = most;
  for (let due = cancelTimers.dueAt(turn.now); due !== undefined && left > 0; due = cancelTimers.dueAt(turn.now)) {
    fire(turn, due.account, due.market, due.deadlineEpochMs);
    left -= 1;
  }
  for (let fired = cancelTimers.firstFired; fired !== undefined && left > 0; fired = cancelTimers.firstFired) {
    left = cancelOrders(turn, fired, left);
    if (left > 0) finish(turn, fired);
    left -= 1;
  }
}

function fire(turn: Turn, account: AccountOrdinal, market: MarketOrdinal, deadlineEpochMs: EpochMs): void {
  const { state } = turn;
  state.cancelTimers.fire({ account, market, deadlineEpochMs }, state.lastOrder);
  turn.events.emit({ type: 'CancelAllAfterFired', account, market, deadlineEpochMs, lastOrder: state.lastOrder });
}

function finish({ state, events }: Turn, fired: FiredTimer): void {
  const { account, market } = fired;
  state.cancelTimers.finish(fired);
  events.emit({ type: 'CancelAllAfterFinished', account, market });
}

/** Returns how many more orders may be cancelled; above 0 if none of the timer is left. */
function cancelOrders(turn: Turn, { account, market, lastOrder }: FiredTimer, most: number): number {
  const { state } = turn;
  const { positions } = state.account(account)!;
  let left = most;
  for (const listed of market === ALL_MARKETS ? state.markets : [state.market(market)]) {
    if (listed === undefined) continue;
    left = cancelIn(turn, positions[listed.ordinal]?.firstOwnOrder ?? NO_SLOT, lastOrder, left);
    left = cancelWaitingIn(turn, state.triggers.of(account, listed.ordinal), lastOrder, left);
  }
  return left;
}

function cancelIn(turn: Turn, first: Slot, lastOrder: OrderOrdinal, most: number): number {
  const { orders } = turn.state;
  let left = most;
  for (let slot = first; slot !== NO_SLOT && left > 0; ) {
    const next = orders.ownAfter[slot]! as Slot;
    if (orders.orderOf(slot) <= lastOrder) {
      cancelResting(turn, slot, 'cancel_all_after');
      left -= 1;
    }
    slot = next;
  }
  return left;
}

/** An order that waits for a price is open too. A reduce-only one stays: it protects the position of a program that died. */
function cancelWaitingIn(turn: Turn, waiting: readonly WaitingTrigger[], lastOrder: OrderOrdinal, most: number): number {
  const cancelled = waiting.filter(({ order, reduceOnly }) => order <= lastOrder && !reduceOnly).slice(0, most);
  for (const trigger of cancelled) cancelWaiting(turn, trigger, 'cancel_all_after');
  return most - cancelled.length;
}
