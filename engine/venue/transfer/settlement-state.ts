/**
 * The state of deposits and withdrawals on the external ledger: funding intents, deposits, open withdrawals, the ids of money that moved,
 * and the last known place in the ledger. Intents, deposits and ids stay for good, so that none is used twice.
 */
import type { AccountOrdinal, DepositOrdinal, FundingIntentOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { type EpochMs, minus, plus, type QuoteAtoms, ZERO_QUOTE } from '#units/money.ts';
import type { DepositStep, DueDepositStep } from './deposit-steps.ts';
import type { LedgerEvent, StepOutcome } from './ledger-steps.ts';
import type { OpenWithdrawalStatus, WithdrawalStep } from './withdrawal-steps.ts';

export const FUNDING_SOURCES = ['faucet'] as const;
export type FundingSource = (typeof FUNDING_SOURCES)[number];

/** Money that the venue will pay into an account by one deposit. */
export interface FundingIntent {
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly source: FundingSource;
  readonly createdAtEpochMs: EpochMs;
  /** 0 until a deposit is bound to it, then for good. */
  readonly deposit: DepositOrdinal | 0;
}

export const LAST_OUTCOMES = ['none', 'accepted', 'rejected'] as const;

/** The step that is due, and the offer that was made. */
interface StepState<Step extends string> {
  readonly step: Step;
  readonly attempt: number;
  /** The ledger may have the command of the step that is due. */
  readonly isSubmitted: boolean;
  /** An expired offer is being withdrawn. */
  readonly isRenewal: boolean;
  /** Empty until an offer was made. */
  readonly offerId: string;
  readonly offerExpiresAtEpochMs: EpochMs;
}

export interface Deposit extends StepState<DueDepositStep> {
  readonly deposit: DepositOrdinal;
  readonly intent: FundingIntentOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly ledgerKey: string;
  /** The party of the account when the deposit was bound. */
  readonly partyId: string;
  readonly lastStep: DepositStep;
  readonly lastOutcome: StepOutcome | 'none';
  /** Why the last recorded step was rejected; empty if it was accepted. */
  readonly lastReason: string;
  /** Of the last recorded step. */
  readonly ledgerEventId: string;
}

/** A withdrawal of an owner that is neither settled nor blocked. Its cash is in the `withdrawals` ledger. */
export interface OwnerWithdrawal extends StepState<WithdrawalStep> {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
  readonly ledgerKey: string;
  readonly idempotencyKey: string;
  readonly status: OpenWithdrawalStatus;
  readonly requestedAtEpochMs: EpochMs;
  /** The owner's consent on the ledger; empty before it. */
  readonly consentId: string;
  /** Why the offer is being withdrawn; empty before that. */
  readonly reason: string;
}

/** The external ledger that the venue settles on. */
export interface BoundLedger {
  readonly ledgerId: string;
  readonly treasuryPartyId: string;
  readonly custodyPartyId: string;
}

/** The event with the highest offset that the journal recorded, or that the operator accepted. */
export interface SeenLedgerHead {
  readonly offset: number;
  readonly ledgerEventId: string;
}

const NO_WITHDRAWALS = 0;

export class SettlementState {
  readonly intents = new Map<FundingIntentOrdinal, FundingIntent>();
  readonly deposits = new Map<DepositOrdinal, Deposit>();
  /** Ids that callers chose for money that they moved. */
  readonly moneyIds = new Set<string>();
  ledger: BoundLedger | undefined;
  /** Whether what starts on the ledger needs open switches. */
  isGuarded = false;
  ledgerHead: SeenLedgerHead = { offset: 0, ledgerEventId: '' };
  readonly #grants = new Map<AccountOrdinal, FundingIntentOrdinal>();
  readonly #withdrawals = new Map<WithdrawalOrdinal, OwnerWithdrawal>();
  readonly #openWithdrawals = new Map<AccountOrdinal, number>();
  #boundDepositsAtoms = ZERO_QUOTE;
  #unofferedWithdrawalsAtoms = ZERO_QUOTE;

  /** Open withdrawals of owners, oldest first. */
  get withdrawals(): ReadonlyMap<WithdrawalOrdinal, OwnerWithdrawal> {
    return this.#withdrawals;
  }

  /** The sum of deposits that are bound and not confirmed. It counts in the bound of all deposits. */
  get boundDepositsAtoms(): QuoteAtoms {
    return this.#boundDepositsAtoms;
  }

  /** The sum of withdrawals that are reserved on the ledger and have no payout offer yet: the custody must cover them. */
  get unofferedWithdrawalsAtoms(): QuoteAtoms {
    return this.#unofferedWithdrawalsAtoms;
  }

  /** Besides the guard. */
  get isInitial(): boolean {
    const isUnused = this.intents.size === 0 && this.#withdrawals.size === 0 && this.moneyIds.size === 0;
    return isUnused && this.ledger === undefined && this.ledgerHead.offset === 0;
  }

  /** The faucet's grant to an account. */
  grantOf(account: AccountOrdinal): FundingIntentOrdinal | undefined {
    return this.#grants.get(account);
  }

  nextIntent(): FundingIntentOrdinal {
    return (this.intents.size + 1) as FundingIntentOrdinal;
  }

  nextDeposit(): DepositOrdinal {
    return (this.deposits.size + 1) as DepositOrdinal;
  }

  /** Adds an intent or replaces its earlier state. */
  putIntent(intent: FundingIntent): void {
    this.intents.set(intent.intent, intent);
    this.#grants.set(intent.account, intent.intent);
  }

  /** Adds a deposit or replaces its earlier state. */
  putDeposit(deposit: Deposit): void {
    const before = this.deposits.get(deposit.deposit);
    this.deposits.set(deposit.deposit, deposit);
    this.#boundDepositsAtoms = minus(plus(this.#boundDepositsAtoms, boundAtoms(deposit)), boundAtoms(before));
  }

  openWithdrawalsOf(account: AccountOrdinal): number {
    return this.#openWithdrawals.get(account) ?? NO_WITHDRAWALS;
  }

  /** Adds a withdrawal or replaces its earlier state. */
  putWithdrawal(withdrawal: OwnerWithdrawal): void {
    const before = this.#withdrawals.get(withdrawal.withdrawal);
    if (before === undefined) this.#count(withdrawal.account, 1);
    this.#withdrawals.set(withdrawal.withdrawal, withdrawal);
    this.#replaceUnoffered(before, withdrawal);
  }

  /** Does nothing unless it is an open withdrawal of an owner. */
  endWithdrawal(ordinal: WithdrawalOrdinal): void {
    const withdrawal = this.#withdrawals.get(ordinal);
    if (withdrawal === undefined) return;
    this.#withdrawals.delete(ordinal);
    this.#count(withdrawal.account, -1);
    this.#replaceUnoffered(withdrawal, undefined);
  }

  /** A copy without the ids of money. */
  copyOfFlows(): SettlementState {
    const copy = new SettlementState();
    for (const intent of this.intents.values()) copy.putIntent(intent);
    for (const deposit of this.deposits.values()) copy.putDeposit(deposit);
    for (const withdrawal of this.#withdrawals.values()) copy.putWithdrawal(withdrawal);
    copy.ledger = this.ledger;
    copy.isGuarded = this.isGuarded;
    copy.ledgerHead = this.ledgerHead;
    return copy;
  }

  see({ ledgerOffset: offset, ledgerEventId }: LedgerEvent): void {
    if (offset > this.ledgerHead.offset) this.ledgerHead = { offset, ledgerEventId };
  }

  #replaceUnoffered(before: OwnerWithdrawal | undefined, after: OwnerWithdrawal | undefined): void {
    this.#unofferedWithdrawalsAtoms = minus(plus(this.#unofferedWithdrawalsAtoms, unofferedAtoms(after)), unofferedAtoms(before));
  }

  #count(account: AccountOrdinal, change: number): void {
    const open = this.openWithdrawalsOf(account) + change;
    if (open === 0) this.#openWithdrawals.delete(account);
    else this.#openWithdrawals.set(account, open);
  }
}

function boundAtoms(deposit: Deposit | undefined): QuoteAtoms {
  return deposit === undefined || deposit.step === 'none' ? ZERO_QUOTE : deposit.amountAtoms;
}

/** Its payout offer locks the money on the ledger. */
function unofferedAtoms(withdrawal: OwnerWithdrawal | undefined): QuoteAtoms {
  const isUnoffered = withdrawal !== undefined && withdrawal.status !== 'requested' && withdrawal.offerId === '';
  return isUnoffered ? withdrawal.amountAtoms : ZERO_QUOTE;
}
