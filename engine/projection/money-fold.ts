/** Deposits, withdrawals and transfers between accounts. Each function folds one event into one row. */
import type { EpochMs } from '#units/money.ts';
import type {
  CashPosted,
  CashTransferred,
  DepositConfirmed,
  WithdrawalBlocked,
  WithdrawalReleased,
  WithdrawalRenewed,
  WithdrawalRequested,
  WithdrawalReserved,
  WithdrawalSettled,
  WithdrawalStatusChanged,
  WithdrawalStepRecorded,
  WithdrawalStepSubmitted,
} from '#venue/event.ts';
import { OFFER_NOT_ACCEPTED } from '#venue/transfer/withdrawal-steps.ts';
import type { AccountRow, DepositRow, TransferRow, WithdrawalRow } from './account-rows.ts';
import type { Moment } from './rows.ts';

/**
 * The time of the next change of an account's deposits and withdrawals: that of the record, but later than the previous change. So the
 * changes of an account have distinct times, and a client that pages by time misses no change.
 */
export function nextTransferTime({ transferredAtEpochMs }: AccountRow, at: Moment): EpochMs {
  return Math.max(at.epochMs, transferredAtEpochMs + 1) as EpochMs;
}

/** `confirmed` is the external ledger's confirmation in the same record; absent if the operator credited the cash. */
export function creditedDeposit(
  { account, amountAtoms }: CashPosted | DepositConfirmed,
  confirmed: DepositConfirmed | undefined,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): DepositRow {
  const { deposit = null, ledgerEventId = '' } = confirmed ?? {};
  return { sequence: at.sequence, account, amountAtoms, deposit, ledgerEventId, updatedAtEpochMs };
}

export function reservedWithdrawal(
  event: WithdrawalReserved | WithdrawalRequested,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): WithdrawalRow {
  const { withdrawal, account, amountAtoms, destination } = event;
  const isOfOwner = event.type === 'WithdrawalRequested';
  return {
    withdrawal,
    account,
    amountAtoms,
    destination,
    idempotencyKey: isOfOwner ? event.idempotencyKey : '',
    reservedAtEpochMs: at.epochMs,
    status: isOfOwner ? 'requested' : 'reserved',
    reason: '',
    step: isOfOwner ? 'owner_withdrawal_consent' : '',
    isSubmitted: 0,
    offerExpiresAtEpochMs: 0 as EpochMs,
    ledgerEventId: '',
    endedAtEpochMs: null,
    updatedAtEpochMs,
    lastSequence: at.sequence,
  };
}

export type WithdrawalProgress =
  | WithdrawalStatusChanged
  | WithdrawalStepSubmitted
  | WithdrawalStepRecorded
  | WithdrawalBlocked
  | WithdrawalRenewed;

/** Throws unless the withdrawal is open. */
export function changedWithdrawal(
  withdrawal: WithdrawalRow,
  event: WithdrawalProgress,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): WithdrawalRow {
  if (withdrawal.endedAtEpochMs !== null)
    throw new Error(`withdrawal ${event.withdrawal} is ${withdrawal.status} and cannot change by ${event.type}`);
  return { ...withdrawal, ...progressBy(withdrawal, event), updatedAtEpochMs, lastSequence: at.sequence };
}

function progressBy(before: WithdrawalRow, event: WithdrawalProgress): Partial<WithdrawalRow> {
  switch (event.type) {
    case 'WithdrawalStatusChanged':
      return { status: event.status };
    case 'WithdrawalStepSubmitted':
      return { status: event.status, isSubmitted: 1, offerExpiresAtEpochMs: event.offerExpiresAtEpochMs };
    case 'WithdrawalStepRecorded': {
      const { step, reason, nextStep, ledgerEventId } = event;
      const hasEnded = nextStep === 'settled' || nextStep === 'blocked';
      const because = step === 'offer_withdrawal' ? before.reason : reason;
      return { step: hasEnded ? '' : nextStep, isSubmitted: 0, reason: because, ledgerEventId };
    }
    case 'WithdrawalRenewed':
      return { step: event.nextStep, reason: OFFER_NOT_ACCEPTED };
    case 'WithdrawalBlocked':
      return { status: 'blocked', reason: event.reason, step: '' };
    default:
      return event satisfies never;
  }
}

/** Throws unless the withdrawal is open and ends with the whole reserved amount. A blocked one stays blocked. */
export function endedWithdrawal(
  withdrawal: WithdrawalRow,
  event: WithdrawalReleased | WithdrawalSettled,
  updatedAtEpochMs: EpochMs,
  at: Moment,
): WithdrawalRow {
  if (withdrawal.endedAtEpochMs !== null || withdrawal.amountAtoms !== event.amountAtoms)
    throw new Error(
      `withdrawal ${event.withdrawal} of ${withdrawal.amountAtoms} is ${withdrawal.status} and cannot end with ${event.amountAtoms}`,
    );
  const status = event.type === 'WithdrawalSettled' ? 'settled' : withdrawal.status === 'blocked' ? 'blocked' : 'released';
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
