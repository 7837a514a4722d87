/** Events of deposits and withdrawals on the external ledger. Their cash moves by the events of `money-events.ts`. */
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { EventLayouts } from '#venue/record/layout.ts';
import { DEPOSIT_STEPS, type DepositStep, DUE_DEPOSIT_STEPS, type DueDepositStep } from '#venue/transfer/deposit-steps.ts';
import { type LedgerEvent, ledgerEventLayout, receiptLayout, type StepReceipt } from '#venue/transfer/ledger-steps.ts';
import { FUNDING_SOURCES, type FundingSource } from '#venue/transfer/settlement-state.ts';
import {
  DUE_WITHDRAWAL_STEPS,
  type DueWithdrawalStep,
  OPEN_WITHDRAWAL_STATUSES,
  type OpenWithdrawalStatus,
  WITHDRAWAL_STEPS,
  type WithdrawalStep,
} from '#venue/transfer/withdrawal-steps.ts';

export interface FundingIntentCreated {
  readonly type: 'FundingIntentCreated';
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly source: FundingSource;
}

/** A deposit will pay the intent. Its first step is due. */
export interface DepositBound {
  readonly type: 'DepositBound';
  readonly deposit: DepositOrdinal;
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly ledgerKey: string;
  readonly partyId: string;
}

/** The ledger may have the command of the step from now on. */
export interface DepositStepSubmitted {
  readonly type: 'DepositStepSubmitted';
  readonly deposit: DepositOrdinal;
  readonly account: AccountOrdinal;
  readonly step: DepositStep;
  readonly attempt: number;
  /** Of the newest offer; 0 before the first one. */
  readonly offerExpiresAtEpochMs: EpochMs;
}

/** The ledger sequenced the step, and the next one is due. */
export interface DepositStepRecorded extends StepReceipt {
  readonly type: 'DepositStepRecorded';
  readonly deposit: DepositOrdinal;
  readonly account: AccountOrdinal;
  readonly step: DepositStep;
  readonly attempt: number;
  readonly nextStep: DueDepositStep;
  readonly nextAttempt: number;
}

/** The money is in the venue's custody. The posting follows. */
export interface DepositConfirmed {
  readonly type: 'DepositConfirmed';
  readonly deposit: DepositOrdinal;
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly ledgerEventId: string;
}

/** The offer expired. It will be withdrawn, and a new one made. */
export interface DepositRenewed {
  readonly type: 'DepositRenewed';
  readonly deposit: DepositOrdinal;
  readonly account: AccountOrdinal;
  readonly nextStep: DepositStep;
}

/** An owner's cash is reserved for a withdrawal: its status is `requested`. The postings follow. */
export interface WithdrawalRequested {
  readonly type: 'WithdrawalRequested';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
  readonly ledgerKey: string;
  readonly idempotencyKey: string;
}

export interface WithdrawalStatusChanged {
  readonly type: 'WithdrawalStatusChanged';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly status: OpenWithdrawalStatus;
}

/** The ledger may have the command of the step from now on. */
export interface WithdrawalStepSubmitted {
  readonly type: 'WithdrawalStepSubmitted';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly step: WithdrawalStep;
  readonly attempt: number;
  /** Of the payout offer; 0 before it. */
  readonly offerExpiresAtEpochMs: EpochMs;
  readonly status: OpenWithdrawalStatus;
}

/** The ledger sequenced the step. If the next step is an end, the events of the end follow. */
export interface WithdrawalStepRecorded extends StepReceipt {
  readonly type: 'WithdrawalStepRecorded';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly step: WithdrawalStep;
  readonly attempt: number;
  readonly nextStep: DueWithdrawalStep;
  readonly nextAttempt: number;
}

/** The withdrawal ended without a payout. `WithdrawalReleased` and its postings follow. */
export interface WithdrawalBlocked {
  readonly type: 'WithdrawalBlocked';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reason: string;
}

/** The payout offer expired. It will be withdrawn. */
export interface WithdrawalRenewed {
  readonly type: 'WithdrawalRenewed';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly nextStep: WithdrawalStep;
}

/** The venue settles on this ledger, for good. */
export interface LedgerBound {
  readonly type: 'LedgerBound';
  readonly ledgerId: string;
  readonly treasuryPartyId: string;
  readonly custodyPartyId: string;
}

/** The ledger's receipt of this turn's change of a party or a consent. */
export interface LedgerEventSeen extends LedgerEvent {
  readonly type: 'LedgerEventSeen';
}

/** The operator has dealt with all entries of the ledger up to this event: the next comparison starts after it. */
export interface LedgerEntriesAccepted extends LedgerEvent {
  readonly type: 'LedgerEntriesAccepted';
  readonly reason: string;
}

/** From here on, nothing new starts on the external ledger while the switches do not permit it. */
export interface LedgerGuarded {
  readonly type: 'LedgerGuarded';
  readonly isGuarded: boolean;
}

/** The caller's id for the money that this turn moved. It is used up for good. */
export interface MoneyIdUsed {
  readonly type: 'MoneyIdUsed';
  readonly moneyId: string;
}

export type SettlementEvent =
  | FundingIntentCreated
  | DepositBound
  | DepositStepSubmitted
  | DepositStepRecorded
  | DepositConfirmed
  | DepositRenewed
  | WithdrawalRequested
  | WithdrawalStatusChanged
  | WithdrawalStepSubmitted
  | WithdrawalStepRecorded
  | WithdrawalBlocked
  | WithdrawalRenewed
  | LedgerBound
  | MoneyIdUsed
  | LedgerEventSeen
  | LedgerEntriesAccepted
  | LedgerGuarded;

export const SETTLEMENT_EVENTS: EventLayouts<SettlementEvent> = {
  FundingIntentCreated: {
    tag: 50,
    fields: (io, it) => ({
      type: 'FundingIntentCreated',
      intent: io.int(it.intent),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      source: io.oneOf(FUNDING_SOURCES, it.source),
    }),
  },
  DepositBound: {
    tag: 51,
    fields: (io, it) => ({
      type: 'DepositBound',
      deposit: io.int(it.deposit),
      intent: io.int(it.intent),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      ledgerKey: io.text(it.ledgerKey),
      partyId: io.text(it.partyId),
    }),
  },
  DepositStepSubmitted: {
    tag: 52,
    fields: (io, it) => ({
      type: 'DepositStepSubmitted',
      deposit: io.int(it.deposit),
      account: io.u32(it.account),
      step: io.oneOf(DEPOSIT_STEPS, it.step),
      attempt: io.u32(it.attempt),
      offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
    }),
  },
  DepositStepRecorded: {
    tag: 53,
    fields: (io, it) => ({
      type: 'DepositStepRecorded',
      deposit: io.int(it.deposit),
      account: io.u32(it.account),
      step: io.oneOf(DEPOSIT_STEPS, it.step),
      attempt: io.u32(it.attempt),
      ...receiptLayout(io, it),
      nextStep: io.oneOf(DUE_DEPOSIT_STEPS, it.nextStep),
      nextAttempt: io.u32(it.nextAttempt),
    }),
  },
  DepositConfirmed: {
    tag: 54,
    fields: (io, it) => ({
      type: 'DepositConfirmed',
      deposit: io.int(it.deposit),
      intent: io.int(it.intent),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      ledgerEventId: io.text(it.ledgerEventId),
    }),
  },
  DepositRenewed: {
    tag: 55,
    fields: (io, it) => ({
      type: 'DepositRenewed',
      deposit: io.int(it.deposit),
      account: io.u32(it.account),
      nextStep: io.oneOf(DEPOSIT_STEPS, it.nextStep),
    }),
  },
  WithdrawalRequested: {
    tag: 56,
    fields: (io, it) => ({
      type: 'WithdrawalRequested',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      destination: io.text(it.destination),
      ledgerKey: io.text(it.ledgerKey),
      idempotencyKey: io.text(it.idempotencyKey),
    }),
  },
  WithdrawalStatusChanged: {
    tag: 57,
    fields: (io, it) => ({
      type: 'WithdrawalStatusChanged',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      status: io.oneOf(OPEN_WITHDRAWAL_STATUSES, it.status),
    }),
  },
  WithdrawalStepSubmitted: {
    tag: 58,
    fields: (io, it) => ({
      type: 'WithdrawalStepSubmitted',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      step: io.oneOf(WITHDRAWAL_STEPS, it.step),
      attempt: io.u32(it.attempt),
      offerExpiresAtEpochMs: io.int(it.offerExpiresAtEpochMs),
      status: io.oneOf(OPEN_WITHDRAWAL_STATUSES, it.status),
    }),
  },
  WithdrawalStepRecorded: {
    tag: 59,
    fields: (io, it) => ({
      type: 'WithdrawalStepRecorded',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      step: io.oneOf(WITHDRAWAL_STEPS, it.step),
      attempt: io.u32(it.attempt),
      ...receiptLayout(io, it),
      nextStep: io.oneOf(DUE_WITHDRAWAL_STEPS, it.nextStep),
      nextAttempt: io.u32(it.nextAttempt),
    }),
  },
  WithdrawalBlocked: {
    tag: 60,
    fields: (io, it) => ({
      type: 'WithdrawalBlocked',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      reason: io.text(it.reason),
    }),
  },
  WithdrawalRenewed: {
    tag: 61,
    fields: (io, it) => ({
      type: 'WithdrawalRenewed',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      nextStep: io.oneOf(WITHDRAWAL_STEPS, it.nextStep),
    }),
  },
  LedgerBound: {
    tag: 62,
    fields: (io, it) => ({
      type: 'LedgerBound',
      ledgerId: io.text(it.ledgerId),
      treasuryPartyId: io.text(it.treasuryPartyId),
      custodyPartyId: io.text(it.custodyPartyId),
    }),
  },
  LedgerGuarded: { tag: 67, fields: (io, it) => ({ type: 'LedgerGuarded', isGuarded: io.flag(it.isGuarded) }) },
  MoneyIdUsed: { tag: 63, fields: (io, it) => ({ type: 'MoneyIdUsed', moneyId: io.text(it.moneyId) }) },
  LedgerEventSeen: { tag: 64, fields: (io, it) => ({ type: 'LedgerEventSeen', ...ledgerEventLayout(io, it) }) },
  LedgerEntriesAccepted: {
    tag: 65,
    fields: (io, it) => ({ type: 'LedgerEntriesAccepted', ...ledgerEventLayout(io, it), reason: io.text(it.reason) }),
  },
};
