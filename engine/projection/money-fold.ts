/** Cash that leaves the venue, and cash that goes from one account to another. Each function folds one event into one row. */
import type { CashTransferred, WithdrawalReleased, WithdrawalReserved, WithdrawalSettled } from '#venue/event.ts';
import type { Moment, TransferRow, WithdrawalRow } from './rows.ts';

export function reservedWithdrawal(event: WithdrawalReserved, at: Moment): WithdrawalRow {
  const { withdrawal, account, amountAtoms, destination } = event;
  const named = { withdrawal, account, amountAtoms, destination };
  return { ...named, reservedAtEpochMs: at.epochMs, status: 'reserved', endedAtEpochMs: null, lastSequence: at.sequence };
}

/** A withdrawal ends once, and with all that was reserved for it. */
export function endedWithdrawal(
  withdrawal: WithdrawalRow,
  event: WithdrawalReleased | WithdrawalSettled,
  at: Moment,
): WithdrawalRow {
  if (withdrawal.status !== 'reserved' || withdrawal.amountAtoms !== event.amountAtoms)
    throw new Error(
      `withdrawal ${event.withdrawal} of ${withdrawal.amountAtoms} is ${withdrawal.status} and cannot end with ${event.amountAtoms}`,
    );
  const status = event.type === 'WithdrawalSettled' ? 'settled' : 'released';
  return { ...withdrawal, status, endedAtEpochMs: at.epochMs, lastSequence: at.sequence };
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
