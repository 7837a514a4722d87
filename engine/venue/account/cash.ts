/** Moves money, one posting at a time. Every posting that changes a balance is an event with its kind and its result. */
import type { QuoteAtoms } from '#units/money.ts';
import { minus, plus, smallerOf, ZERO_QUOTE } from '#units/money.ts';
import type { PostingKind, VenueLedger } from '#venue/event.ts';
import type { Turn } from '#venue/turn.ts';
import type { Account } from './account.ts';

/** Adds a signed amount to an account's cash. Nothing is posted for nothing. */
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

/** Adds a signed amount to one of the venue's ledgers. */
export function postLedger(turn: Turn, ledger: VenueLedger, amountAtoms: QuoteAtoms): void {
  if (amountAtoms === 0) return;
  turn.state.ledgers[ledger] = plus(turn.state.ledgers[ledger], amountAtoms);
  const { ledgerPosted: posted } = turn.drafts;
  posted.ledger = ledger;
  posted.amountAtoms = amountAtoms;
  posted.balanceAtoms = turn.state.ledgers[ledger];
  turn.events.ledgerPosted(posted);
}

/** Pays a fee out of cash, into the venue's fees; a rebate goes the other way. */
export function payFee(turn: Turn, account: Account, feeAtoms: QuoteAtoms): void {
  postCash(turn, account, 'trade_fee', minus(ZERO_QUOTE, feeAtoms));
  postLedger(turn, 'fees', feeAtoms);
}

/**
 * Gives an account what a close cost beyond everything that backed it: out of the insurance fund, and what that does not
 * hold at the venue's expense.
 */
export function coverShortfall(turn: Turn, account: Account, amountAtoms: QuoteAtoms): void {
  const insured = smallerOf(amountAtoms, turn.state.ledgers.insurance);
  postCash(turn, account, 'insurance_cover', insured);
  postLedger(turn, 'insurance', minus(ZERO_QUOTE, insured));
  const uncovered = minus(amountAtoms, insured);
  postCash(turn, account, 'deficit_cover', uncovered);
  postLedger(turn, 'deficit', minus(ZERO_QUOTE, uncovered));
}
