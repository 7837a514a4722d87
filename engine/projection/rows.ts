/**
 * The row types of the tables: plain values as SQLite stores them, under the names of their columns. Amounts are atoms, flags are 0 or 1, and
 * a missing value is `null`.
 */
import type {
  AccountOrdinal,
  AffiliateOrdinal,
  DepositOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  PositionOrdinal,
  Sequence,
  TradeOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import type { BaseAtoms, Bps, EpochMs, Ppb, PriceAtoms, QuoteAtoms, WideAtoms } from '#units/money.ts';
import type { AgentFundingDirection } from '#venue/agent-account/agent-funding.ts';
import type { InForce, Side } from '#venue/command.ts';
import type { CancelReason, Liquidity, OrderOrigin, VenueLedger } from '#venue/event.ts';
import type { IndexStatus, MarketStatus } from '#venue/market/specification.ts';
import type { ConsentState, PartyStatus } from '#venue/owner/party.ts';
import type { OpenWithdrawalStatus, WithdrawalStep } from '#venue/transfer/withdrawal-steps.ts';
import type { OrderConditionColumns } from './order-conditions.ts';

export type Flag = 0 | 1;
export type OrderStatus = 'open' | 'filled' | 'cancelled';
/** One of an operator is `reserved`, then `released` or `settled`. One of an owner is open, then `blocked` or `settled`. */
export type WithdrawalStatus = OpenWithdrawalStatus | 'blocked' | 'released' | 'settled';
/** `submitted`: approved and not moved. */
export type AgentFundingStatus = 'prepared' | 'submitted' | 'credited' | 'refused';
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

export interface AccountRow {
  readonly account: AccountOrdinal;
  readonly label: string;
  /** Empty while no party is bound. */
  readonly partyId: string;
  /** The last change of its party, wallet or consent. */
  readonly partySequence: Sequence;
  readonly partyStatus: PartyStatus;
  /** It was opened by the registration of an owner. */
  readonly isOwner: Flag;
  /** The account of its owner if it is an agent account; otherwise 0. */
  readonly agentOwner: AccountOrdinal | 0;
  /** It has a signing wallet. */
  readonly hasWallet: Flag;
  readonly consentState: ConsentState;
  /** Why the ledger did not create the consent; else empty. */
  readonly consentReason: string;
  readonly isRetired: Flag;
  /** Retired as legacy. */
  readonly isLegacy: Flag;
  readonly cashAtoms: QuoteAtoms;
  readonly reservedAtoms: QuoteAtoms;
  /** The account of the affiliate that referred it. */
  readonly referrer: AccountOrdinal | null;
  /** A fee of it has earned its referrer something. */
  readonly isPayingReferral: Flag;
  /** When its owner skipped KYC; 0 before. */
  readonly kycSkippedAtEpochMs: EpochMs;
  /** The time assigned to the last change of a deposit or withdrawal; 0 before the first. */
  readonly transferredAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** A credited deposit. */
export interface DepositRow {
  /** Each deposit is a command of its own, so the sequence identifies it. */
  readonly sequence: Sequence;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  /** `null` if the operator credited it. */
  readonly deposit: DepositOrdinal | null;
  /** The external ledger's event that confirmed it; empty if the operator credited it. */
  readonly ledgerEventId: string;
  readonly updatedAtEpochMs: EpochMs;
}

/** An affiliate, with the totals since its registration and those of the day of its last fee. */
export interface AffiliateRow {
  readonly account: AccountOrdinal;
  readonly affiliate: AffiliateOrdinal;
  readonly referralCode: string;
  readonly shareBps: Bps;
  readonly registeredAtEpochMs: EpochMs;
  readonly referredAccounts: number;
  /** Those whose fees have earned something. */
  readonly payingAccounts: number;
  readonly fills: number;
  readonly feesAtoms: WideAtoms;
  readonly earnedAtoms: WideAtoms;
  /** The start of the UTC day of the last fee, or of the registration. */
  readonly dayEpochMs: EpochMs;
  readonly dayFills: number;
  readonly dayFeesAtoms: WideAtoms;
  readonly dayEarnedAtoms: WideAtoms;
  readonly lastSequence: Sequence;
}

/** What an affiliate earned on a UTC day with at least one fee. */
export interface AffiliateDayRow {
  readonly account: AccountOrdinal;
  readonly dayEpochMs: EpochMs;
  readonly fills: number;
  readonly feesAtoms: WideAtoms;
  readonly earnedAtoms: WideAtoms;
}

/** Whether an account has marked a market. */
export interface FavoriteRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly isFavorite: Flag;
}

/** The leverage that an account chose in a market; 0 if it returned to the default. */
export interface LeverageRow {
  readonly account: AccountOrdinal;
  readonly market: MarketOrdinal;
  readonly leverageHundredths: number;
}

/** An account's leaderboard listing; name and handle are empty while it is not shown. */
export interface LeaderboardListingRow {
  readonly account: AccountOrdinal;
  readonly isShown: Flag;
  readonly displayName: string;
  readonly handle: string;
  /** The start of the UTC day in which the account opted in; earlier days do not count. 0 while it is not shown. */
  readonly shownDayEpochMs: EpochMs;
}

/** The total profit (realized PnL minus fees and funding, with what the insurance fund covered) and volume of an account since its first trade. */
export interface ResultRow {
  readonly account: AccountOrdinal;
  readonly pnlAtoms: WideAtoms;
  readonly volumeAtoms: WideAtoms;
  /** The start of the UTC day of the last change. */
  readonly dayEpochMs: EpochMs;
}

/** The totals before a day in which they changed: the opening values of a window. */
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
  readonly paidAtEpochMs: EpochMs;
  readonly sequence: Sequence;
}

/** A withdrawal, from its reservation or request until it ends. */
export interface WithdrawalRow {
  readonly withdrawal: WithdrawalOrdinal;
  readonly account: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly destination: string;
  /** Of the owner's request; empty for one of the operator. */
  readonly idempotencyKey: string;
  readonly reservedAtEpochMs: EpochMs;
  readonly status: WithdrawalStatus;
  /** Why it was blocked, or empty. */
  readonly reason: string;
  /** The step that is due on the external ledger; empty for one of the operator, and at its end. */
  readonly step: WithdrawalStep | '';
  readonly isSubmitted: Flag;
  /** Of the payout offer; 0 before it. */
  readonly offerExpiresAtEpochMs: EpochMs;
  /** The external ledger's newest event of it; empty before the first. */
  readonly ledgerEventId: string;
  /** `null` while it is open. */
  readonly endedAtEpochMs: EpochMs | null;
  /** The time assigned to its last change in the account's list. */
  readonly updatedAtEpochMs: EpochMs;
  readonly lastSequence: Sequence;
}

/** A cash transfer between accounts. Each is a command of its own, so the sequence identifies it. */
export interface TransferRow {
  readonly sequence: Sequence;
  readonly fromAccount: AccountOrdinal;
  readonly toAccount: AccountOrdinal;
  readonly amountAtoms: QuoteAtoms;
  readonly reference: string;
  readonly transferredAtEpochMs: EpochMs;
}

/** A funding between an owner and one of its agent accounts, as it was created. */
export interface AgentFundingRow {
  readonly transferId: string;
  /** The account of the owner. */
  readonly account: AccountOrdinal;
  readonly agentAccount: AccountOrdinal;
  readonly direction: AgentFundingDirection;
  readonly amountAtoms: QuoteAtoms;
  /** Of the record that created it. Each is a command of its own. */
  readonly createdSequence: Sequence;
  readonly createdAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs;
}

/** What has become of a funding. In a table of its own: an event replaces the row and needs no earlier one. */
export interface AgentFundingStateRow {
  readonly transferId: string;
  /** One that is `prepared` may have expired. */
  readonly status: AgentFundingStatus;
  /** Of the record that moved the money; `null` before it. */
  readonly movedSequence: Sequence | null;
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
