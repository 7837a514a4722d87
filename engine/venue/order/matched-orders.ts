/** Orders that a plan cancels instead of filling: the taker's own orders, unbacked and expired ones. */
import type { CancelReason } from '#venue/event.ts';
import type { Turn } from '#venue/turn.ts';
import { EXPIRED, FILL, type MatchPlan, SELF_TRADE, type StepKind, UNBACKED } from './match-plan.ts';
import { cancelResting } from './resting.ts';

/** Cancels them. The caller does this before it settles the plan's fills. */
export function cancelMatched(turn: Turn, matches: MatchPlan): void {
  if (matches.fillCount === matches.count) return;
  for (let step = 0; step < matches.count; step += 1) {
    const kind = matches.kindAt(step);
    if (kind === FILL) continue;
    cancelResting(turn, matches.slotAt(step), REASONS[kind]);
  }
}

const REASONS: Readonly<Record<Exclude<StepKind, typeof FILL>, CancelReason>> = {
  [SELF_TRADE]: 'self_trade',
  [UNBACKED]: 'margin_unbacked',
  [EXPIRED]: 'expired',
};
