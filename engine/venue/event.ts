/**
 * What happened. Events carry the state that they leave behind, so that whoever folds them needs nothing else: not the
 * command, not the venue. The events of one command, in order, are its outcome; a refusal is such an outcome too.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { OrderTerms, Scope, Side } from './command.ts';
import type { MarketSpecification, MarketStatus } from './market/specification.ts';
import type { RefusalCode } from './refusal.ts';

/** The command changed nothing. `order` and `bound` are 0 where the code has none (see `refusal.ts`). */
export interface CommandRefused {
  readonly type: 'CommandRefused';
  readonly code: RefusalCode;
  readonly order: OrderOrdinal;
  readonly bound: number;
}

export interface MarketListed {
  readonly type: 'MarketListed';
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
  readonly status: MarketStatus;
}

export interface MarketStatusChanged {
  readonly type: 'MarketStatusChanged';
  readonly market: MarketOrdinal;
  readonly status: MarketStatus;
}

/** The index moved, and with it the mark. */
export interface MarketPriced {
  readonly type: 'MarketPriced';
  readonly market: MarketOrdinal;
  readonly indexPriceAtoms: PriceAtoms;
  readonly markPriceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
}

export interface AccountOpened {
  readonly type: 'AccountOpened';
  readonly account: AccountOrdinal;
  readonly label: string;
  readonly partyId: string;
}

export interface AccountRetired {
  readonly type: 'AccountRetired';
  readonly account: AccountOrdinal;
}

export interface ApiKeyIssued {
  readonly type: 'ApiKeyIssued';
  readonly account: AccountOrdinal;
  readonly keyId: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
}

export interface ApiKeyRevoked {
  readonly type: 'ApiKeyRevoked';
  readonly account: AccountOrdinal;
  readonly keyId: string;
}

/**
 * Why cash moved. `margin_lock` and `margin_release` move it between cash and a position's margin; `deficit_cover` is
 * what the venue's deficit ledger pays where a close costs more than backs it.
 */
export const POSTING_KINDS = ['deposit', 'trade_fee', 'realized_pnl', 'margin_lock', 'margin_release', 'deficit_cover'] as const;
export type PostingKind = (typeof POSTING_KINDS)[number];

/** An account's cash moved by a signed amount; `cashAtoms` is what it came to. */
export interface CashPosted {
  readonly type: 'CashPosted';
  readonly account: AccountOrdinal;
  readonly kind: PostingKind;
  readonly amountAtoms: QuoteAtoms;
  readonly cashAtoms: QuoteAtoms;
}

/** The venue's own ledgers: `fees` it took; `deficit`, at or below zero, what closes cost beyond their margin. */
export const VENUE_LEDGERS = ['fees', 'deficit'] as const;
export type VenueLedger = (typeof VENUE_LEDGERS)[number];

/** A ledger of the venue moved by a signed amount; `balanceAtoms` is what it came to. */
export interface LedgerPosted {
  readonly type: 'LedgerPosted';
  readonly ledger: VenueLedger;
  readonly amountAtoms: QuoteAtoms;
  readonly balanceAtoms: QuoteAtoms;
}

/** An order got its number. What became of it follows in the same turn: fills, then rest, end, or both. */
export interface OrderAccepted {
  readonly type: 'OrderAccepted';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  readonly leverageX: number;
  /** The mark when it was placed: what it would lose against that is reserved and locked with its margin. */
  readonly markPriceAtoms: PriceAtoms;
}

/** An order joined the book. `accountReservedAtoms` is the account's whole reservation after it. */
export interface OrderRested {
  readonly type: 'OrderRested';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly accountReservedAtoms: QuoteAtoms;
}

/** The market's view of one match. */
export interface TradeExecuted {
  readonly type: 'TradeExecuted';
  readonly trade: TradeOrdinal;
  readonly market: MarketOrdinal;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly takerSide: Side;
}

export type Liquidity = 'maker' | 'taker';

/** One account's side of a match. `feeAtoms` is what it paid (negative: a rebate). */
export interface OrderFilled {
  readonly type: 'OrderFilled';
  readonly order: OrderOrdinal;
  readonly trade: TradeOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly position: PositionOrdinal;
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** What is still to fill; 0 for an order by notional, which has no quantity of its own. */
  readonly remainingAtoms: BaseAtoms;
  /** The order is done: nothing of it rests and nothing of it is cancelled. */
  readonly isComplete: boolean;
  readonly accountReservedAtoms: QuoteAtoms;
}

/**
 * A position moved. An episode begins with a new `position` and ends when `signedBaseAtoms` is 0; a flip ends one and
 * begins the next, as two events.
 */
export interface PositionChanged {
  readonly type: 'PositionChanged';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly trade: TradeOrdinal;
  /** Long above zero, short below. */
  readonly signedBaseAtoms: BaseAtoms;
  /** What the position cost to enter, at or above zero for both sides. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  /** By how much the signed quantity moved, and what that was worth at the fill's price (never below zero). */
  readonly changedBaseAtoms: BaseAtoms;
  readonly changedNotionalAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** This change's share of the fill's fee. */
  readonly feeAtoms: QuoteAtoms;
}

export const CANCEL_REASONS = ['user', 'self_trade', 'reduce_only', 'no_liquidity', 'price_band', 'fill_limit'] as const;
/** Why an order ended before it was filled. All but `user` are shown to the owner as `cancelReason`. */
export type CancelReason = (typeof CANCEL_REASONS)[number];

export interface OrderCancelled {
  readonly type: 'OrderCancelled';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: Side;
  readonly reason: CancelReason;
  /** It was in the book, at this price, with this much left. */
  readonly wasResting: boolean;
  readonly priceAtoms: PriceAtoms;
  readonly remainingAtoms: BaseAtoms;
  readonly accountReservedAtoms: QuoteAtoms;
}

export type VenueEvent =
  | CommandRefused
  | MarketListed
  | MarketStatusChanged
  | MarketPriced
  | AccountOpened
  | AccountRetired
  | ApiKeyIssued
  | ApiKeyRevoked
  | CashPosted
  | LedgerPosted
  | OrderAccepted
  | OrderRested
  | TradeExecuted
  | OrderFilled
  | PositionChanged
  | OrderCancelled;

/** Takes events as they arise. An event may be reused by its maker once the call is over: keep a copy, not the object. */
export type EmitEvent = (event: VenueEvent) => void;
