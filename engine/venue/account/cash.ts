/** Moves money, one posting at a time. Every posting that changes a balance is an event with its kind and its result. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import { minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import type { PostingKind, VenueLedger } from '#venue/event.ts';
import type { Draft, EventWriter } from '#venue/record/event-writer.ts';
import type { VenueState } from '#venue/state.ts';
import type { Account } from './account.ts';

const cash: Draft<'CashPosted'> = {
  account: 0 as AccountOrdinal,
  kind: 'deposit',
  amountAtoms: ZERO_QUOTE,
  cashAtoms: ZERO_QUOTE,
};
const posted: Draft<'LedgerPosted'> = { ledger: 'fees', amountAtoms: ZERO_QUOTE, balanceAtoms: ZERO_QUOTE };

/** Adds a signed amount to an account's cash. Nothing is posted for nothing. */
export function postCash(account: Account, kind: PostingKind, amountAtoms: QuoteAtoms, events: EventWriter): void {
  if (amountAtoms === 0) return;
  account.cashAtoms = plus(account.cashAtoms, amountAtoms);
  cash.account = account.ordinal;
  cash.kind = kind;
  cash.amountAtoms = amountAtoms;
  cash.cashAtoms = account.cashAtoms;
  events.cashPosted(cash);
}

/** Adds a signed amount to one of the venue's ledgers. */
export function postLedger(state: VenueState, ledger: VenueLedger, amountAtoms: QuoteAtoms, events: EventWriter): void {
  if (amountAtoms === 0) return;
  state.ledgers[ledger] = plus(state.ledgers[ledger], amountAtoms);
  posted.ledger = ledger;
  posted.amountAtoms = amountAtoms;
  posted.balanceAtoms = state.ledgers[ledger];
  events.ledgerPosted(posted);
}

/** Pays a fee out of cash, into the venue's fees; a rebate goes the other way. */
export function payFee(state: VenueState, account: Account, feeAtoms: QuoteAtoms, events: EventWriter): void {
  postCash(account, 'trade_fee', minus(ZERO_QUOTE, feeAtoms), events);
  postLedger(state, 'fees', feeAtoms, events);
}

/**
 * Gives an account what a close cost beyond everything that backed it: out of the insurance fund, and what that does not
 * hold at the venue's expense.
 */
export function coverShortfall(state: VenueState, account: Account, amountAtoms: QuoteAtoms, events: EventWriter): void {
  const insured = smallerOf(amountAtoms, state.ledgers.insurance);
  postCash(account, 'insurance_cover', insured, events);
  postLedger(state, 'insurance', minus(ZERO_QUOTE, insured), events);
  const uncovered = minus(amountAtoms, insured);
  postCash(account, 'deficit_cover', uncovered, events);
  postLedger(state, 'deficit', minus(ZERO_QUOTE, uncovered), events);
}
