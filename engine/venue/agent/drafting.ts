/** The commands of drafts: an owner stores a script, confirms its review, and removes it. A changed script is another draft. */
import type { AccountOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { checkActiveOwner, checkOwner } from '#venue/owner/owner-turn.ts';
import type { Refusal } from '#venue/refusal.ts';
import { checkIntake } from '#venue/switches/intake.ts';
import type { Turn } from '#venue/turn.ts';
import { checkDraft, emitOfAgents } from './agent-turn.ts';
import {
  draftSizeOf,
  isDigest,
  MAX_DRAFT_NAME_LENGTH,
  MAX_DRAFTED_SIZE,
  MAX_DRAFTS,
  MAX_OWNER_DRAFTED_SIZE,
  MAX_SCRIPT_LENGTH,
} from './draft.ts';

export interface DraftAgentScript {
  readonly type: 'DraftAgentScript';
  readonly account: AccountOrdinal;
  readonly name: string;
  readonly text: string;
  /** SHA-256 of the text, in hex. */
  readonly textDigest: string;
}

/** The owner confirms the review with this digest. A later review, of another version of the interpreter, replaces it. */
export interface ReviewAgentScript {
  readonly type: 'ReviewAgentScript';
  readonly account: AccountOrdinal;
  readonly draft: AgentDraftOrdinal;
  /** SHA-256 of the review, in hex. */
  readonly reviewDigest: string;
}

export interface RemoveAgentDraft {
  readonly type: 'RemoveAgentDraft';
  readonly account: AccountOrdinal;
  readonly draft: AgentDraftOrdinal;
}

export type DraftingCommand = DraftAgentScript | ReviewAgentScript | RemoveAgentDraft;

export const DRAFTING_COMMANDS: CommandRules<DraftingCommand> = {
  DraftAgentScript: {
    plan: planDraft,
    commit: commitDraft,
    layout: {
      tag: 70,
      fields: (io, it) => ({
        type: 'DraftAgentScript',
        account: io.int(it.account),
        name: io.text(it.name),
        text: io.text(it.text),
        textDigest: io.text(it.textDigest),
      }),
    },
  },
  ReviewAgentScript: {
    plan: planReview,
    commit: commitReview,
    layout: {
      tag: 71,
      fields: (io, it) => ({
        type: 'ReviewAgentScript',
        account: io.int(it.account),
        draft: io.int(it.draft),
        reviewDigest: io.text(it.reviewDigest),
      }),
    },
  },
  RemoveAgentDraft: {
    plan: planRemoval,
    commit: commitRemoval,
    layout: {
      tag: 72,
      fields: (io, it) => ({ type: 'RemoveAgentDraft', account: io.int(it.account), draft: io.int(it.draft) }),
    },
  },
};

export function planDraft(turn: Turn, { account, name, text, textDigest }: DraftAgentScript): Refusal | undefined {
  const { agents, switches } = turn.state;
  const refusal = checkActiveOwner(turn, account) ?? checkIntake(switches, 'register', 'agents');
  if (refusal !== undefined) return refusal;
  if (text.length === 0 || text.length > MAX_SCRIPT_LENGTH) return { code: 'agent_script_invalid', bound: MAX_SCRIPT_LENGTH };
  const isNamed = name.length > 0 && name.length <= MAX_DRAFT_NAME_LENGTH;
  if (!isNamed || !isDigest(textDigest)) return { code: 'agent_script_invalid' };
  if (agents.draftCountOf(account) >= MAX_DRAFTS) return { code: 'too_many_agent_drafts', bound: MAX_DRAFTS };
  const size = draftSizeOf({ text });
  if (agents.draftedSizeOf(account) + size > MAX_OWNER_DRAFTED_SIZE)
    return { code: 'too_many_agent_drafts', bound: MAX_OWNER_DRAFTED_SIZE };
  const isFull = agents.draftedSize + size > MAX_DRAFTED_SIZE;
  return isFull ? { code: 'capability_unavailable', bound: MAX_DRAFTED_SIZE } : undefined;
}

export function commitDraft(turn: Turn, { account, name, text, textDigest }: DraftAgentScript): void {
  const draft = (turn.state.agents.lastDraft + 1) as AgentDraftOrdinal;
  emitOfAgents(turn, { type: 'AgentScriptDrafted', draft, account, name, text, textDigest });
}

export function planReview(turn: Turn, { account, draft, reviewDigest }: ReviewAgentScript): Refusal | undefined {
  return (
    checkActiveOwner(turn, account) ??
    checkIntake(turn.state.switches, 'register', 'agents') ??
    checkDraft(turn, account, draft) ??
    (isDigest(reviewDigest) ? undefined : { code: 'agent_script_invalid' })
  );
}

export function commitReview(turn: Turn, { account, draft, reviewDigest }: ReviewAgentScript): void {
  emitOfAgents(turn, { type: 'AgentScriptReviewed', draft, account, reviewDigest });
}

/** Also for a retired account, and while agents are off. A draft that an open deployment runs stays: a restart needs its text. */
export function planRemoval(turn: Turn, { account, draft }: RemoveAgentDraft): Refusal | undefined {
  const refusal = checkOwner(turn, account) ?? checkDraft(turn, account, draft);
  if (refusal !== undefined) return refusal;
  const isUsed = turn.state.agents.deploymentsOf(account).some((deployment) => deployment.draft === draft);
  return isUsed ? { code: 'agent_draft_in_use' } : undefined;
}

export function commitRemoval(turn: Turn, { account, draft }: RemoveAgentDraft): void {
  emitOfAgents(turn, { type: 'AgentDraftRemoved', draft, account });
}
