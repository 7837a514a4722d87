/** The tables of deposits, withdrawals, transfers, cash movements and agent fundings, and their indexes, which `schema.ts` includes. */
import type {
  AgentFundingRow,
  AgentFundingStateRow,
  CashMovementRow,
  DepositRow,
  TransferRow,
  WithdrawalRow,
} from './account-rows.ts';
import type { TableShape } from './table.ts';

export const MONEY_SCHEMA = `
CREATE TABLE deposits (
  sequence INTEGER PRIMARY KEY, account INTEGER NOT NULL, amountAtoms INTEGER NOT NULL, deposit INTEGER,
  ledgerEventId TEXT NOT NULL, updatedAtEpochMs INTEGER NOT NULL
) STRICT;
CREATE INDEX depositsByAccount ON deposits (account, updatedAtEpochMs);

CREATE TABLE withdrawals (
  withdrawal INTEGER PRIMARY KEY, account INTEGER NOT NULL, amountAtoms INTEGER NOT NULL, destination TEXT NOT NULL,
  idempotencyKey TEXT NOT NULL, reservedAtEpochMs INTEGER NOT NULL, status TEXT NOT NULL, reason TEXT NOT NULL, step TEXT NOT NULL,
  isSubmitted INTEGER NOT NULL, offerExpiresAtEpochMs INTEGER NOT NULL, ledgerEventId TEXT NOT NULL, endedAtEpochMs INTEGER,
  updatedAtEpochMs INTEGER NOT NULL, lastSequence INTEGER NOT NULL
) STRICT;
CREATE INDEX openWithdrawals ON withdrawals (withdrawal) WHERE endedAtEpochMs IS NULL;
CREATE INDEX withdrawalsByAccount ON withdrawals (account, updatedAtEpochMs);

CREATE TABLE transfers (
  sequence INTEGER PRIMARY KEY, fromAccount INTEGER NOT NULL, toAccount INTEGER NOT NULL, amountAtoms INTEGER NOT NULL,
  reference TEXT NOT NULL, transferredAtEpochMs INTEGER NOT NULL
) STRICT;
CREATE INDEX transfersFrom ON transfers (fromAccount);
CREATE INDEX transfersTo ON transfers (toAccount);

CREATE TABLE cashMovements (
  account INTEGER NOT NULL, movedAtEpochMs INTEGER NOT NULL, sequence INTEGER NOT NULL, posting INTEGER NOT NULL, kind TEXT NOT NULL,
  amountAtoms INTEGER NOT NULL, market INTEGER NOT NULL, position INTEGER NOT NULL, "order" INTEGER NOT NULL, trade INTEGER NOT NULL,
  reference TEXT NOT NULL, PRIMARY KEY (account, movedAtEpochMs, sequence, posting)
) STRICT, WITHOUT ROWID;

CREATE TABLE agentFundings (
  transferId TEXT PRIMARY KEY, account INTEGER NOT NULL, agentAccount INTEGER NOT NULL, direction TEXT NOT NULL,
  amountAtoms INTEGER NOT NULL, createdSequence INTEGER NOT NULL, createdAtEpochMs INTEGER NOT NULL,
  expiresAtEpochMs INTEGER NOT NULL
) STRICT;
CREATE INDEX agentFundingsByAgent ON agentFundings (agentAccount, createdSequence);

CREATE TABLE agentFundingStates (
  transferId TEXT PRIMARY KEY, status TEXT NOT NULL, movedSequence INTEGER
) STRICT;
CREATE INDEX approvedAgentFundings ON agentFundingStates (status) WHERE status = 'submitted';
`;

export const WITHDRAWALS: TableShape<WithdrawalRow> = {
  name: 'withdrawals',
  key: ['withdrawal'],
  changing: [
    'status',
    'reason',
    'step',
    'isSubmitted',
    'offerExpiresAtEpochMs',
    'ledgerEventId',
    'endedAtEpochMs',
    'updatedAtEpochMs',
    'lastSequence',
  ],
  isLive: (withdrawal) => withdrawal.endedAtEpochMs === null,
};

export const DEPOSITS: TableShape<DepositRow> = {
  name: 'deposits',
  key: ['sequence'],
  changing: [],
  isLive: () => false,
};

export const TRANSFERS: TableShape<TransferRow> = {
  name: 'transfers',
  key: ['sequence'],
  changing: [],
  isLive: () => false,
};

export const CASH_MOVEMENTS: TableShape<CashMovementRow> = {
  name: 'cashMovements',
  key: ['account', 'movedAtEpochMs', 'sequence', 'posting'],
  changing: [],
  isLive: () => false,
};

export const AGENT_FUNDINGS: TableShape<AgentFundingRow> = {
  name: 'agentFundings',
  key: ['transferId'],
  changing: [],
  isLive: () => false,
};

export const AGENT_FUNDING_STATES: TableShape<AgentFundingStateRow> = {
  name: 'agentFundingStates',
  key: ['transferId'],
  changing: ['status', 'movedSequence'],
  isLive: () => false,
};
