/**
 * Cash on its way out: reserved when a withdrawal is asked for, then either settled, when the money has left, or released.
 * In between it belongs to the venue's `withdrawals` ledger, so that nothing can be traded with it.
 */
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, ZERO_QUOTE } from '#units/money.ts';
import { postCash, postLedger } from '#venue/account/cash.ts';
import type { DebitCash, ReleaseWithdrawal, ReserveWithdrawal, SettleWithdrawal } from '#venue/command.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';

/** A withdrawal that is neither settled nor released. */
export interface PendingWithdrawal {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

export function planReservation(state: VenueState, command: ReserveWithdrawal | DebitCash): Refusal | undefined {
  const account = state.account(command.account);
  // A retired account trades no more, but what it has is its owner's to take away.
  if (account === undefined) return { code: 'account_not_found' };
  const { availableAtoms } = account;
  if (command.amountAtoms < 1) return { code: 'amount_out_of_bounds', bound: 1 };
  return command.amountAtoms > availableAtoms ? { code: 'insufficient_cash', bound: availableAtoms } : undefined;
}

export function commitReservation(state: VenueState, command: ReserveWithdrawal, events: EventWriter): void {
  const { account, amountAtoms, destination } = command;
  const withdrawal = state.nextWithdrawal();
  state.withdrawals.set(withdrawal, { withdrawal, account, amountAtoms });
  events.withdrawalReserved({ withdrawal, account, amountAtoms, destination });
  postCash(state.account(account)!, 'withdrawal_reserve', minus(ZERO_QUOTE, amountAtoms), events);
  postLedger(state, 'withdrawals', amountAtoms, events);
}

/** Emits what a reservation and its settlement emit, so that transfers, ledgers and net deposits follow as for any withdrawal. */
export function commitDebit(state: VenueState, { account, amountAtoms, reference }: DebitCash, events: EventWriter): void {
  commitReservation(state, { type: 'ReserveWithdrawal', account, amountAtoms, destination: reference }, events);
  commitSettlement(state, { type: 'SettleWithdrawal', withdrawal: state.lastWithdrawal }, events);
}

/** Answers for releasing and for settling: either way the withdrawal must still be pending. */
export function planEndOfWithdrawal(
  state: VenueState,
  { withdrawal }: ReleaseWithdrawal | SettleWithdrawal,
): Refusal | undefined {
  return state.withdrawals.has(withdrawal) ? undefined : { code: 'withdrawal_not_found' };
}

/** The cash goes back to its account, retired or not. */
export function commitRelease(state: VenueState, command: ReleaseWithdrawal, events: EventWriter): void {
  const { withdrawal, account, amountAtoms } = taken(state, command.withdrawal);
  events.withdrawalReleased({ withdrawal, account, amountAtoms });
  postLedger(state, 'withdrawals', minus(ZERO_QUOTE, amountAtoms), events);
  postCash(state.account(account)!, 'withdrawal_release', amountAtoms, events);
}

/** The money has left: it is no deposit any more. */
export function commitSettlement(state: VenueState, command: SettleWithdrawal, events: EventWriter): void {
  const { withdrawal, account, amountAtoms } = taken(state, command.withdrawal);
  events.withdrawalSettled({ withdrawal, account, amountAtoms });
  postLedger(state, 'withdrawals', minus(ZERO_QUOTE, amountAtoms), events);
  state.netDepositsAtoms = minus(state.netDepositsAtoms, amountAtoms);
}

function taken(state: VenueState, ordinal: WithdrawalOrdinal): PendingWithdrawal {
  const pending = state.withdrawals.get(ordinal)!;
  state.withdrawals.delete(ordinal);
  return pending;
}
