/** The money of owners in the writer's own thread: a copy of the core's state that follows the events of committed records. */
import type { DepositView, FundingIntentView, LedgerView, OwnerMoney, WithdrawalView } from '#reads/owner-money.ts';
import type { AccountOrdinal, DepositOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { SETTLEMENT_EVENTS, type VenueEvent } from '#venue/event.ts';
import { fundingIntentStatus } from '#venue/transfer/faucet.ts';
import { type FoldedEvent, foldSettlement } from '#venue/transfer/settlement-fold.ts';
import type { Deposit, FundingIntent, SettlementState } from '#venue/transfer/settlement-state.ts';

export class OwnerMoneyDirectory implements OwnerMoney {
  readonly #state: SettlementState;
  readonly #isRetired: (account: AccountOrdinal) => boolean;
  readonly #unconfirmed = new Set<DepositOrdinal>();

  constructor(state: SettlementState, isRetired: (account: AccountOrdinal) => boolean) {
    this.#state = state.copyOfFlows();
    this.#isRetired = isRetired;
    for (const { deposit, step } of state.deposits.values()) if (step !== 'none') this.#unconfirmed.add(deposit);
  }

  /** Ignores events of other state. */
  take(event: VenueEvent, epochMs: EpochMs): void {
    if (!isOfSettlement(event)) return;
    foldSettlement(this.#state, event, epochMs);
    if (event.type === 'DepositBound') this.#unconfirmed.add(event.deposit);
    if (event.type === 'DepositConfirmed') this.#unconfirmed.delete(event.deposit);
  }

  fundingIntents(account: AccountOrdinal): readonly FundingIntentView[] {
    const granted = this.#state.grantOf(account);
    return granted === undefined ? [] : [this.#intentView(this.#state.intents.get(granted)!)];
  }

  deposit(deposit: DepositOrdinal): DepositView | undefined {
    const bound = this.#state.deposits.get(deposit);
    return bound && depositView(bound);
  }

  openDeposits(): readonly DepositView[] {
    return [...this.#unconfirmed].map((deposit) => this.deposit(deposit)!);
  }

  withdrawal(withdrawal: WithdrawalOrdinal): WithdrawalView | undefined {
    return this.#state.withdrawals.get(withdrawal);
  }

  openWithdrawals(): readonly WithdrawalView[] {
    return [...this.#state.withdrawals.values()];
  }

  unofferedWithdrawalsAtoms(): QuoteAtoms {
    return this.#state.unofferedWithdrawalsAtoms;
  }

  ledger(): LedgerView | undefined {
    const { ledger, ledgerHead } = this.#state;
    return ledger && { ...ledger, ...ledgerHead };
  }

  isLedgerGuarded(): boolean {
    return this.#state.isGuarded;
  }

  #intentView(granted: FundingIntent): FundingIntentView {
    const { intent, account, amountAtoms, source, deposit, createdAtEpochMs } = granted;
    const bound = deposit === 0 ? undefined : this.#state.deposits.get(deposit);
    const status = fundingIntentStatus(this.#isRetired(account), bound);
    return { intent, amountAtoms, source, deposit: bound?.deposit, status, createdAtEpochMs };
  }
}

function depositView(it: Deposit): DepositView {
  const { deposit, intent, account, amountAtoms, ledgerKey, partyId, attempt, isSubmitted, offerId } = it;
  const { offerExpiresAtEpochMs, step, lastStep, lastOutcome, lastReason, ledgerEventId } = it;
  const named = { deposit, intent, account, amountAtoms, ledgerKey, partyId };
  const receipt = { step: lastStep, reason: lastReason, ledgerEventId };
  return {
    ...named,
    step: step === 'none' ? null : step,
    attempt,
    isSubmitted,
    offerId,
    offerExpiresAtEpochMs,
    confirmed: step === 'none',
    lastOutcome: lastOutcome === 'none' ? undefined : { ...receipt, outcome: lastOutcome },
  };
}

function isOfSettlement(event: VenueEvent): event is FoldedEvent {
  return event.type in SETTLEMENT_EVENTS || event.type === 'WithdrawalReleased' || event.type === 'WithdrawalSettled';
}
