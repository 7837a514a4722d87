/** Lists of drafts and deployments of an owner, and pages of the action log of a deployment, by number and in both directions. */
import type { AccountOrdinal, AgentActionOrdinal, AgentDeploymentOrdinal } from '#units/ids.ts';
import type { AgentActionRow, AgentDeploymentRow, AgentDraftRow, AgentDraftStateRow } from './agent-rows.ts';
import type { ProjectionStore } from './store.ts';

export interface ActionQuery {
  readonly deployment: AgentDeploymentOrdinal;
  readonly direction: 'oldest_first' | 'newest_first';
  readonly limit: number;
  /** The last action of the page before, in its direction. */
  readonly after?: AgentActionOrdinal;
}

/** A page with one row more than the limit if there are more. */
export function agentActionPage(store: ProjectionStore, query: ActionQuery): readonly AgentActionRow[] {
  const { deployment, direction, limit, after } = query;
  const first = direction === 'oldest_first' ? 0 : Number.MAX_SAFE_INTEGER;
  const found = store.statement(agentActionSelect(direction)).all({ deployment, after: after ?? first, limit: limit + 1 });
  return found as unknown as readonly AgentActionRow[];
}

export function agentActionSelect(direction: ActionQuery['direction']): string {
  const [comparison, order] = direction === 'oldest_first' ? ['>', 'ASC'] : ['<', 'DESC'];
  return `SELECT * FROM agentActions INDEXED BY agentActionsByDeployment WHERE deployment = :deployment AND action ${comparison} :after
    ORDER BY action ${order} LIMIT :limit`;
}

export const DEPLOYMENTS_OF_ACCOUNT =
  'SELECT * FROM agentDeployments INDEXED BY agentDeploymentsByAccount WHERE account = :account ORDER BY deployment DESC LIMIT :limit';

/** The newest deployments of an owner, open and ended. */
export function agentDeploymentsOf(
  store: ProjectionStore,
  account: AccountOrdinal,
  limit: number,
): readonly AgentDeploymentRow[] {
  return store.statement(DEPLOYMENTS_OF_ACCOUNT).all({ account, limit }) as unknown as readonly AgentDeploymentRow[];
}

/** Also an ended one. */
export function agentDeployment(store: ProjectionStore, deployment: AgentDeploymentOrdinal): AgentDeploymentRow | undefined {
  const found = store.statement('SELECT * FROM agentDeployments WHERE deployment = ?').get(deployment);
  return found as unknown as AgentDeploymentRow | undefined;
}

export const DRAFTS_OF_ACCOUNT =
  'SELECT * FROM agentDraftStates INDEXED BY agentDraftsByAccount WHERE account = :account AND isRemoved = 0 ORDER BY draft';

export type AgentDraftView = AgentDraftRow & AgentDraftStateRow;

/** The drafts of an owner that are not removed, oldest first: at most 100, each with its text. */
export function agentDraftsOf(store: ProjectionStore, account: AccountOrdinal): readonly AgentDraftView[] {
  const states = store.statement(DRAFTS_OF_ACCOUNT).all({ account }) as unknown as readonly AgentDraftStateRow[];
  const script = store.statement('SELECT * FROM agentDrafts WHERE draft = ?');
  return states.map((state) => ({ ...(script.get(state.draft) as unknown as AgentDraftRow), ...state }));
}
