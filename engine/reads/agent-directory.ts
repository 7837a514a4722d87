/**
 * Drafts and open deployments, as of the newest durable record: read synchronously in the writer's thread. A record is in it before its
 * response is sent. A restart continues a deployment from its ledger, and after the last bar and index of its orders.
 */
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal, Sequence } from '#units/ids.ts';
import type { AgentDeployment } from '#venue/agent/deployment.ts';
import type { AgentDraft } from '#venue/agent/draft.ts';

export type { AgentDeployment } from '#venue/agent/deployment.ts';
export type { AgentDraft } from '#venue/agent/draft.ts';

export interface AgentDirectory {
  /** The newest record in it. */
  sequence(): Sequence;
  /** `undefined` for an unknown or removed one. */
  draft(draft: AgentDraftOrdinal): AgentDraft | undefined;
  /** `undefined` for an unknown or ended one. */
  openDeployment(deployment: AgentDeploymentOrdinal): AgentDeployment | undefined;
  /** The open ones of an owner, oldest first. */
  openDeploymentsOf(account: AccountOrdinal): readonly AgentDeployment[];
  /** All of them, oldest first. */
  openDeployments(): readonly AgentDeployment[];
}
