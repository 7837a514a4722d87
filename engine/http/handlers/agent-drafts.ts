/**
 * Handlers for drafts of agents. A script is reviewed before it is submitted, and again for each response, so that a client always sees
 * the review of the release that would run it.
 */
import { STRATEGY_CATALOGUE } from '#agents/catalogue/catalogue.ts';
import type { AgentDraftResource, agentDraftOperations } from '#contract/agent-drafts.ts';
import { ERRORS } from '#contract/errors.ts';
import { Refused } from '#contract/refused.ts';
import { ownAccount } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { AgentDraftView } from '#reads/deployment-reads.ts';
import { parseRendered, type RenderedReads } from '#reads/resource-reads.ts';
import type { AccountOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import { parseAgentDraftId, renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { CommitResponse, Outcome } from '#writer/port/submit.ts';
import { readAccepted } from './accepted-command.ts';
import { idempotencyOf } from './idempotency.ts';
import { demandFitting, judgeScript, sha256 } from './script-review.ts';
import { REPLAYED, venueRefusal } from './venue-refusal.ts';

export function agentDraftHandlers({ submit, findOutcome }: HttpPorts): Pick<Handlers, keyof typeof agentDraftOperations> {
  return {
    draftAgentScript: async (call) => {
      const account = ownAccount(call.principal, call.params.accountId);
      const idempotency = idempotencyOf(account, 'draftAgentScript', call);
      const draft = (): Promise<Outcome> => {
        const text = call.body.text ?? scriptOf(call.body.strategyId!);
        demandFitting(text);
        const command = { type: 'DraftAgentScript', account, name: call.body.name, text, textDigest: sha256(text) } as const;
        return submit({ command, idempotency });
      };
      // A repeated request has its response, also if this release refuses the script.
      const record = (await findOutcome(idempotency)) ?? (await draft());
      const refusal = venueRefusal(record);
      if (refusal !== undefined) throw refusal;
      return { body: draftedResource(record as CommitResponse), headers: record.replayed ? REPLAYED : {} };
    },

    listAgentDrafts: async ({ params, principal, reads }) => ({
      body: await reads.agentDraftList(ownAccount(principal, params.accountId)),
    }),

    getAgentDraft: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      return { body: draftResource(await readDraft(reads, account, draftNamed(params.draftId))) };
    },

    confirmAgentReview: async ({ params, body, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const draft = draftNamed(params.draftId);
      const before = draftResource(await readDraft(reads, account, draft));
      const { reviewDigest } = before;
      if (reviewDigest === null || reviewDigest !== body.reviewDigest) throw new Refused('agent_review_changed');
      if (before.confirmedReviewDigest === reviewDigest) return { body: before };
      const refusal = venueRefusal(await submit({ command: { type: 'ReviewAgentScript', account, draft, reviewDigest } }));
      if (refusal !== undefined) throw refusal;
      return { body: draftResource(await readAccepted(readDraft(reads, account, draft))) };
    },

    removeAgentDraft: async ({ params, principal, reads }) => {
      const account = ownAccount(principal, params.accountId);
      const draft = draftNamed(params.draftId);
      await readDraft(reads, account, draft);
      const refusal = venueRefusal(await submit({ command: { type: 'RemoveAgentDraft', account, draft } }));
      if (refusal !== undefined) throw refusal;
      return { body: undefined };
    },
  };
}

function scriptOf(strategyId: string): string {
  const script = STRATEGY_CATALOGUE.strategies.find(({ id }) => id === strategyId)?.script;
  if (script === undefined || script === null) {
    const { whatToDo } = ERRORS.unknown_strategy;
    throw new Refused('unknown_strategy', `The catalogue has no script of a strategy ${JSON.stringify(strategyId)}. ${whatToDo}`);
  }
  return script;
}

/** Throws {@link Refused} `agent_draft_not_found` if the id is malformed. */
export function draftNamed(draftId: string): AgentDraftOrdinal {
  const draft = parseAgentDraftId(draftId);
  if (draft === undefined) throw new Refused('agent_draft_not_found');
  return draft;
}

/** Throws {@link Refused} `agent_draft_not_found`, also for the draft of another account. */
export async function readDraft(
  reads: RenderedReads,
  account: AccountOrdinal,
  draft: AgentDraftOrdinal,
): Promise<AgentDraftView> {
  const found = parseRendered(await reads.agentDraft(account, draft));
  if (found === undefined) throw new Refused('agent_draft_not_found');
  return found;
}

function draftResource({ text, ...listed }: AgentDraftView): AgentDraftResource {
  return { version: 'external-agent-draft/v1', ...listed, text, ...judgeScript(text).shown };
}

/** Depends on the record alone, so that a repeated request gets the same response from the same release. */
function draftedResource({ events, epochMs, sequence }: CommitResponse): AgentDraftResource {
  const drafted = events.find((event) => event.type === 'AgentScriptDrafted');
  if (drafted === undefined) throw new Error(`record ${sequence} neither stored nor refused its draft`);
  const { draft, account, name, text, textDigest } = drafted;
  return draftResource({
    draftId: renderOrdinal(draft),
    ownerAccountId: renderAccountId(account),
    name,
    textDigest,
    confirmedReviewDigest: null,
    createdAtEpochMs: epochMs,
    text,
  });
}
