/** Reads of drafts, deployments and their action log, by the number of the owner's account. */
import type { AgentActionResource, PaperPnl } from '#contract/agent-actions.ts';
import type { AgentDeploymentResource } from '#contract/agent-deployments.ts';
import type { ListedAgentDraft } from '#contract/agent-drafts.ts';
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';

/** A draft with its script; its review is made where it is shown. */
export interface AgentDraftView extends ListedAgentDraft {
  readonly text: string;
}

export interface DeploymentQuery {
  readonly account: AccountOrdinal;
  readonly limit: number;
  /** The last deployment of the page before. */
  readonly after?: AgentDeploymentOrdinal;
}

export interface ActionQuery {
  readonly deployment: AgentDeploymentOrdinal;
  readonly direction: 'oldest_first' | 'newest_first';
  readonly limit: number;
  /** The last action of the page before, in its direction. */
  readonly after?: AgentActionOrdinal;
}

/** A deployment with a page of its log, as of one record. */
export interface DeploymentLog {
  readonly deployment: AgentDeploymentResource;
  readonly actions: readonly AgentActionResource[];
  readonly paperPnl: PaperPnl;
}

/** `undefined` if the owner has no such draft or deployment. */
export interface DeploymentReads {
  /** Those that are not removed, oldest first. */
  agentDrafts(account: AccountOrdinal): readonly ListedAgentDraft[];
  agentDraft(account: AccountOrdinal, draft: AgentDraftOrdinal): AgentDraftView | undefined;
  /** Open and ended, newest first. */
  agentDeployments(query: DeploymentQuery): readonly AgentDeploymentResource[];
  agentDeployment(account: AccountOrdinal, deployment: AgentDeploymentOrdinal): AgentDeploymentResource | undefined;
  agentActions(account: AccountOrdinal, query: ActionQuery): DeploymentLog | undefined;
}
