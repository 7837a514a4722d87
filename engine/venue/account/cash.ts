/** Moves money, one posting at a time. Every posting that changes a balance is an event with its kind and its result. */
import type { QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_QUOTE } from '#units/money.ts';
import type { EmitEvent, PostingKind, VenueLedger } from '#venue/event.ts';
import type { VenueState } from '#venue/state.ts';
import type { Account } from './account.ts';

/** Adds a signed amount to an account's cash. Nothing is posted for nothing. */
export function postCash(account: Account, kind: PostingKind, amountAtoms: QuoteAtoms, emit: EmitEvent): void {
  if (amountAtoms === 0) return;
  account.cashAtoms = plus(account.cashAtoms, amountAtoms);
  emit({ type: 'CashPosted', account: account.ordinal, kind, amountAtoms, cashAtoms: account.cashAtoms });
}

/** Adds a signed amount to one of the venue's ledgers. */
export function postLedger(state: VenueState, ledger: VenueLedger, amountAtoms: QuoteAtoms, emit: EmitEvent): void {
  if (amountAtoms === 0) return;
  const balanceAtoms = plus(state.ledgers[ledger], amountAtoms);
  state.ledgers[ledger] = balanceAtoms;
  emit({ type: 'LedgerPosted', ledger, amountAtoms, balanceAtoms });
}

/** Pays a fee out of cash, into the venue's fees; a rebate goes the other way. */
export function payFee(state: VenueState, account: Account, feeAtoms: QuoteAtoms, emit: EmitEvent): void {
  postCash(account, 'trade_fee', minus(ZERO_QUOTE, feeAtoms), emit);
  postLedger(state, 'fees', feeAtoms, emit);
}

/** Gives an account what a close cost beyond everything that backed it, at the venue's expense. */
export function coverFromDeficit(state: VenueState, account: Account, amountAtoms: QuoteAtoms, emit: EmitEvent): void {
  postCash(account, 'deficit_cover', amountAtoms, emit);
  postLedger(state, 'deficit', minus(ZERO_QUOTE, amountAtoms), emit);
}

/** Covers what the fees of a turn took beyond available cash. Only closes come to that: all else was checked before. */
export function coverShortfall(state: VenueState, account: Account, emit: EmitEvent): void {
  const { availableAtoms } = account;
  if (availableAtoms < 0) coverFromDeficit(state, account, minus(ZERO_QUOTE, availableAtoms), emit);
}
