/** What the edge reads of agent accounts and their fundings. */
import type { AgentAccountResource } from '#contract/agent-accounts.ts';
import type { AgentFundingSummary } from '#contract/agent-funding.ts';
import type { AccountOrdinal, Sequence } from '#units/ids.ts';
import type { PageQuery, PendingPage } from './page.ts';

/** Why a funding cannot move now, as the core would refuse it. */
export type AgentFundingObstacle =
  | 'account_legacy_excluded'
  | 'account_retired'
  | 'agent_account_not_ready'
  | 'insufficient_cash';

/** A funding, and what stands against moving it as of the same record. */
export interface AgentFundingView {
  readonly funding: AgentFundingSummary;
  /** The record that moved the money; `null` before it. */
  readonly movedSequence: Sequence | null;
  readonly obstacle: AgentFundingObstacle | null;
}

export interface AgentFundingQuery extends Omit<PageQuery, 'sinceEpochMs' | 'untilEpochMs'> {
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
}

/** Each takes the account of the owner. */
export interface AgentReads {
  /** Oldest first. */
  agentAccounts(account: AccountOrdinal): readonly AgentAccountResource[];
  /** `undefined` if the owner has no such agent account. */
  agentFundings(query: AgentFundingQuery): PendingPage<AgentFundingSummary> | undefined;
  /** `undefined` if the agent account of the owner has no such funding. */
  agentFunding(account: AccountOrdinal, agentAccount: AccountOrdinal, transferId: string): AgentFundingView | undefined;
}
