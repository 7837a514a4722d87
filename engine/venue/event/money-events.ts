/** Events of money: movements between accounts, the venue's ledgers and the outside. */
import type { AccountOrdinal, MarketOrdinal, PositionOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { QuoteAtoms } from '#units/money.ts';
import type { EventLayouts } from '#venue/record/layout.ts';

/**
 * Why cash changed. `margin_lock` and `margin_release` move money between cash and a position's margin. `insurance_cover` and
 * `deficit_cover` are payments of the venue when closing a liquidated position loses more than backs it.
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

/** An account's cash changed by a signed amount; `cashAtoms` is the resulting balance. */
export interface CashPosted {
  readonly type: 'CashPosted';
  readonly account: AccountOrdinal;
  readonly kind: PostingKind;
  readonly amountAtoms: QuoteAtoms;
  readonly cashAtoms: QuoteAtoms;
}

/**
 * The venue's own ledgers. `fees`: collected fees. `insurance`: the fund that covers losses beyond margin. `deficit`: losses that
 * nothing covers, at or below zero. `funding`: funding that is paid and not yet distributed. `withdrawals`: pending withdrawals.
 */
export const VENUE_LEDGERS = ['fees', 'deficit', 'insurance', 'funding', 'withdrawals'] as const;
export type VenueLedger = (typeof VENUE_LEDGERS)[number];

/** A ledger of the venue changed by a signed amount; `balanceAtoms` is the resulting balance. */
export interface LedgerPosted {
  readonly type: 'LedgerPosted';
  readonly ledger: VenueLedger;
  readonly amountAtoms: QuoteAtoms;
  readonly balanceAtoms: QuoteAtoms;
}

/** Cash moved from an account to the `withdrawals` ledger, until the withdrawal is settled or released. */
export interface WithdrawalReserved {
  readonly type: 'WithdrawalReserved';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
}

/** The cash of a withdrawal returned to its account. */
export interface WithdrawalReleased {
  readonly type: 'WithdrawalReleased';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

/** The cash of a withdrawal left the venue. */
export interface WithdrawalSettled {
  readonly type: 'WithdrawalSettled';
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
}

/** A position cost or brought the insurance fund something. What the fund has for its market is the resulting state. */
export interface FundMoved {
  readonly type: 'FundMoved';
  readonly market: MarketOrdinal;
  readonly account: AccountOrdinal;
  readonly position: PositionOrdinal;
  /** Negative if the fund paid. */
  readonly amountAtoms: QuoteAtoms;
  /** What the position owes the fund now. */
  readonly insuredAtoms: QuoteAtoms;
  /** The last UTC day with a payment for the market, counted from the epoch, and the sum of that day. */
  readonly day: number;
  readonly spentAtoms: QuoteAtoms;
  /** What the market's positions have brought the fund, less what it has paid for them. */
  readonly balanceAtoms: QuoteAtoms;
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
  | FundMoved
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
  FundMoved: {
    tag: 111,
    fields: (io, it) => ({
      type: 'FundMoved',
      market: io.u32(it.market),
      account: io.u32(it.account),
      position: io.int(it.position),
      amountAtoms: io.int(it.amountAtoms),
      insuredAtoms: io.int(it.insuredAtoms),
      day: io.u32(it.day),
      spentAtoms: io.int(it.spentAtoms),
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
