/** What the commands of drafts and deployments share: taking an event into the state, and the number of the next action. */
import type { AccountOrdinal, AgentActionOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { AgentEvent } from '#venue/event/agent-events.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';

export function emitOfAgents(turn: Turn, event: AgentEvent): void {
  turn.state.agents.take(event, turn.now);
  turn.events.emit(event);
}

/** Numbers count per venue and are never reused. */
export function nextAction({ state }: Turn): AgentActionOrdinal {
  return (state.agents.lastAction + 1) as AgentActionOrdinal;
}

/** Refuses a draft that does not exist or is of another owner; otherwise returns `undefined`. */
export function checkDraft({ state }: Turn, account: AccountOrdinal, draft: AgentDraftOrdinal): Refusal | undefined {
  return state.agents.drafts.get(draft)?.account === account ? undefined : { code: 'agent_draft_not_found' };
}
