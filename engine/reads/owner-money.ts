/** Funding intents, deposits and open withdrawals of owners, as of the newest durable record. */
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import type { DepositStep } from '#venue/transfer/deposit-steps.ts';
import type { FundingIntentStatus } from '#venue/transfer/faucet.ts';
import type { StepOutcome } from '#venue/transfer/ledger-steps.ts';
import type { BoundLedger, FundingSource, OwnerWithdrawal, SeenLedgerHead } from '#venue/transfer/settlement-state.ts';

export type { DepositStep } from '#venue/transfer/deposit-steps.ts';
export type { FundingIntentStatus } from '#venue/transfer/faucet.ts';
export type { OpenWithdrawalStatus, WithdrawalStep } from '#venue/transfer/withdrawal-steps.ts';

export interface FundingIntentView {
  readonly intent: FundingIntentOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly source: FundingSource;
  /** `undefined` until a deposit is bound to it. */
  readonly deposit: DepositOrdinal | undefined;
  readonly status: FundingIntentStatus;
  readonly createdAtEpochMs: EpochMs;
}

/** The newest receipt of a deposit. */
export interface LastOutcome {
  readonly step: DepositStep;
  readonly outcome: StepOutcome;
  /** Why it was rejected; empty if it was accepted. */
  readonly reason: string;
  readonly ledgerEventId: string;
}

export interface DepositView {
  readonly deposit: DepositOrdinal;
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly ledgerKey: string;
  readonly partyId: string;
  /** The step that is due; `null` if the deposit is confirmed. */
  readonly step: DepositStep | null;
  readonly attempt: number;
  /** The ledger may have the command of the step that is due. */
  readonly isSubmitted: boolean;
  /** Empty before the first offer. */
  readonly offerId: string;
  /** 0 before the first offer. */
  readonly offerExpiresAtEpochMs: EpochMs;
  readonly confirmed: boolean;
  /** `undefined` before the first receipt. */
  readonly lastOutcome: LastOutcome | undefined;
}

/** An open withdrawal of an owner. Those that have ended are in the projection. */
export type WithdrawalView = OwnerWithdrawal;

/** The external ledger that the venue is bound to, and the recorded receipt with the highest offset. */
export type LedgerView = BoundLedger & SeenLedgerHead;

export interface OwnerMoney {
  /** Oldest first. */
  fundingIntents(account: AccountOrdinal): readonly FundingIntentView[];
  deposit(deposit: DepositOrdinal): DepositView | undefined;
  /** The deposits of all accounts that are not confirmed, oldest first. */
  openDeposits(): readonly DepositView[];
  /** `undefined` also for a withdrawal that has ended. */
  withdrawal(withdrawal: WithdrawalOrdinal): WithdrawalView | undefined;
  /** The open withdrawals of all accounts, oldest first. */
  openWithdrawals(): readonly WithdrawalView[];
  /** The sum of withdrawals that are reserved on the ledger and have no payout offer yet. */
  unofferedWithdrawalsAtoms(): QuoteAtoms;
  /** `undefined` until the venue is bound to a ledger. */
  ledger(): LedgerView | undefined;
  /** Whether the switches decide what starts on the ledger: not yet in a journal of an earlier program. */
  isLedgerGuarded(): boolean;
}
