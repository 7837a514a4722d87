/** Lists of drafts and deployments of an owner, and pages of the action log of a deployment, by number and in both directions. */
import type { AgentLogQuery, LoggedAction } from '#reads/agent-log.ts';
import type { ActionQuery, DeploymentQuery } from '#reads/deployment-reads.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import type { AgentActionRow, AgentDeploymentRow, AgentDraftRow, AgentDraftStateRow } from './agent-rows.ts';
import type { ProjectionStore } from './store.ts';

export function agentActionPage(store: ProjectionStore, query: ActionQuery): readonly AgentActionRow[] {
  const { deployment, direction, limit, after } = query;
  const first = direction === 'oldest_first' ? 0 : Number.MAX_SAFE_INTEGER;
  const found = store.statement(agentActionSelect(direction)).all({ deployment, after: after ?? first, limit });
  return found as unknown as readonly AgentActionRow[];
}

export function agentActionSelect(direction: ActionQuery['direction']): string {
  const [comparison, order] = direction === 'oldest_first' ? ['>', 'ASC'] : ['<', 'DESC'];
  return `SELECT * FROM agentActions INDEXED BY agentActionsByDeployment WHERE deployment = :deployment AND action ${comparison} :after
    ORDER BY action ${order} LIMIT :limit`;
}

export const DEPLOYMENTS_OF_ACCOUNT = `SELECT * FROM agentDeployments INDEXED BY agentDeploymentsByAccount
    WHERE account = :account AND deployment < :after ORDER BY deployment DESC LIMIT :limit`;

/** The deployments of an owner, open and ended, newest first. */
export function agentDeploymentsOf(
  store: ProjectionStore,
  { account, limit, after }: DeploymentQuery,
): readonly AgentDeploymentRow[] {
  const found = store.statement(DEPLOYMENTS_OF_ACCOUNT).all({ account, limit, after: after ?? Number.MAX_SAFE_INTEGER });
  return found as unknown as readonly AgentDeploymentRow[];
}

/** Also an ended one. */
export function agentDeployment(store: ProjectionStore, deployment: AgentDeploymentOrdinal): AgentDeploymentRow | undefined {
  const found = store.statement('SELECT * FROM agentDeployments WHERE deployment = ?').get(deployment);
  return found as unknown as AgentDeploymentRow | undefined;
}

export const DRAFTS_OF_ACCOUNT =
  'SELECT * FROM agentDraftStates INDEXED BY agentDraftsByAccount WHERE account = :account AND isRemoved = 0 ORDER BY draft';

export type StoredDraft = AgentDraftRow & AgentDraftStateRow;

const DRAFT_STATE = 'SELECT * FROM agentDraftStates WHERE draft = ? AND isRemoved = 0';
const SCRIPT = 'SELECT * FROM agentDrafts WHERE draft = ?';

/** The drafts of an owner that are not removed, oldest first: at most 100, each with its text. */
export function agentDraftsOf(store: ProjectionStore, account: AccountOrdinal): readonly StoredDraft[] {
  const states = store.statement(DRAFTS_OF_ACCOUNT).all({ account }) as unknown as readonly AgentDraftStateRow[];
  return states.map((state) => withScript(store, state));
}

/** `undefined` for an unknown or removed one. */
export function agentDraftOf(store: ProjectionStore, draft: AgentDraftOrdinal): StoredDraft | undefined {
  const state = store.statement(DRAFT_STATE).get(draft) as unknown as AgentDraftStateRow | undefined;
  return state && withScript(store, state);
}

function withScript(store: ProjectionStore, state: AgentDraftStateRow): StoredDraft {
  return { ...(store.statement(SCRIPT).get(state.draft) as unknown as AgentDraftRow), ...state };
}

/** The columns that the run of a deployment reads. */
export const AGENT_LOG = `SELECT action, kind, recordedAtEpochMs, barEpochMs, barIndex, filledBaseAtoms, filledNotionalAtoms, positionBaseAtoms
  FROM agentActions INDEXED BY agentActionsByDeployment WHERE deployment = :deployment AND action > :after ORDER BY action LIMIT :limit`;

export function agentLog(store: ProjectionStore, { deployment, after, limit }: AgentLogQuery): readonly LoggedAction[] {
  return store.statement(AGENT_LOG).all({ deployment, after, limit }) as unknown as readonly LoggedAction[];
}
