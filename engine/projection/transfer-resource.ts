/** Deposits and withdrawals in one list, by the time of their last change, which is unique within an account. */
import type { TransferResource } from '#contract/transfers.ts';
import type { Reads, TransferQuery } from '#reads/reads.ts';
import { renderAccountId, renderDepositId, renderWithdrawalId } from '#units/ids.ts';
import type { DepositRow, WithdrawalRow } from './account-rows.ts';
import { renderMoney } from './market-scales.ts';
import type { ProjectionStore } from './store.ts';

const WALK =
  'WHERE account = :account AND updatedAtEpochMs > :above AND updatedAtEpochMs < :below ORDER BY updatedAtEpochMs LIMIT :limit';
export const DEPOSITS_CHANGED = `SELECT * FROM deposits INDEXED BY depositsByAccount ${WALK}`;
export const WITHDRAWALS_CHANGED = `SELECT * FROM withdrawals INDEXED BY withdrawalsByAccount ${WALK}`;

/** Reads a page of each kind, with one entry more than the limit, which shows that there are more. */
export function transferPage(store: ProjectionStore, query: TransferQuery): ReturnType<Reads['transfers']> {
  const { account, kind, limit, sinceEpochMs = 0, untilEpochMs, afterEpochMs = 0 } = query;
  const above = Math.max(sinceEpochMs - 1, afterEpochMs);
  const below = untilEpochMs === undefined ? Number.MAX_SAFE_INTEGER : untilEpochMs + 1;
  const values = { account, above, below, limit: limit + 1 };
  const found: TransferResource[] = [];
  if (kind !== 'withdrawal')
    for (const row of store.statement(DEPOSITS_CHANGED).all(values)) found.push(depositResource(row as unknown as DepositRow));
  if (kind !== 'deposit')
    for (const row of store.statement(WITHDRAWALS_CHANGED).all(values))
      found.push(withdrawalResource(row as unknown as WithdrawalRow));
  found.sort((left, right) => left.updatedAtEpochMs - right.updatedAtEpochMs);
  return { entries: found.slice(0, limit), hasMore: found.length > limit };
}

function depositResource(deposit: DepositRow): TransferResource {
  return {
    transferId: `deposit-${deposit.sequence}`,
    kind: 'deposit',
    depositId: deposit.deposit === null ? null : renderDepositId(deposit.deposit),
    ...moved(deposit),
    status: 'credited',
    ledgerEventId: deposit.ledgerEventId || journalEvent(deposit.sequence),
    updatedAtEpochMs: deposit.updatedAtEpochMs,
    lastSequence: deposit.sequence,
  };
}

function withdrawalResource(withdrawal: WithdrawalRow): TransferResource {
  const { status, ledgerEventId, lastSequence } = withdrawal;
  return {
    transferId: renderWithdrawalId(withdrawal.withdrawal),
    kind: 'withdrawal',
    depositId: null,
    ...moved(withdrawal),
    // A blocked withdrawal has released its cash.
    status: status === 'blocked' ? 'released' : status,
    ledgerEventId: status === 'settled' ? ledgerEventId || journalEvent(lastSequence) : null,
    updatedAtEpochMs: withdrawal.updatedAtEpochMs,
    lastSequence,
  };
}

function moved({ account, amountAtoms }: DepositRow | WithdrawalRow) {
  const accountId = renderAccountId(account);
  return { accountId, asset: 'USD.E', amountAtoms: String(amountAtoms), amount: renderMoney(amountAtoms) } as const;
}

/** Without an external ledger, the record of the movement is its ledger event. */
function journalEvent(sequence: number): string {
  return `journal-${sequence}`;
}
