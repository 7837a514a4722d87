/** Money that moves between accounts, the venue's ledgers and the outside. */
import type { AccountOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/**
 * Why cash moved. `margin_lock` and `margin_release` move it between cash and a position's margin; `insurance_cover` and
 * `deficit_cover` are what the venue pays where the close of a liquidated position costs more than backs it.
 */
export const POSTING_KINDS = [
  'deposit',
  'trade_fee',
  'realized_pnl',
  'margin_lock',
  'margin_release',
  'deficit_cover',
  'insurance_cover',
  'liquidation_fee',
  'withdrawal_reserve',
  'withdrawal_release',
  'transfer_out',
  'transfer_in',
] as const;
export type PostingKind = (typeof POSTING_KINDS)[number];

/** An account's cash moved by a signed amount; `cashAtoms` is what it came to. */
export interface CashPosted {
  readonly type: 'CashPosted';
  readonly account: AccountOrdinal;
  readonly kind: PostingKind;
  readonly amountAtoms: QuoteAtoms;
  readonly cashAtoms: QuoteAtoms;
}

/**
 * The venue's own ledgers: `fees` it took; `deficit`, at or below zero, what closes cost beyond all that covers them;
 * `insurance`, the fund that covers them first; `funding`, what payers of a period have paid and receivers not yet got;
 * `withdrawals`, cash that is reserved to leave.
 */
export const VENUE_LEDGERS = ['fees', 'deficit', 'insurance', 'funding', 'withdrawals'] as const;
export type VenueLedger = (typeof VENUE_LEDGERS)[number];

/** A ledger of the venue moved by a signed amount; `balanceAtoms` is what it came to. */
export interface LedgerPosted {
  readonly type: 'LedgerPosted';
  readonly ledger: VenueLedger;
  readonly amountAtoms: QuoteAtoms;
  readonly balanceAtoms: QuoteAtoms;
}

/** Cash is on its way out: taken from the account, held by the venue until it is settled or released. */
export interface WithdrawalReserved {
  readonly type: 'WithdrawalReserved';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
}

/** The cash came back to the account. */
export interface WithdrawalReleased {
  readonly type: 'WithdrawalReleased';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

/** The cash has left the venue. */
export interface WithdrawalSettled {
  readonly type: 'WithdrawalSettled';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

export interface CashTransferred {
  readonly type: 'CashTransferred';
  readonly from: AccountOrdinal;
  readonly to: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
}

export type MoneyEvent =
  | CashPosted
  | LedgerPosted
  | WithdrawalReserved
  | WithdrawalReleased
  | WithdrawalSettled
  | CashTransferred;

export const MONEY_EVENTS: EventLayouts<MoneyEvent> = {
  CashPosted: {
    tag: 8,
    fields: (io, it) => ({
      type: 'CashPosted',
      account: io.u32(it.account),
      kind: io.oneOf(POSTING_KINDS, it.kind),
      amountAtoms: io.int(it.amountAtoms),
      cashAtoms: io.int(it.cashAtoms),
    }),
  },
  LedgerPosted: {
    tag: 9,
    fields: (io, it) => ({
      type: 'LedgerPosted',
      ledger: io.oneOf(VENUE_LEDGERS, it.ledger),
      amountAtoms: io.int(it.amountAtoms),
      balanceAtoms: io.int(it.balanceAtoms),
    }),
  },
  WithdrawalReserved: {
    tag: 20,
    fields: (io, it) => ({
      type: 'WithdrawalReserved',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
      destination: io.text(it.destination),
    }),
  },
  WithdrawalReleased: {
    tag: 21,
    fields: (io, it) => ({
      type: 'WithdrawalReleased',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
    }),
  },
  WithdrawalSettled: {
    tag: 22,
    fields: (io, it) => ({
      type: 'WithdrawalSettled',
      withdrawal: io.int(it.withdrawal),
      account: io.u32(it.account),
      amountAtoms: io.int(it.amountAtoms),
    }),
  },
  CashTransferred: {
    tag: 23,
    fields: (io, it) => ({
      type: 'CashTransferred',
      from: io.u32(it.from),
      to: io.u32(it.to),
      amountAtoms: io.int(it.amountAtoms),
      reference: io.text(it.reference),
    }),
  },
};
