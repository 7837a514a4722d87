/** The audit of reads detects any change of the mutable state and reports its kind. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, onTestFinished, test } from 'vitest';
import { History } from '#simulation/history.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { running, trade } from '#venue/agent/testing/agents.ts';
import { auditDifferences } from '#venue/audit/state-audit.ts';
import { openProjection } from './projection.ts';

const ALICE = 1 as AccountOrdinal;

/** Two accounts with a position each, one of them with open orders, a key, and a reserved withdrawal; and a deployment with an order. */
function traded(): History {
  const history = History.begin(2);
  const key = { keyId: 'k1', digest: 'ab'.repeat(32), label: 'bot', expiresAtEpochMs: 0 as EpochMs };
  history.run({ type: 'IssueApiKey', account: ALICE, ...key, scopes: ['read', 'trade'] });
  history.limit(1, 'buy', 9_990, 100);
  history.limit(1, 'buy', 9_980, 100);
  history.market(2, 'sell', 130);
  history.run({ type: 'ReserveWithdrawal', account: ALICE, amountAtoms: 5 as QuoteAtoms, destination: 'party::elsewhere' });
  running(history);
  trade(history, 'sell', 10);
  return history;
}

/** Statements that empty an index but keep its declaration. */
function emptied(index: string): string {
  const declare = (sql: string) => `PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ${sql} WHERE name = '${index}';
    PRAGMA writable_schema = RESET;`;
  return `${declare("sql || ' AND 0'")} REINDEX ${index}; ${declare("replace(sql, ' AND 0', '')")}`;
}

const changes: [shown: RegExp, sql: string][] = [
  [
    /^accounts: 4, cashAtoms 19986757108, .+, not 4, cashAtoms 19986757107,/,
    'UPDATE accounts SET cashAtoms = cashAtoms + 1 WHERE account = 2',
  ],
  [/^accounts: 4, .+, with different content$/, "UPDATE accounts SET label = 'another' WHERE account = 2"],
  [/^apiKeys: 1, with different content$/, "UPDATE apiKeys SET scopes = 'read trade funding'"],
  [/^apiKeys: 0, not 1$/, 'UPDATE apiKeys SET isRevoked = 1'],
  [/^positions: 2, .+, with different content$/, 'UPDATE episodes SET signedBaseAtoms = signedBaseAtoms - 1 WHERE account = 2'],
  [/^positions: 1, .+, not 2,/, "UPDATE episodes SET status = 'closed' WHERE account = 1"],
  [/^positions: 0, .+, not 2,/, emptied('openEpisodesByMarket')],
  [
    /^orders: 1, remainingAtoms 69, not 1, remainingAtoms 70$/,
    "UPDATE orders SET filledAtoms = filledAtoms + 1 WHERE status = 'open'",
  ],
  [/^orders: 0, remainingAtoms 0, not 1,/, "DELETE FROM orders WHERE status = 'open'"],
  [/^markets: 1, with different content$/, 'UPDATE marketActivity SET markPriceAtoms = markPriceAtoms + 1'],
  [/^ledgers: \d, balanceAtoms/, "UPDATE ledgers SET balanceAtoms = balanceAtoms + 1 WHERE ledger = 'fees'"],
  [/^withdrawals: 1, amountAtoms 5, with different content$/, 'UPDATE withdrawals SET account = 2'],
  [/^agentDrafts: 1, with different content$/, "UPDATE agentDrafts SET name = 'another'"],
  [/^agentDrafts: 1, with different content$/, "UPDATE agentDraftStates SET reviewDigest = ''"],
  [/^agentDrafts: 0, not 1$/, 'UPDATE agentDraftStates SET isRemoved = 1'],
  [/^agentDeployments: 1, .+, with different content$/, 'UPDATE agentDeployments SET lastIndex = lastIndex + 1'],
  [/^agentDeployments: 1, cashQuoteAtoms \d+, .+, not 1,/, 'UPDATE agentDeployments SET cashQuoteAtoms = cashQuoteAtoms + 1'],
  [/^agentDeployments: 0, .+, not 1,/, "UPDATE agentDeployments SET state = 'stopped'"],
  [/^numbers: 7, last \d+, not 7, last \d+$/, 'DELETE FROM agentActions'],
  [/^numbers: 7, last \d+, not 7, last \d+$/, 'DELETE FROM trades WHERE trade = (SELECT max(trade) FROM trades)'],
];

test.each(changes)('shows %s', (shown, sql) => {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const history = traded();
  const path = join(folder, 'projection.sqlite');
  const projection = openProjection(path);
  onTestFinished(() => projection.abandon());
  projection.follow(history.group(0));
  projection.save();
  expect(auditDifferences(history.venue.audit(), projection.audit())).toEqual([]);
  const other = new DatabaseSync(path, { defensive: false });
  other.exec(sql);
  other.close();
  expect(auditDifferences(history.venue.audit(), projection.audit())).toEqual([expect.stringMatching(shown)]);
});
