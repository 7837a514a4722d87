/**
 * Applies an event to the settlement state. The core and the directory of owners both change the state only by events, so that they
 * cannot differ.
 */
import type { DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type {
  DepositBound,
  DepositStepRecorded,
  DepositStepSubmitted,
  SettlementEvent,
  WithdrawalReleased,
  WithdrawalRequested,
  WithdrawalSettled,
  WithdrawalStepRecorded,
  WithdrawalStepSubmitted,
} from '#venue/event.ts';
import type { Turn } from '#venue/turn.ts';
import type { Deposit, OwnerWithdrawal, SettlementState } from './settlement-state.ts';
import { OFFER_NOT_ACCEPTED } from './withdrawal-steps.ts';

export type FoldedEvent = SettlementEvent | WithdrawalReleased | WithdrawalSettled;

const NO_TIME = 0 as EpochMs;

/** Emits an event and applies it. */
export function emitSettlement(turn: Turn, event: SettlementEvent): void {
  foldSettlement(turn.state.settlement, event, turn.now);
  turn.events.emit(event);
}

export function foldSettlement(state: SettlementState, event: FoldedEvent, epochMs: EpochMs): void {
  switch (event.type) {
    case 'FundingIntentCreated': {
      const { type: _, ...intent } = event;
      state.putIntent({ ...intent, createdAtEpochMs: epochMs, deposit: 0 });
      return;
    }
    case 'DepositBound':
      state.putIntent({ ...state.intents.get(event.intent)!, deposit: event.deposit });
      state.putDeposit(boundDeposit(event));
      return;
    case 'DepositStepSubmitted':
      state.putDeposit(submittedDeposit(depositOf(state, event.deposit), event));
      return;
    case 'DepositStepRecorded':
      state.putDeposit(recordedDeposit(depositOf(state, event.deposit), event));
      state.see(event);
      return;
    case 'DepositRenewed':
      state.putDeposit({ ...depositOf(state, event.deposit), step: event.nextStep, isRenewal: true });
      return;
    case 'WithdrawalRequested':
      state.putWithdrawal(requestedWithdrawal(event, epochMs));
      return;
    case 'WithdrawalStatusChanged':
      state.putWithdrawal({ ...withdrawalOf(state, event.withdrawal), status: event.status });
      return;
    case 'WithdrawalStepSubmitted':
      state.putWithdrawal(submittedWithdrawal(withdrawalOf(state, event.withdrawal), event));
      return;
    case 'WithdrawalStepRecorded':
      state.putWithdrawal(recordedWithdrawal(withdrawalOf(state, event.withdrawal), event));
      state.see(event);
      return;
    case 'WithdrawalRenewed': {
      const before = withdrawalOf(state, event.withdrawal);
      state.putWithdrawal({ ...before, step: event.nextStep, isRenewal: true, reason: OFFER_NOT_ACCEPTED });
      return;
    }
    case 'WithdrawalReleased':
    case 'WithdrawalSettled':
      state.endWithdrawal(event.withdrawal);
      return;
    case 'LedgerBound': {
      const { type: _, ...ledger } = event;
      state.ledger = ledger;
      return;
    }
    case 'LedgerEventSeen':
    case 'LedgerEntriesAccepted':
      state.see(event);
      return;
    case 'LedgerGuarded':
      state.isGuarded = event.isGuarded;
      return;
    case 'MoneyIdUsed':
      state.moneyIds.add(event.moneyId);
      return;
    // The record of its last step has confirmed it; the release ends a blocked withdrawal.
    case 'DepositConfirmed':
    case 'WithdrawalBlocked':
      return;
    default:
      event satisfies never;
  }
}

function boundDeposit({ deposit, intent, account, amountAtoms, ledgerKey, partyId }: DepositBound): Deposit {
  return {
    deposit,
    intent,
    account,
    amountAtoms,
    ledgerKey,
    partyId,
    step: 'treasury_offer',
    attempt: 1,
    isSubmitted: false,
    isRenewal: false,
    offerId: '',
    offerExpiresAtEpochMs: NO_TIME,
    lastStep: 'treasury_offer',
    lastOutcome: 'none',
    lastReason: '',
    ledgerEventId: '',
  };
}

function submittedDeposit(deposit: Deposit, { offerExpiresAtEpochMs }: DepositStepSubmitted): Deposit {
  return { ...deposit, isSubmitted: true, offerExpiresAtEpochMs };
}

function recordedDeposit(deposit: Deposit, event: DepositStepRecorded): Deposit {
  const { step, outcome, reason, createdId, ledgerEventId, nextStep, nextAttempt } = event;
  return {
    ...deposit,
    step: nextStep,
    attempt: nextAttempt,
    isSubmitted: false,
    isRenewal: false,
    offerId: step === 'treasury_offer' ? createdId : deposit.offerId,
    lastStep: step,
    lastOutcome: outcome,
    lastReason: reason,
    ledgerEventId,
  };
}

function requestedWithdrawal({ type: _, ...request }: WithdrawalRequested, requestedAtEpochMs: EpochMs): OwnerWithdrawal {
  return {
    ...request,
    status: 'requested',
    requestedAtEpochMs,
    step: 'owner_withdrawal_consent',
    attempt: 1,
    isSubmitted: false,
    isRenewal: false,
    consentId: '',
    offerId: '',
    offerExpiresAtEpochMs: NO_TIME,
    reason: '',
  };
}

function submittedWithdrawal(
  withdrawal: OwnerWithdrawal,
  { status, offerExpiresAtEpochMs }: WithdrawalStepSubmitted,
): OwnerWithdrawal {
  return { ...withdrawal, status, isSubmitted: true, offerExpiresAtEpochMs };
}

/** After its last step a withdrawal keeps that step until the events of its end, in the same turn. */
function recordedWithdrawal(withdrawal: OwnerWithdrawal, event: WithdrawalStepRecorded): OwnerWithdrawal {
  const { step, reason, createdId, nextStep, nextAttempt } = event;
  const { consentId, offerId } = withdrawal;
  return {
    ...withdrawal,
    step: nextStep === 'settled' || nextStep === 'blocked' ? step : nextStep,
    attempt: nextAttempt,
    isSubmitted: false,
    isRenewal: false,
    consentId: step === 'owner_withdrawal_consent' ? createdId : consentId,
    offerId: step === 'payout_offer' ? createdId : offerId,
    // Why the offer is withdrawn stays the reason while it is.
    reason: step === 'offer_withdrawal' ? withdrawal.reason : reason,
  };
}

function depositOf({ deposits }: SettlementState, deposit: DepositOrdinal): Deposit {
  return deposits.get(deposit)!;
}

function withdrawalOf({ withdrawals }: SettlementState, withdrawal: WithdrawalOrdinal): OwnerWithdrawal {
  return withdrawals.get(withdrawal)!;
}
