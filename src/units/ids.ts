/**
 * Ids. Inside the venue they are small integers that the core assigns in order; on the wire they are strings. Parsing returns `undefined`
 * for malformed text, so callers treat it like an unknown id.
 */

declare const identity: unique symbol;
type Ordinal<Name extends string> = number & { readonly [identity]: Name };

/** The sequence of a command in the journal; the first is 1. */
export type Sequence = Ordinal<'Sequence'>;
/** The core numbers accounts, markets, orders, trades, position episodes and withdrawals, each from 1. */
export type AccountOrdinal = Ordinal<'AccountOrdinal'>;
export type MarketOrdinal = Ordinal<'MarketOrdinal'>;
export type OrderOrdinal = Ordinal<'OrderOrdinal'>;
export type TradeOrdinal = Ordinal<'TradeOrdinal'>;
export type PositionOrdinal = Ordinal<'PositionOrdinal'>;
export type WithdrawalOrdinal = Ordinal<'WithdrawalOrdinal'>;

const ACCOUNT_ID = /^acct-([1-9][0-9]{0,9})$/;
const NUMBERED_ID = /^[1-9][0-9]{0,14}$/;

/** `acct-7` */
export function renderAccountId(account: AccountOrdinal): string {
  return `acct-${account}`;
}

export function parseAccountId(text: string): AccountOrdinal | undefined {
  const match = ACCOUNT_ID.exec(text);
  return match === null ? undefined : (Number(match[1]) as AccountOrdinal);
}

/** Order, trade and position ids are their plain digits. */
export function renderOrdinal(ordinal: OrderOrdinal | TradeOrdinal | PositionOrdinal): string {
  return String(ordinal);
}

export function parseOrderId(text: string): OrderOrdinal | undefined {
  return NUMBERED_ID.test(text) ? (Number(text) as OrderOrdinal) : undefined;
}
