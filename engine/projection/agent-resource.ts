/** Agent accounts and their fundings as resources of the contract. */
import type { AgentAccountResource } from '#contract/agent-accounts.ts';
import type { AgentFundingSummary } from '#contract/agent-funding.ts';
import { SETTLEMENT_ASSET } from '#contract/fields.ts';
import type { AgentFundingObstacle, AgentFundingQuery, AgentFundingView, AgentReads } from '#reads/agent-reads.ts';
import type { PageEntries, PendingPage } from '#reads/reads.ts';
import { type AccountOrdinal, renderAccountId } from '#units/ids.ts';
import type { AccountRow, AgentFundingRow, AgentFundingStateRow } from './account-rows.ts';
import { renderMoney } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

export const AGENT_ACCOUNTS =
  'SELECT * FROM accounts INDEXED BY agentAccounts WHERE agentOwner = ? AND agentOwner <> 0 ORDER BY account';

type StoredFunding = AgentFundingRow & AgentFundingStateRow;

export function agentFundingSelect(direction: AgentFundingQuery['direction']): string {
  const order = direction === 'oldest_first' ? 'ASC' : 'DESC';
  return `SELECT * FROM agentFundings INDEXED BY agentFundingsByAgent WHERE agentAccount = :agentAccount
    AND createdSequence > :above AND createdSequence < :below ORDER BY createdSequence ${order} LIMIT :limit`;
}

export function agentReads(store: ProjectionStore): AgentReads {
  const accountOf = (account: AccountOrdinal): AccountRow => {
    const row = store.accounts.find(account);
    if (row === undefined) throw new Error(`there is no account ${account}`);
    return row;
  };
  const isOf = (agentAccount: AccountOrdinal, account: AccountOrdinal) =>
    store.accounts.find(agentAccount)?.agentOwner === account;
  return {
    agentAccounts(account) {
      const owner = accountOf(account);
      const rows = store.statement(AGENT_ACCOUNTS).all(account) as unknown as AccountRow[];
      return rows.map((row) => agentAccountResource(row, owner));
    },
    agentFundings(query) {
      return isOf(query.agentAccount, query.account) ? fundingPage(store, query) : undefined;
    },
    agentFunding(account, agentAccount, transferId) {
      const row = store.agentFundings.find(transferId);
      if (row?.account !== account || row.agentAccount !== agentAccount) return undefined;
      return fundingView(withState(store, row), accountOf(account), accountOf(agentAccount));
    },
  };
}

function agentAccountResource(row: AccountRow, owner: AccountRow): AgentAccountResource {
  const isRetired = row.isRetired === 1 || owner.isRetired === 1;
  const status = owner.consentState === 'present' ? 'identity_ready' : 'consent_missing';
  return {
    agentAccountId: renderAccountId(row.account),
    label: row.label,
    status: isRetired ? 'retired' : status,
    asset: SETTLEMENT_ASSET,
    cashBalanceAtoms: String(row.cashAtoms),
    cashBalance: renderMoney(row.cashAtoms),
  };
}

function fundingPage(
  store: ProjectionStore,
  { agentAccount, direction, limit, after }: AgentFundingQuery,
): PendingPage<AgentFundingSummary> {
  const [last] = after ?? [];
  const above = direction === 'oldest_first' ? (last ?? 0) : 0;
  const below = direction === 'newest_first' ? (last ?? Number.MAX_SAFE_INTEGER) : Number.MAX_SAFE_INTEGER;
  const found = store
    .statement(agentFundingSelect(direction))
    .all({ agentAccount, above, below, limit: limit + 1 }) as unknown as AgentFundingRow[];
  const rows = found.slice(0, limit).map((row) => withState(store, row));
  const pending: PageEntries<AgentFundingSummary> = {
    length: rows.length,
    slice: (from, to) => rows.slice(from, to).map(fundingSummary),
  };
  return {
    entries: rows.map(fundingSummary),
    pending,
    ...(found.length > limit && { nextAfter: [rows.at(-1)!.createdSequence] }),
  };
}

/** The state is written in the record that creates the funding. */
function withState(store: ProjectionStore, row: AgentFundingRow): StoredFunding {
  return { ...row, ...store.agentFundingStates.find(row.transferId)! };
}

function fundingSummary(row: StoredFunding): AgentFundingSummary {
  const { transferId, account, agentAccount, direction, amountAtoms, status, expiresAtEpochMs, createdAtEpochMs } = row;
  return {
    transferId,
    accountId: renderAccountId(account),
    agentAccountId: renderAccountId(agentAccount),
    direction,
    asset: SETTLEMENT_ASSET,
    amount: renderMoney(amountAtoms),
    amountAtoms: String(amountAtoms),
    status,
    expiresAtEpochMs,
    createdAtEpochMs,
  };
}

function fundingView(row: StoredFunding, owner: AccountRow, agent: AccountRow): AgentFundingView {
  return { funding: fundingSummary(row), movedSequence: row.movedSequence, obstacle: obstacleOf(row, owner, agent) };
}

/** In the order of the core's checks. Money returns also from and to retired accounts. */
function obstacleOf(
  { direction, amountAtoms }: StoredFunding,
  owner: AccountRow,
  agent: AccountRow,
): AgentFundingObstacle | null {
  const isIncoming = direction === 'owner_to_agent';
  if (owner.isLegacy === 1 || agent.isLegacy === 1) return 'account_legacy_excluded';
  if (isIncoming && (owner.isRetired === 1 || agent.isRetired === 1)) return 'account_retired';
  if (isIncoming && owner.consentState !== 'present') return 'agent_account_not_ready';
  const from = isIncoming ? owner : agent;
  return amountAtoms > from.cashAtoms - from.reservedAtoms ? 'insufficient_cash' : null;
}
