/**
 * The rows that events are folded into: plain values, as SQLite stores them, under the names of their columns.
 * Amounts are atoms. A flag is 0 or 1; what has no value is `null`.
 */
import type {
  AccountOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  PositionOrdinal,
  Sequence,
  TradeOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import type { BaseAtoms, EpochMs, Ppb, PriceAtoms, QuoteAtoms, WideAtoms } from '#units/money.ts';
import type { Side } from '#venue/command.ts';
import type { CancelReason, Liquidity, OrderOrigin, VenueLedger } from '#venue/event.ts';
import type { IndexStatus, MarketStatus } from '#venue/market/specification.ts';

export type Flag = 0 | 1;
export type OrderStatus = 'open' | 'filled' | 'cancelled';
export type WithdrawalStatus = 'reserved' | 'released' | 'settled';
export type CloseReason = 'user_close' | 'liquidation' | 'auto_deleveraging';

/** The place and time of the record whose event is folded. */
export interface Moment {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
}

export interface OrderRow {
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly origin: OrderOrigin;
  /** Means nothing, as the key after it, on an order that its owner did not place. */
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly orderType: 'limit' | 'market';
  readonly priceAtoms: PriceAtoms | null;
  readonly quantityAtoms: BaseAtoms | null;
  readonly notionalAtoms: QuoteAtoms | null;
  readonly postOnly: Flag;
  readonly reduceOnly: Flag;
  /** 0 where the order did not say. */
  readonly leverageX: number;
  readonly createdAtEpochMs: EpochMs;
  readonly status: OrderStatus;
  readonly cancelReason: CancelReason | null;
  readonly filledAtoms: BaseAtoms;
  readonly filledNotionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly lastFillAtEpochMs: EpochMs | null;
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

export interface FillRow {
  readonly account: AccountOrdinal;
  readonly trade: TradeOrdinal;
  readonly order: OrderOrdinal;
  readonly market: MarketOrdinal;
  readonly position: PositionOrdinal;
  /** Of the account's own order, not of the one that it met. */
  readonly origin: OrderOrigin;
  readonly clientOrderId: string;
  readonly orderType: 'limit' | 'market';
  readonly side: Side;
  readonly liquidity: Liquidity;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly feeAtoms: QuoteAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  readonly executedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

export interface TradeRow {
  readonly trade: TradeOrdinal;
  readonly market: MarketOrdinal;
  /** Of the taker's order. */
  readonly origin: OrderOrigin;
  readonly takerSide: Side;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly executedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** A position from flat to flat. The opened and closed totals are of the whole episode, the rest is what is held now. */
export interface EpisodeRow {
  readonly position: PositionOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly side: 'long' | 'short';
  readonly openedAtEpochMs: EpochMs;
  readonly status: 'open' | 'closed';
  readonly closedAtEpochMs: EpochMs | null;
  readonly closeReason: CloseReason | null;
  readonly signedBaseAtoms: BaseAtoms;
  readonly entryNotionalAtoms: QuoteAtoms;
  readonly marginAtoms: QuoteAtoms;
  readonly maxQuantityAtoms: BaseAtoms;
  readonly openedBaseAtoms: WideAtoms;
  readonly openedNotionalAtoms: WideAtoms;
  readonly closedBaseAtoms: WideAtoms;
  readonly closedNotionalAtoms: WideAtoms;
  readonly realizedPnlAtoms: QuoteAtoms;
  readonly feesPaidAtoms: QuoteAtoms;
  /** What it paid in funding, less what it got. */
  readonly fundingPaidAtoms: QuoteAtoms;
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

export interface AccountRow {
  readonly account: AccountOrdinal;
  readonly label: string;
  /** Empty while no party is bound. */
  readonly partyId: string;
  readonly partySequence: Sequence;
  readonly isRetired: Flag;
  readonly cashAtoms: QuoteAtoms;
  readonly reservedAtoms: QuoteAtoms;
  /** When its deposits and withdrawals last changed, as they tell it; 0 before the first. */
  readonly transferredAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** Money that came in. */
export interface DepositRow {
  /** A command of its own, so its place in the journal names it. */
  readonly sequence: Sequence;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly updatedAtEpochMs: EpochMs;
}

/** Whether an account has marked a market. */
export interface FavoriteRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly isFavorite: Flag;
}

/** What an account shows of itself on the leaderboard; name and handle are empty while it is not shown. */
export interface LeaderboardListingRow {
  readonly account: AccountOrdinal;
  readonly isShown: Flag;
  readonly displayName: string;
  readonly handle: string;
  /** When the day of UTC began in which it chose to be shown: what it did before does not count. 0 while it is not shown. */
  readonly shownDayEpochMs: EpochMs;
}

/** What an account gained (realized PnL less fees and funding) and traded, from its first trade on. */
export interface ResultRow {
  readonly account: AccountOrdinal;
  readonly pnlAtoms: WideAtoms;
  readonly volumeAtoms: WideAtoms;
  /** When the day of UTC began in which it last changed. */
  readonly dayEpochMs: EpochMs;
}

/** What it came to before a day in which it changed: what a window of days began with. */
export interface DayOpeningRow {
  readonly account: AccountOrdinal;
  readonly dayEpochMs: EpochMs;
  readonly pnlAtoms: WideAtoms;
  readonly volumeAtoms: WideAtoms;
}

export interface ApiKeyRow {
  readonly keyId: string;
  readonly account: AccountOrdinal;
  readonly digest: string;
  /** Separated by spaces. */
  readonly scopes: string;
  readonly label: string;
  readonly issuedAtEpochMs: EpochMs;
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
  readonly isRevoked: Flag;
}

/** What a market is. Its specification is JSON and fixed while the market is listed. */
export interface MarketRow {
  readonly market: MarketOrdinal;
  readonly marketId: string;
  readonly specification: string;
  /** The terms of the synthetic past as JSON; `null` if there is none. */
  readonly history: string | null;
  readonly status: MarketStatus;
}

/** What goes on in a market. `null` until there was a price, a trade, or a period of funding. */
export interface MarketActivityRow {
  readonly market: MarketOrdinal;
  readonly indexPriceAtoms: PriceAtoms | null;
  readonly indexObservedAtEpochMs: EpochMs | null;
  /** As the last observation left it; what time alone has made stale since, no event tells. */
  readonly indexStatus: IndexStatus | null;
  /** When that was. */
  readonly pricedAtEpochMs: EpochMs | null;
  readonly markPriceAtoms: PriceAtoms | null;
  readonly markSequence: Sequence | null;
  readonly lastPriceAtoms: PriceAtoms | null;
  readonly lastQuantityAtoms: BaseAtoms | null;
  readonly lastTradeAtEpochMs: EpochMs | null;
  /** The base of all long positions. */
  readonly openInterestAtoms: WideAtoms;
  /** What the running period comes to if the rest of it is like what was seen of it. */
  readonly fundingEstimatePpb: Ppb | null;
  readonly nextFundingAtEpochMs: EpochMs | null;
  /** The newest period that was settled. */
  readonly lastFundingPeriod: number | null;
  readonly lastFundingRatePpb: Ppb | null;
  readonly lastFundingAtEpochMs: EpochMs | null;
}

/** A period of funding that was settled. */
export interface FundingPeriodRow {
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly ratePpb: Ppb;
  readonly indexPriceAtoms: PriceAtoms;
  /** What longs paid for a lot, in millionths of a money atom; below zero where they got it. */
  readonly perLotMicroAtoms: number;
  readonly settledAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** What a position paid for a period of funding, or got (below zero). */
export interface FundingPaymentRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly position: PositionOrdinal;
  readonly paidAtoms: QuoteAtoms;
  readonly paidAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** Cash on its way out of the venue, until it came back to the account or has left. */
export interface WithdrawalRow {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
  readonly reservedAtEpochMs: EpochMs;
  readonly status: WithdrawalStatus;
  /** `null` while it is reserved. */
  readonly endedAtEpochMs: EpochMs | null;
  /** When it last changed, as its account's list tells it. */
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** Cash that went from one account to another: a command of its own, so its place in the journal names it. */
export interface TransferRow {
  readonly sequence: Sequence;
  readonly fromAccount: AccountOrdinal;
  readonly toAccount: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  readonly transferredAtEpochMs: EpochMs;
}

/** A ledger of the venue's own; beside them what came in less what left for good. */
export interface LedgerRow {
  readonly ledger: VenueLedger | 'net_deposits';
  readonly balanceAtoms: QuoteAtoms;
}

export type CandleSeriesName = 'trade' | 'index';

/** One span of a series in which something was observed; a span without has no row. */
export interface CandleRow {
  readonly market: MarketOrdinal;
  readonly series: CandleSeriesName;
  readonly spanMs: number;
  readonly openTimeEpochMs: EpochMs;
  readonly openAtoms: PriceAtoms;
  readonly highAtoms: PriceAtoms;
  readonly lowAtoms: PriceAtoms;
  readonly closeAtoms: PriceAtoms;
  readonly volumeAtoms: WideAtoms;
  readonly notionalAtoms: WideAtoms;
}
