/** The audit of the mutable state as reads see it: the queries use the same indexes as reads. */
import { type AuditedKind, type AuditedRow, type StateAudit, StateTally } from '#venue/audit/state-audit.ts';
import type { ProjectionStore } from './store.ts';

// The join over accounts uses the indexes by status. A counter without entries is 0.
const QUERIES: Readonly<Record<AuditedKind, string>> = {
  accounts: `SELECT account, label, partyId, isOwner, agentOwner, partyStatus, hasWallet, consentState, consentReason, isRetired, isLegacy, cashAtoms,
    reservedAtoms, coalesce(referrer, 0) AS referrer, kycSkippedAtEpochMs FROM accounts`,
  leverages: 'SELECT account, market, leverageHundredths FROM leverages WHERE leverageHundredths <> 0',
  affiliates: 'SELECT account, affiliate, referralCode, shareBps, registeredAtEpochMs FROM affiliates',
  apiKeys: 'SELECT keyId, account, digest, scopes, label, expiresAtEpochMs FROM apiKeys WHERE isRevoked = 0',
  positions: `SELECT e.position, e.account, e.market, e.signedBaseAtoms, e.entryNotionalAtoms, e.marginAtoms, e.insuredAtoms
    FROM accounts a CROSS JOIN episodes e ON e.account = a.account AND e.status = 'open'
    WHERE e.position IN (SELECT position FROM episodes INDEXED BY openEpisodesByMarket WHERE status = 'open')`,
  orders: `SELECT o."order", o.account, o.market, o.side, coalesce(o.priceAtoms, 0) AS priceAtoms,
    coalesce(o.quantityAtoms - o.filledAtoms, 0) AS remainingAtoms, o.reduceOnly, o.leverageHundredths
    FROM accounts a CROSS JOIN orders o ON o.account = a.account AND o.status = 'open'`,
  switches: "SELECT name, value FROM switches WHERE NOT (name = 'status' AND value = 'open')",
  markets: `SELECT m.market, m.marketId, m.ownStatus AS status, coalesce(t.indexPriceAtoms, 0) AS indexPriceAtoms,
    coalesce(t.markPriceAtoms, 0) AS markPriceAtoms, t.openInterestAtoms,
    t.fundDay, t.fundSpentAtoms, t.fundBalanceAtoms FROM markets m JOIN marketActivity t ON t.market = m.market`,
  ledgers: 'SELECT ledger, balanceAtoms FROM ledgers WHERE balanceAtoms <> 0',
  withdrawals: `SELECT withdrawal, account, amountAtoms, idempotencyKey, status, reason, step, isSubmitted, offerExpiresAtEpochMs
    FROM withdrawals WHERE endedAtEpochMs IS NULL`,
  agentDrafts: `SELECT draft, d.account, name, textDigest, reviewDigest FROM agentDraftStates s JOIN agentDrafts d USING (draft)
    WHERE s.isRemoved = 0`,
  agentDeployments: "SELECT * FROM agentDeployments WHERE state IN ('pending', 'running')",
  agentFundings: `SELECT f.transferId, f.account, f.agentAccount, f.direction, f.amountAtoms
    FROM agentFundingStates s JOIN agentFundings f ON f.transferId = s.transferId WHERE s.status = 'submitted'`,
  numbers: `SELECT 'order' AS kind, coalesce(max("order"), 0) AS last FROM orders
    UNION ALL SELECT 'trade', coalesce(max(trade), 0) FROM trades
    UNION ALL SELECT 'position', coalesce(max(position), 0) FROM episodes
    UNION ALL SELECT 'withdrawal', coalesce(max(withdrawal), 0) FROM withdrawals
    UNION ALL SELECT 'agent_draft', coalesce(max(draft), 0) FROM agentDrafts
    UNION ALL SELECT 'agent_deployment', coalesce(max(deployment), 0) FROM agentDeployments
    UNION ALL SELECT 'agent_action', coalesce(max(action), 0) FROM agentActions`,
};

export function auditOf(store: ProjectionStore): StateAudit {
  const tally = new StateTally();
  for (const [kind, sql] of Object.entries(QUERIES) as [AuditedKind, string][]) {
    for (const row of store.statement(sql).iterate()) tally.add(kind, row as AuditedRow<AuditedKind>);
  }
  return tally.audit();
}
