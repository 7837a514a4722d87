/**
 * Ends what is due: orders that have expired, and those of timers that fire. The venue's timer submits the command when something is due,
 * again until nothing is. Each turn is bounded. An order that waits for its turn does not fill meanwhile: matching cancels an expired
 * order that it meets.
 */
import type { EpochMs } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import type { Turn } from '#venue/turn.ts';
import { hasDueTimers, runTimers } from './cancel-all-after.ts';
import { cancelResting } from './resting.ts';

/** The maximum number of orders that one turn ends. */
export const MAX_ENDED_ORDERS = 100;

export interface EndDueOrders {
  readonly type: 'EndDueOrders';
}

export type DueOrdersCommand = EndDueOrders;

export const DUE_ORDERS_COMMANDS: CommandRules<DueOrdersCommand> = {
  EndDueOrders: {
    plan: planEnd,
    commit: commitEnd,
    layout: { tag: 87, fields: () => ({ type: 'EndDueOrders' }) },
  },
};

/** Whether the command has something to do. */
export function hasDueOrders(state: VenueState, now: EpochMs): boolean {
  return state.expiries.dueAt(now) !== undefined || hasDueTimers(state, now);
}

function planEnd({ state, now }: Turn): Refusal | undefined {
  return hasDueOrders(state, now) ? undefined : { code: 'nothing_to_advance' };
}

function commitEnd(turn: Turn): void {
  runTimers(turn, endExpired(turn, MAX_ENDED_ORDERS));
}

/** Returns how many more orders the turn may end. */
function endExpired(turn: Turn, most: number): number {
  const { expiries, orders } = turn.state;
  let left = most;
  for (let order = expiries.dueAt(turn.now); order !== undefined && left > 0; order = expiries.dueAt(turn.now)) {
    cancelResting(turn, orders.slotOf(order), 'expired');
    left -= 1;
  }
  return left;
}
