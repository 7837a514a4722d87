/**
 * What can be asked of the venue. A command is journaled before anyone hears of it, so it holds everything that the
 * core may know: time and sequence come with it (`venue.ts`), ids and digests were made before it was sequenced.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { MarketHistory } from './market/history.ts';
import type { MarketSpecification, MarketStatus } from './market/specification.ts';

export type Side = 'buy' | 'sell';

/** What an API key may do (5.3 of the interface). */
export const SCOPES = ['read', 'trade', 'funding', 'agents'] as const;
export type Scope = (typeof SCOPES)[number];

export interface ListMarket {
  readonly type: 'ListMarket';
  readonly specification: MarketSpecification;
  readonly status: MarketStatus;
  /** The terms of the market's synthetic past; a market without them has none. */
  readonly history?: MarketHistory;
}

export interface SetMarketStatus {
  readonly type: 'SetMarketStatus';
  readonly market: MarketOrdinal;
  readonly status: MarketStatus;
}

/** A price of the underlying, as its source saw it. */
export interface PublishIndexPrice {
  readonly type: 'PublishIndexPrice';
  readonly market: MarketOrdinal;
  readonly priceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
}

/** Opens an account. An empty `partyId` leaves it without the active party binding that trading needs. */
export interface OpenAccount {
  readonly type: 'OpenAccount';
  readonly label: string;
  readonly partyId: string;
  /** A random number below 2^32 that no client learns: what the account's client order ids are digested with. */
  readonly digestSeed: number;
}

/** Ends an account that holds no open order and no position. Its cash stays where it is. */
export interface RetireAccount {
  readonly type: 'RetireAccount';
  readonly account: AccountOrdinal;
}

/** Money from outside, into an account's cash. `reference` names where it came from. */
export interface CreditCash {
  readonly type: 'CreditCash';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
}

/** `digest` is the SHA-256 of the key in hex: the key itself never reaches the venue. */
export interface IssueApiKey {
  readonly type: 'IssueApiKey';
  readonly account: AccountOrdinal;
  readonly keyId: string;
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  /** From then on nobody is admitted by it; 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
}

export interface RevokeApiKey {
  readonly type: 'RevokeApiKey';
  readonly account: AccountOrdinal;
  readonly keyId: string;
}

/** An order at a price or better. What does not fill at once rests. */
export interface LimitTerms {
  readonly kind: 'limit';
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly postOnly: boolean;
  /** For an order that was sent without a price and by notional: what was asked for. */
  readonly notionalAtoms?: QuoteAtoms;
}

/** An order that fills at once, for a quantity or for an amount of money, and never rests. */
export type MarketTerms =
  | { readonly kind: 'market'; readonly quantityAtoms: BaseAtoms }
  | { readonly kind: 'market_notional'; readonly notionalAtoms: QuoteAtoms };

/** A limit order without a price: its limit is the worst price in the market's band when it takes its turn. */
export type BandTerms =
  | { readonly kind: 'band_limit'; readonly quantityAtoms: BaseAtoms }
  | { readonly kind: 'band_notional'; readonly notionalAtoms: QuoteAtoms };

/** What an order is sent with. */
export type OrderTerms = LimitTerms | MarketTerms | BandTerms;

/** What an order is accepted with: a limit order has its price and quantity by then. */
export type AcceptedTerms = LimitTerms | MarketTerms;

export interface PlaceOrder {
  readonly type: 'PlaceOrder';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly clientOrderId: string;
  readonly side: Side;
  readonly terms: OrderTerms;
  readonly reduceOnly: boolean;
  /** The leverage whose margin this order reserves; 0 asks for the market's initial margin. */
  readonly leverageX: number;
  /** The caller's header, echoed in every answer about the order. */
  readonly idempotencyKey: string;
}

/** One order of a batch: what {@link PlaceOrder} says of it. */
export type BatchEntry = Omit<PlaceOrder, 'type' | 'account' | 'idempotencyKey'>;

/** How many orders a batch may have. */
export const MAX_BATCH_ENTRIES = 32;

/** Places limit orders one after the other in one turn: each is decided on its own, none undoes another. */
export interface PlaceOrders {
  readonly type: 'PlaceOrders';
  readonly account: AccountOrdinal;
  readonly entries: readonly BatchEntry[];
  readonly idempotencyKey: string;
}

/** Cancels orders one after the other in one turn: each is decided on its own. */
export interface CancelOrders {
  readonly type: 'CancelOrders';
  readonly account: AccountOrdinal;
  readonly orders: readonly OrderOrdinal[];
}

/** Goes on with what a market has left over: funding that is due, positions that are to be liquidated. */
export interface AdvanceMarket {
  readonly type: 'AdvanceMarket';
  readonly market: MarketOrdinal;
}

/** Money from outside, into the insurance fund. */
export interface CreditInsurance {
  readonly type: 'CreditInsurance';
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
}

/** Takes cash that nothing holds and keeps it for a withdrawal. */
export interface ReserveWithdrawal {
  readonly type: 'ReserveWithdrawal';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** The ledger party that is to receive it. */
  readonly destination: string;
}

/** Gives the cash of a withdrawal that will not happen back to its account. */
export interface ReleaseWithdrawal {
  readonly type: 'ReleaseWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
}

/** Ends a withdrawal whose money has left the venue. */
export interface SettleWithdrawal {
  readonly type: 'SettleWithdrawal';
  readonly withdrawal: WithdrawalOrdinal;
}

/** Takes cash that nothing holds out of the venue at once: a withdrawal that is reserved and settled in one turn. */
export interface DebitCash {
  readonly type: 'DebitCash';
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** Where the money goes; it is the destination of the withdrawal. */
  readonly reference: string;
}

/** Moves cash that nothing holds from one account to another. */
export interface TransferCash {
  readonly type: 'TransferCash';
  /** Whose cash it is. */
  readonly account: AccountOrdinal;
  readonly to: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
}

/** Makes a market one of an account's favorites, or takes it from them. Nothing in the core depends on it. */
export interface SetFavorite {
  readonly type: 'SetFavorite';
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly favorite: boolean;
}

/** Whether an account is on the public leaderboard, and as who. Nothing in the core depends on it. */
export interface SetLeaderboardListing {
  readonly type: 'SetLeaderboardListing';
  readonly account: AccountOrdinal;
  readonly shown: boolean;
  /** Chosen by its owner; may be empty. */
  readonly displayName: string;
  /** What it is known by there from now on, if it was not shown before: random, so that it says nothing of the account. */
  readonly handle: string;
}

export interface CancelOrder {
  readonly type: 'CancelOrder';
  readonly account: AccountOrdinal;
  readonly order: OrderOrdinal;
}

export type Command =
  | ListMarket
  | SetMarketStatus
  | PublishIndexPrice
  | OpenAccount
  | RetireAccount
  | CreditCash
  | IssueApiKey
  | RevokeApiKey
  | PlaceOrder
  | CancelOrder
  | PlaceOrders
  | CancelOrders
  | AdvanceMarket
  | CreditInsurance
  | ReserveWithdrawal
  | ReleaseWithdrawal
  | SettleWithdrawal
  | DebitCash
  | TransferCash
  | SetFavorite
  | SetLeaderboardListing;
