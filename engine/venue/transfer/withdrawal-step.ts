/**
 * The steps of an owner's withdrawal on the external ledger. A step is submitted in the journal before it is submitted to the ledger, and
 * its receipt is recorded once. The receipt of the owner's acceptance settles the withdrawal.
 */
import type { WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { isExpiryOf, isReceiptOf, receiptLayout, resultOf, type StepReceipt } from './ledger-steps.ts';
import { blockWithdrawal, checkWithdrawal } from './owner-withdrawal.ts';
import { emitSettlement } from './settlement-fold.ts';
import { checkLedgerStart } from './settlement-gate.ts';
import { commitSettlement } from './withdrawal.ts';
import { WITHDRAWAL_STEPS, type WithdrawalStep, withdrawalStepAfter } from './withdrawal-steps.ts';

/** The step that is due will be submitted to the ledger: exactly the attempt that was approved. */
export interface SubmitWithdrawalStep {
  readonly type: 'SubmitWithdrawalStep';
  readonly withdrawal: WithdrawalOrdinal;
  readonly step: WithdrawalStep;
  readonly attempt: number;
  /** Of the payout offer; 0 for the other steps. */
  readonly offerExpiresAtEpochMs: EpochMs;
}

/** The ledger's receipt of the submitted step. */
export interface RecordWithdrawalStep extends StepReceipt {
  readonly type: 'RecordWithdrawalStep';
  readonly withdrawal: WithdrawalOrdinal;
  readonly step: WithdrawalStep;
  readonly attempt: number;
}

/** The payout offer has expired and its acceptance was not submitted: the offer will be withdrawn. */
export interface RenewWithdrawal {
  readonly type: 'RenewWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
}

export type WithdrawalStepCommand = SubmitWithdrawalStep | RecordWithdrawalStep | RenewWithdrawal;

export const WITHDRAWAL_STEP_COMMANDS: CommandRules<WithdrawalStepCommand> = {
  SubmitWithdrawalStep: {
    plan: planWithdrawalSubmission,
    commit: commitWithdrawalSubmission,
    layout: {
      tag: 48,
      fields: (io, it) => ({
        type: 'SubmitWithdrawalStep',
        withdrawal: io.int(it.withdrawal),
        step: io.oneOf(WITHDRAWAL_STEPS, it.step),
        attempt: io.int(it.attempt),
        offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
      }),
    },
  },
  RecordWithdrawalStep: {
    plan: planWithdrawalRecord,
    commit: commitWithdrawalRecord,
    layout: {
      tag: 49,
      fields: (io, it) => ({
        type: 'RecordWithdrawalStep',
        withdrawal: io.int(it.withdrawal),
        step: io.oneOf(WITHDRAWAL_STEPS, it.step),
        attempt: io.int(it.attempt),
        ...receiptLayout(io, it),
      }),
    },
  },
  RenewWithdrawal: {
    plan: planWithdrawalRenewal,
    commit: commitWithdrawalRenewal,
    layout: { tag: 51, fields: (io, it) => ({ type: 'RenewWithdrawal', withdrawal: io.int(it.withdrawal) }) },
  },
};

/**
 * Only an authorized withdrawal goes to the ledger. The consent is its first step there. The steps after it go on in every status:
 * without them the cash would stay reserved without an end.
 */
export function planWithdrawalSubmission(turn: Turn, command: SubmitWithdrawalStep): Refusal | undefined {
  const { withdrawal, step, attempt, offerExpiresAtEpochMs } = command;
  const refusal = checkWithdrawal(
    turn,
    withdrawal,
    (it) =>
      (it.status === 'authorized' || it.status === 'submitted') &&
      it.step === step &&
      it.attempt === attempt &&
      !it.isSubmitted &&
      isExpiryOf(step, offerExpiresAtEpochMs, turn.now),
  );
  return refusal ?? (step === 'owner_withdrawal_consent' ? checkLedgerStart(turn.state, 'withdrawals') : undefined);
}

export function commitWithdrawalSubmission(turn: Turn, command: SubmitWithdrawalStep): void {
  const { withdrawal, step, attempt, offerExpiresAtEpochMs: given } = command;
  const { account, offerExpiresAtEpochMs: before } = turn.state.settlement.withdrawals.get(withdrawal)!;
  const offerExpiresAtEpochMs = given === 0 ? before : given;
  const submitted = { withdrawal, account, step, attempt, offerExpiresAtEpochMs, status: 'submitted' } as const;
  emitSettlement(turn, { type: 'WithdrawalStepSubmitted', ...submitted });
}

/** A receipt that comes twice, or that belongs to another attempt, is refused: the step is not submitted any more. */
export function planWithdrawalRecord(turn: Turn, command: RecordWithdrawalStep): Refusal | undefined {
  const { withdrawal, step, attempt } = command;
  return checkWithdrawal(
    turn,
    withdrawal,
    (it) => it.step === step && it.isSubmitted && it.attempt === attempt && isReceiptOf(step, command),
  );
}

export function commitWithdrawalRecord(turn: Turn, command: RecordWithdrawalStep): void {
  const { withdrawal, step, attempt } = command;
  const { withdrawals } = turn.state.settlement;
  const { account, isRenewal } = withdrawals.get(withdrawal)!;
  const { step: nextStep, isNewAttempt } = withdrawalStepAfter(step, isRenewal, resultOf(step, command));
  const nextAttempt = isNewAttempt ? attempt + 1 : attempt;
  emitSettlement(turn, { ...command, type: 'WithdrawalStepRecorded', account, nextStep, nextAttempt });
  const recorded = withdrawals.get(withdrawal)!;
  if (nextStep === 'blocked') blockWithdrawal(turn, recorded, recorded.reason);
  if (nextStep === 'settled') commitSettlement(turn, { type: 'SettleWithdrawal', withdrawal });
}

export function planWithdrawalRenewal(turn: Turn, { withdrawal }: RenewWithdrawal): Refusal | undefined {
  return checkWithdrawal(
    turn,
    withdrawal,
    (it) => it.step === 'owner_offer_acceptance' && !it.isSubmitted && turn.now >= it.offerExpiresAtEpochMs,
  );
}

export function commitWithdrawalRenewal(turn: Turn, { withdrawal }: RenewWithdrawal): void {
  const { account } = turn.state.settlement.withdrawals.get(withdrawal)!;
  emitSettlement(turn, { type: 'WithdrawalRenewed', withdrawal, account, nextStep: 'offer_withdrawal' });
}
