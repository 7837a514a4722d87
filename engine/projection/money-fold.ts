/** Deposits, withdrawals and transfers between accounts. Each function folds one event into one row. */
import type { EpochMs } from '#units/money.ts';
import type {
  CashPosted,
  CashTransferred,
  WithdrawalReleased,
  WithdrawalRequested,
  WithdrawalReserved,
  WithdrawalSettled,
} from '#venue/event.ts';
import type { AccountRow, DepositRow, Moment, TransferRow, WithdrawalRow } from './rows.ts';

/**
 * The time of the next change of an account's deposits and withdrawals: that of the record, but later than the previous change. So the
 * changes of an account have distinct times, and a client that pages by time misses no change.
 */
export function nextTransferTime({ transferredAtEpochMs }: AccountRow, at: Moment): EpochMs {
  return Math.max(at.epochMs, transferredAtEpochMs + 1) as EpochMs;
}

export function creditedDeposit({ account, amountAtoms }: CashPosted, updatedAtEpochMs: EpochMs, at: Moment): DepositRow {
  return { sequence: at.sequence, account, amountAtoms, updatedAtEpochMs };
}

export function reservedWithdrawal(
  event: WithdrawalReserved | WithdrawalRequested,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): WithdrawalRow {
  const { withdrawal, account, amountAtoms, destination } = event;
  const named = { withdrawal, account, amountAtoms, destination };
  const times = { reservedAtEpochMs: at.epochMs, endedAtEpochMs: null, updatedAtEpochMs };
  return { ...named, ...times, status: 'reserved', lastSequence: at.sequence };
}

/** Throws unless the withdrawal is reserved and ends with the whole reserved amount. */
export function endedWithdrawal(
  withdrawal: WithdrawalRow,
  event: WithdrawalReleased | WithdrawalSettled,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): WithdrawalRow {
  if (withdrawal.status !== 'reserved' || withdrawal.amountAtoms !== event.amountAtoms)
    throw new Error(
      `withdrawal ${event.withdrawal} of ${withdrawal.amountAtoms} is ${withdrawal.status} and cannot end with ${event.amountAtoms}`,
    );
  const status = event.type === 'WithdrawalSettled' ? 'settled' : 'released';
  return { ...withdrawal, status, endedAtEpochMs: at.epochMs, updatedAtEpochMs, lastSequence: at.sequence };
}

export function cashTransfer(event: CashTransferred, at: Moment): TransferRow {
  const { from, to, amountAtoms, reference } = event;
  return {
    sequence: at.sequence,
    fromAccount: from,
    toAccount: to,
    amountAtoms,
    reference,
    transferredAtEpochMs: at.epochMs,
  };
}
