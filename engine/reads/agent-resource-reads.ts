/** The response bodies of reads of agents: their accounts and fundings, drafts, deployments, action logs and positions. */
import type { AgentAccountList } from '#contract/agent-accounts.ts';
import type { AgentActionLog } from '#contract/agent-actions.ts';
import type { AgentDeploymentList, SingleAgentDeployment } from '#contract/agent-deployments.ts';
import type { AgentDraftList } from '#contract/agent-drafts.ts';
import type { AgentFundingList } from '#contract/agent-funding.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { AccountOrdinal, AgentDeploymentOrdinal, AgentDraftOrdinal } from '#units/ids.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import type { AgentLogQuery, LoggedAction } from './agent-log.ts';
import type { AgentFundingQuery, AgentFundingView } from './agent-reads.ts';
import type { ActionQuery, AgentDraftView, DeploymentQuery } from './deployment-reads.ts';
import { type PagedBody, pagedBody } from './paged-body.ts';
import { type CursorScope, listEnding } from './paging.ts';
import type { Reads } from './reads.ts';

/** Each as of the newest folded record. They take existing accounts only. */
export interface AgentResourceReads {
  /** The agent accounts of an owner, with the retired ones. */
  agentAccountList(account: AccountOrdinal): AgentAccountList;
  /** `undefined` if the owner has no such agent account. */
  agentFundingList(scope: CursorScope, query: AgentFundingQuery): PagedBody<AgentFundingList> | undefined;
  /** `undefined` if the agent account of the owner has no such funding. */
  agentFunding(account: AccountOrdinal, agentAccount: AccountOrdinal, transferId: string): AgentFundingView | undefined;
  agentDraftList(account: AccountOrdinal): AgentDraftList;
  /** `undefined` if the account has no such draft or deployment, here and below. */
  agentDraft(account: AccountOrdinal, draft: AgentDraftOrdinal): AgentDraftView | undefined;
  agentDeploymentList(query: DeploymentQuery): AgentDeploymentList;
  agentDeployment(account: AccountOrdinal, deployment: AgentDeploymentOrdinal): SingleAgentDeployment | undefined;
  agentActionLog(account: AccountOrdinal, query: ActionQuery): AgentActionLog | undefined;
  /** Of the agent account that the deployment is bound to. */
  agentPositions(account: AccountOrdinal, deployment: AgentDeploymentOrdinal): PositionSnapshot | undefined;
  /** The action log of a deployment in numbers, for its run. */
  agentLog(query: AgentLogQuery): readonly LoggedAction[];
}

export function agentResourceReads(reads: Reads): AgentResourceReads {
  return {
    agentAccountList: (account) => ({
      version: 'external-agent-account-list/v1',
      accountId: renderAccountId(account),
      agentAccounts: [...reads.agentAccounts(account)],
      freshness: reads.freshness(),
    }),
    agentFundingList: (scope, query) => agentFundingList(reads, scope, query),
    agentFunding: (account, agentAccount, transferId) => reads.agentFunding(account, agentAccount, transferId),
    agentDraftList: (account) => ({
      version: 'external-agent-draft-list/v1',
      accountId: renderAccountId(account),
      drafts: [...reads.agentDrafts(account)],
      freshness: reads.freshness(),
    }),
    agentDraft: (account, draft) => reads.agentDraft(account, draft),
    agentDeploymentList(query) {
      const deployments = [...reads.agentDeployments(query)];
      return {
        version: 'external-agent-deployment-list/v1',
        accountId: renderAccountId(query.account),
        deployments,
        nextAfterDeploymentId: lastOfFull(deployments, query.limit)?.deploymentId ?? null,
        freshness: reads.freshness(),
      };
    },
    agentDeployment(account, number) {
      const deployment = reads.agentDeployment(account, number);
      return deployment && { version: 'external-agent-deployment/v1', deployment };
    },
    agentActionLog(account, query) {
      const log = reads.agentActions(account, query);
      if (log === undefined) return undefined;
      const actions = [...log.actions];
      const nextAfterActionId = lastOfFull(actions, query.limit)?.actionId ?? null;
      return { ...log, actions, nextAfterActionId, freshness: reads.freshness() };
    },
    agentPositions(account, number) {
      const deployment = reads.agentDeployment(account, number);
      return deployment && reads.positions(parseAccountId(deployment.agentAccountId)!);
    },
    agentLog: (query) => reads.agentLog(query),
  };
}

function agentFundingList(reads: Reads, scope: CursorScope, query: AgentFundingQuery): PagedBody<AgentFundingList> | undefined {
  const page = reads.agentFundings(query);
  if (page === undefined) return undefined;
  const { account, agentAccount } = query;
  return pagedBody<AgentFundingList>()(
    {
      version: 'external-agent-funding-list/v1',
      accountId: renderAccountId(account),
      agentAccountId: renderAccountId(agentAccount),
    },
    'fundings',
    page.pending,
    listEnding(reads, scope, page),
  );
}

/** The last entry of a full page, after which the list may continue. */
function lastOfFull<Entry>(entries: readonly Entry[], limit: number): Entry | undefined {
  return entries.length === limit ? entries.at(-1) : undefined;
}
