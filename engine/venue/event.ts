/**
 * What happened. Events carry the state that they leave behind, so that whoever folds them needs nothing else: not the
 * command, not the venue. The events of one command, in order, are its outcome; a refusal is such an outcome too.
 */
import type {
  AccountOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  PositionOrdinal,
  TradeOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { AcceptedTerms, Scope, Side } from './command.ts';
import type { MarketHistory } from './market/history.ts';
import type { IndexStatus, MarketSpecification, MarketStatus } from './market/specification.ts';
import type { RefusalCode } from './refusal.ts';

/** The command changed nothing. `order` and `bound` are 0 where the code has none (see `refusal.ts`). */
export interface CommandRefused {
  readonly type: 'CommandRefused';
  readonly code: RefusalCode;
  readonly order: OrderOrdinal;
  readonly bound: number;
}

/** One entry of a batch changed nothing; the others stand for themselves. `index` counts from 0. */
export interface EntryRefused {
  readonly type: 'EntryRefused';
  readonly index: number;
  readonly code: RefusalCode;
  readonly order: OrderOrdinal;
  readonly bound: number;
}

export interface MarketListed {
  readonly type: 'MarketListed';
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
  readonly status: MarketStatus;
  /** The terms of its synthetic past, if it has one. */
  readonly history?: MarketHistory;
}

export interface MarketStatusChanged {
  readonly type: 'MarketStatusChanged';
  readonly market: MarketOrdinal;
  readonly status: MarketStatus;
}

/** An index price was observed. Index and mark are those that hold now: a price that is `unconfirmed` has moved neither. */
export interface MarketPriced {
  readonly type: 'MarketPriced';
  readonly market: MarketOrdinal;
  readonly indexPriceAtoms: PriceAtoms;
  readonly markPriceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
  readonly indexStatus: IndexStatus;
  /** What the running period's rate would be if it ended now, in parts per billion. */
  readonly fundingEstimatePpb: Ppb;
  /** When the running period ends; 0 before the first price. */
  readonly nextFundingAtEpochMs: EpochMs;
}

/** Work is left over in a market that fits into no single turn: `AdvanceMarket` goes on with it. */
export interface MarketWorkPending {
  readonly type: 'MarketWorkPending';
  readonly market: MarketOrdinal;
}

/** A funding period ended: longs pay `perLotMicroAtoms` millionths of an atom for each lot, or get them below zero. */
export interface FundingSettled {
  readonly type: 'FundingSettled';
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly ratePpb: Ppb;
  readonly indexPriceAtoms: PriceAtoms;
  readonly perLotMicroAtoms: number;
  readonly settledAtEpochMs: EpochMs;
}

/** A position paid (above zero) or got (below) its funding of a period; margin and entry are what it came to. */
export interface FundingPaid {
  readonly type: 'FundingPaid';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly paidAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  readonly entryNotionalAtoms: QuoteAtoms;
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
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
}

export interface ApiKeyRevoked {
  readonly type: 'ApiKeyRevoked';
  readonly account: AccountOrdinal;
  readonly keyId: string;
}

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

/** A market is one of the account's favorites from now on, or no longer. */
export interface FavoriteSet {
  readonly type: 'FavoriteSet';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly favorite: boolean;
}

/** The account is on the public leaderboard from now on, or no longer. */
export interface LeaderboardListingSet {
  readonly type: 'LeaderboardListingSet';
  readonly account: AccountOrdinal;
  readonly shown: boolean;
  readonly displayName: string;
  readonly handle: string;
}

/** A position's equity is below its maintenance requirement, and a step to close it begins. */
export interface LiquidationStarted {
  readonly type: 'LiquidationStarted';
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly markPriceAtoms: PriceAtoms;
  readonly equityAtoms: QuoteAtoms;
  readonly maintenanceRequirementAtoms: QuoteAtoms;
  /** 0 for a long that its margin covers down to any price. */
  readonly bankruptcyPriceAtoms: PriceAtoms;
}

/** Who placed an order: its owner, or the venue to close a position. */
export const ORDER_ORIGINS = ['client', 'liquidation', 'auto_deleveraging'] as const;
export type OrderOrigin = (typeof ORDER_ORIGINS)[number];

/** An order got its number. What became of it follows in the same turn: fills, then rest, end, or both. */
export interface OrderAccepted {
  readonly type: 'OrderAccepted';
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly terms: AcceptedTerms;
  readonly reduceOnly: boolean;
  readonly leverageX: number;
  /** The share of its notional that it reserves where no leverage was asked for. */
  readonly initialMarginBps: Bps;
  readonly origin: OrderOrigin;
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

/** The market's view of one match. A deleveraging is one too, but no price that anybody quoted: it is no last price. */
export interface TradeExecuted {
  readonly type: 'TradeExecuted';
  readonly trade: TradeOrdinal;
  readonly market: MarketOrdinal;
  readonly origin: OrderOrigin;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly takerSide: Side;
}

export const LIQUIDITIES = ['maker', 'taker'] as const;
export type Liquidity = (typeof LIQUIDITIES)[number];

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
 * What moved a position: an order of its owner, or the venue that closes it. One that is liquidated is moved by its liquidation
 * also where it is closed against another, and that other one by deleveraging.
 */
export type PositionCause = OrderOrigin;

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
  readonly cause: PositionCause;
  /** Long above zero, short below. */
  readonly signedBaseAtoms: BaseAtoms;
  /** What the position cost to enter, at or above zero for both sides. */
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  /** By how much the signed quantity moved, and what that was worth at the fill's price (never below zero). */
  readonly changedBaseAtoms: BaseAtoms;
  readonly changedNotionalAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  /** This change's share of the fill's fee, and the liquidation fee where it ends a liquidated position. */
  readonly feeAtoms: QuoteAtoms;
}

export const CANCEL_REASONS = [
  'user',
  'self_trade',
  'reduce_only',
  'no_liquidity',
  'price_band',
  'fill_limit',
  'margin_unbacked',
  'bankruptcy_price',
  'liquidation',
] as const;
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
  | EntryRefused
  | MarketListed
  | MarketStatusChanged
  | MarketPriced
  | MarketWorkPending
  | FundingSettled
  | FundingPaid
  | AccountOpened
  | AccountRetired
  | ApiKeyIssued
  | ApiKeyRevoked
  | CashPosted
  | LedgerPosted
  | WithdrawalReserved
  | WithdrawalReleased
  | WithdrawalSettled
  | CashTransferred
  | FavoriteSet
  | LeaderboardListingSet
  | LiquidationStarted
  | OrderAccepted
  | OrderRested
  | TradeExecuted
  | OrderFilled
  | PositionChanged
  | OrderCancelled;
