/** Moves money by postings. Each posting that changes a balance emits an event with its kind and the resulting balance. */
import type { QuoteAtoms } from '#units/money.ts';
import { minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import type { PostingKind, VenueLedger } from '#venue/event.ts';
import type { Turn } from '#venue/turn.ts';
import type { Account } from './account.ts';

/** Adds a signed amount to an account's cash. A zero amount emits no posting. */
export function postCash(turn: Turn, account: Account, kind: PostingKind, amountAtoms: QuoteAtoms): void {
  if (amountAtoms === 0) return;
  account.cashAtoms = plus(account.cashAtoms, amountAtoms);
  const { cashPosted: cash } = turn.drafts;
  cash.account = account.ordinal;
  cash.kind = kind;
  cash.amountAtoms = amountAtoms;
  cash.cashAtoms = account.cashAtoms;
  turn.events.cashPosted(cash);
}

/** Adds a signed amount to a ledger of the venue. A zero amount emits no posting. */
export function postLedger(turn: Turn, ledger: VenueLedger, amountAtoms: QuoteAtoms): void {
  if (amountAtoms === 0) return;
  turn.state.ledgers[ledger] = plus(turn.state.ledgers[ledger], amountAtoms);
  const { ledgerPosted: posted } = turn.drafts;
  posted.ledger = ledger;
  posted.amountAtoms = amountAtoms;
  posted.balanceAtoms = turn.state.ledgers[ledger];
  turn.events.ledgerPosted(posted);
}

/** Gives back to the insurance fund what it has paid for a position. */
export function repayFund(turn: Turn, account: Account, amountAtoms: QuoteAtoms): void {
  postCash(turn, account, 'insurance_cover', minus(ZERO_QUOTE, amountAtoms));
  postLedger(turn, 'insurance', amountAtoms);
}

/** Moves a fee from cash to the venue's fees ledger. A negative fee is a rebate and moves back. */
export function payFee(turn: Turn, account: Account, feeAtoms: QuoteAtoms): void {
  postCash(turn, account, 'trade_fee', minus(ZERO_QUOTE, feeAtoms));
  postLedger(turn, 'fees', feeAtoms);
}

/**
 * Covers the loss of a close beyond all that backs it: first from the insurance fund, which has `fundAtoms` for it, then from the
 * venue's deficit ledger. Returns what the fund pays.
 */
export function coverShortfall(turn: Turn, account: Account, amountAtoms: QuoteAtoms, fundAtoms: QuoteAtoms): QuoteAtoms {
  const insured = smallerOf(amountAtoms, fundAtoms);
  postCash(turn, account, 'insurance_cover', insured);
  postLedger(turn, 'insurance', minus(ZERO_QUOTE, insured));
  const uncovered = minus(amountAtoms, insured);
  postCash(turn, account, 'deficit_cover', uncovered);
  postLedger(turn, 'deficit', minus(ZERO_QUOTE, uncovered));
  return insured;
}
