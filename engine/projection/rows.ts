/**
 * The row types of the tables: plain values as SQLite stores them, under the names of their columns. Amounts are atoms, flags are 0 or 1, and
 * a missing value is `null`.
 */
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, PositionOrdinal, Sequence, TradeOrdinal } from '#units/ids.ts';
import type { BaseAtoms, EpochMs, Ppb, PriceAtoms, QuoteAtoms, WideAtoms } from '#units/money.ts';
import type { InForce, Side } from '#venue/command.ts';
import type { CancelReason, Liquidity, OrderOrigin, VenueLedger } from '#venue/event.ts';
import type { IndexStatus, MarketStatus } from '#venue/market/specification.ts';
import type { OrderConditionColumns } from './order-conditions.ts';

export type Flag = 0 | 1;

export type OrderStatus = 'open' | 'filled' | 'cancelled';

export type CloseReason = 'user_close' | 'liquidation' | 'auto_deleveraging';

/** The sequence and time of the record whose event is folded. */
export interface Moment {
  readonly sequence: Sequence;
  readonly epochMs: EpochMs;
}

export interface OrderRow extends OrderConditionColumns {
  readonly order: OrderOrdinal;
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly origin: OrderOrigin;
  /** Meaningless for an order of the venue, as is `idempotencyKey`. */
  readonly clientOrderId: string;
  readonly idempotencyKey: string;
  readonly side: Side;
  readonly orderType: 'limit' | 'market';
  readonly priceAtoms: PriceAtoms | null;
  readonly quantityAtoms: BaseAtoms | null;
  readonly notionalAtoms: QuoteAtoms | null;
  readonly postOnly: Flag;
  readonly reduceOnly: Flag;
  /** 0 if not given. */
  readonly leverageHundredths: number;
  /** `null` if neither given nor a consequence of the other fields. */
  readonly timeInForce: InForce['timeInForce'] | null;
  readonly expiresAtEpochMs: EpochMs | null;
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
  /** The origin of the account's own order. */
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
  /** Paid beside the fee. */
  readonly liquidationFeeAtoms: QuoteAtoms;
  /** What the insurance fund or the deficit ledger paid for the fill; negative if the fill repaid the fund. */
  readonly insuranceCoveredAtoms: QuoteAtoms;
  readonly executedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

export interface TradeRow {
  readonly trade: TradeOrdinal;
  readonly market: MarketOrdinal;
  /** The origin of the taker's order. */
  readonly origin: OrderOrigin;
  readonly takerSide: Side;
  readonly priceAtoms: PriceAtoms;
  readonly quantityAtoms: BaseAtoms;
  readonly notionalAtoms: QuoteAtoms;
  readonly executedAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** A position from its opening to zero quantity. The totals of opened and closed quantity cover the whole episode; the other amounts are current. */
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
  /** Funding paid minus funding received. */
  readonly fundingPaidAtoms: QuoteAtoms;
  /** What the insurance fund or the deficit ledger paid for its closes, minus what they repaid the fund. */
  readonly insuranceCoveredAtoms: QuoteAtoms;
  /** What it owes the insurance fund: its closes repay it. */
  readonly insuredAtoms: QuoteAtoms;
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** A listed market. The specification is JSON. */
export interface MarketRow {
  readonly market: MarketOrdinal;
  readonly marketId: string;
  readonly specification: string;
  /** The terms of the synthetic past as JSON; `null` if the market has no synthetic past. */
  readonly history: string | null;
  /** What the market permits: its own status within the limit of the venue. */
  readonly status: MarketStatus;
  readonly ownStatus: MarketStatus;
}

/** A switch of the operator. */
export interface SwitchRow {
  /** `environment`, `status`, or a capability. */
  readonly name: string;
  /** The environment, the status of the venue, or `on` or `off`. */
  readonly value: string;
  /** The record that switched it last. */
  readonly sequence: Sequence;
}

/** The activity of a market. Fields are `null` before the first price, trade or funding period. */
export interface MarketActivityRow {
  readonly market: MarketOrdinal;
  readonly indexPriceAtoms: PriceAtoms | null;
  readonly indexObservedAtEpochMs: EpochMs | null;
  /** The status after the last observation. It may have become stale by time since, without an event. */
  readonly indexStatus: IndexStatus | null;
  /** The time of that observation's event. */
  readonly pricedAtEpochMs: EpochMs | null;
  readonly markPriceAtoms: PriceAtoms | null;
  readonly markSequence: Sequence | null;
  readonly lastPriceAtoms: PriceAtoms | null;
  readonly lastQuantityAtoms: BaseAtoms | null;
  readonly lastTradeAtEpochMs: EpochMs | null;
  /** The base quantity of all long positions. */
  readonly openInterestAtoms: WideAtoms;
  /** The rate of the running period if the rest of it is like the samples so far. */
  readonly fundingEstimatePpb: Ppb | null;
  readonly nextFundingAtEpochMs: EpochMs | null;
  /** The newest settled period. */
  readonly lastFundingPeriod: number | null;
  readonly lastFundingRatePpb: Ppb | null;
  readonly lastFundingAtEpochMs: EpochMs | null;
  /** The last UTC day on which the insurance fund paid for the market, counted from the epoch, and what it paid then; 0 before it. */
  readonly fundDay: number;
  readonly fundSpentAtoms: QuoteAtoms;
  /** What the market's positions have brought the fund, less what it has paid for them. */
  readonly fundBalanceAtoms: QuoteAtoms;
}

/** A settled funding period. */
export interface FundingPeriodRow {
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly ratePpb: Ppb;
  readonly indexPriceAtoms: PriceAtoms;
  /** What longs paid per lot, in millionths of a money atom; negative if they received it. */
  readonly perLotMicroAtoms: number;
  readonly settledAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** A position's payment for a funding period; negative if received. */
export interface FundingPaymentRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly period: number;
  readonly position: PositionOrdinal;
  readonly paidAtoms: QuoteAtoms;
  /** What of it came from the margin. The rest is in the entry, and shows in the realized PnL later. */
  readonly fromMarginAtoms: QuoteAtoms;
  readonly paidAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** A ledger of the venue; `net_deposits` is deposits minus settled withdrawals. */
export interface LedgerRow {
  readonly ledger: VenueLedger | 'net_deposits';
  readonly balanceAtoms: QuoteAtoms;
}

export type CandleSeriesName = 'trade' | 'index' | 'mark';

/** One span of a series. A span without observations has no row. */
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
