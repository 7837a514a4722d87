/**
 * What the edge reads, in terms of the contract's resources. Every result is as of the newest folded record. Reads are
 * synchronous and run in the thread of the rows.
 */
import type { FillResource } from '#contract/account-history.ts';
import type { LedgerEntry } from '#contract/account-ledger.ts';
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { AffiliateDay, AffiliateProfile, AffiliateTotal } from '#contract/affiliates.ts';
import type { Freshness } from '#contract/fields.ts';
import type { FundingPaymentResource, SettledFundingRate } from '#contract/funding.ts';
import type { KycStatus } from '#contract/kyc.ts';
import type { LeaderboardEntry, LeaderboardListing, LeaderboardOrder, LeaderboardWindow } from '#contract/leaderboard.ts';
import type { LeverageSetting } from '#contract/leverage.ts';
import type { CandidateMarket } from '#contract/market-data.ts';
import type {
  BookSnapshot,
  CandleSeries,
  CandleSeriesName,
  MarketCatalogue,
  MarketStats,
  PublicTrade,
  SingleMarket,
  Timeframe,
} from '#contract/markets.ts';
import type { OpenInterestSeries, OpenInterestTimeframe } from '#contract/open-interest.ts';
import type { OpenOrderName } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { PositionResource, PositionSnapshot } from '#contract/positions.ts';
import type { TransferResource } from '#contract/transfers.ts';
import type { WithdrawalResource } from '#contract/withdrawals.ts';
import type { StoredApiKey } from '#identity/directory.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence, WithdrawalOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Environment, Scope, VenueStatus } from '#venue/command.ts';
import type { VenueLedger } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';
import type { AgentLogQuery, LoggedAction } from './agent-log.ts';
import type { AgentReads } from './agent-reads.ts';
import type { DeploymentReads } from './deployment-reads.ts';
import type { EntryPlace, Page, PageQuery, PendingPage } from './page.ts';

export type { StoredApiKey } from '#identity/directory.ts';
export type { EntryPlace, Page, PageEntries, PageQuery, PendingPage } from './page.ts';

/** What a placement needs of a market: its number in commands, and the scales of its amounts. */
export interface ListedMarket {
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
}

export interface OrderQuery extends PageQuery {
  readonly account: AccountOrdinal;
  readonly market?: MarketOrdinal;
  readonly status?: OrderResource['status'];
  readonly clientOrderId?: string;
}

/** Fills of one account are ordered by their trade: own orders never trade with each other, so there is one per trade. */
export interface FillQuery extends PageQuery {
  readonly account: AccountOrdinal;
  readonly market?: MarketOrdinal;
  readonly order?: OrderOrdinal;
}

export interface TradeQuery extends PageQuery {
  readonly market: MarketOrdinal;
}

/** Closed positions, or payments of funding. */
export interface AccountHistoryQuery extends PageQuery {
  readonly account: AccountOrdinal;
  readonly market?: MarketOrdinal;
}

/** The ledger of an account. The place of an entry has five numbers; that of a cursor also the trade at which it continues. */
export interface LedgerQuery extends PageQuery {
  readonly account: AccountOrdinal;
}

/** The days of an affiliate's earnings: their times are the starts of the days. */
export interface EarningsQuery extends PageQuery {
  readonly account: AccountOrdinal;
}

/** The totals of an affiliate and a page of its days. */
export interface EarningsPage {
  readonly registered: boolean;
  readonly total: AffiliateTotal;
  readonly days: PendingPage<AffiliateDay>;
}

/** Always oldest change first. */
export interface TransferQuery {
  readonly account: AccountOrdinal;
  readonly kind?: TransferResource['kind'];
  readonly limit: number;
  readonly sinceEpochMs?: number;
  readonly untilEpochMs?: number;
  /** The change time of the previous page's last entry: no two of an account have the same time. */
  readonly afterEpochMs?: number;
}

export interface LeaderboardQuery {
  readonly window: LeaderboardWindow;
  readonly orderBy: LeaderboardOrder;
  readonly limit: number;
  /** The rank of the previous page's last entry. */
  readonly after?: EntryPlace;
}

export interface LeaderboardPage extends Page<LeaderboardEntry> {
  /** The end of the window: later events do not count yet. */
  readonly untilEpochMs: EpochMs;
  /** The start of the window, if it has one. */
  readonly sinceEpochMs?: EpochMs;
}

/** A market that a price source has prices for. */
export interface PricedUnderlying {
  readonly marketId: string;
  readonly underlyingSymbol: string;
}

export interface CandleQuery {
  readonly market: MarketOrdinal;
  readonly timeframe: Timeframe;
  readonly series: CandleSeriesName;
  /** The first open time; without it the newest candles. Oldest first either way. */
  readonly sinceEpochMs?: number;
  readonly limit: number;
}

export interface OpenInterestQuery extends Omit<CandleQuery, 'series' | 'timeframe'> {
  readonly timeframe: OpenInterestTimeframe;
}

export interface OpenInterestPage extends Omit<CandlePage, 'page'> {
  readonly page: PendingPage<OpenInterestSeries['entries'][number]>;
}

export interface CandlePage {
  /** Without `nextAfter`: candles are paged by time. */
  readonly page: PendingPage<CandleSeries['candles'][number]>;
  readonly marketId: string;
  readonly sequence: Sequence;
  readonly asOfEpochMs: EpochMs;
}

/** The operator's switches. */
export interface SwitchesReport {
  readonly environment: Environment;
  /** False for a journal without a bound environment, which has the default one. */
  readonly isBound: boolean;
  readonly status: VenueStatus;
  /** Whether each capability is on, also those with their default; sign-in providers only once they were switched. */
  readonly capabilities: Readonly<Record<string, boolean>>;
  /** The record of the operator's last switch; 0 before the first. */
  readonly policySequence: number;
}

/** Data that a request needs at once, before it waits for anything: as of the durable sequence, in the writer's own thread. */
export interface Directory {
  /** The newest durable sequence. */
  sequence(): Sequence;
  /** `undefined` if no market has this id. */
  listedMarket(marketId: string): ListedMarket | undefined;
  /** By number. */
  listedMarkets(): readonly ListedMarket[];
  /** `undefined` if no key has this id. */
  apiKey(keyId: string): StoredApiKey | undefined;
  switches(): SwitchesReport;
  /**
   * The orders that a committed placement made, as its own turn left them: folded from the record's events only, so that a
   * replayed record renders the same at any time. Empty for a record without `OrderAccepted`.
   */
  placedOrders(record: CommittedRecord): readonly OrderResource[];
}

/** The page of accounts that the operator lists, in the order of their numbers. */
export interface AccountListQuery {
  readonly limit: number;
  /** Only accounts with a higher number. */
  readonly after?: AccountOrdinal;
}

/** An account as its operator sees it. Amounts are in USD.E. */
export interface AccountSummary {
  readonly accountId: string;
  readonly label: string;
  /** `no_party`: without the party binding that trading needs. `legacy`: retired, and excluded as legacy. */
  readonly status: 'active' | 'no_party' | 'retired' | 'legacy';
  readonly cash: string;
  /** The part of the cash that open orders reserve. */
  readonly reserved: string;
  readonly positions: number;
}

export interface AccountDetails extends Omit<AccountSummary, 'positions'> {
  readonly partyId: string | null;
  readonly available: string;
  readonly positionMargin: string;
  readonly equity: string;
  readonly openOrders: number;
  readonly positions: readonly {
    readonly marketId: string;
    readonly side: 'long' | 'short';
    readonly quantity: string;
    readonly entryPrice: string;
    /** `null` before the first price, like the profit and loss. */
    readonly markPrice: string | null;
    readonly unrealizedPnl: string | null;
    readonly margin: string;
    /** `null` if no price liquidates it. */
    readonly liquidationPrice: string | null;
  }[];
}

/** A key that is not revoked. The key itself is stored nowhere. */
export interface ApiKeySummary {
  readonly keyId: string;
  readonly label: string;
  readonly scopes: readonly Scope[];
  readonly status: 'active' | 'expired';
  readonly createdAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs | null;
}

/** In USD.E. */
export interface Conservation {
  /** Credits less settled withdrawals. */
  readonly netDeposits: string;
  /** The balances beyond that: nonzero is a bug. */
  readonly imbalance: string;
}

export interface Reads extends AgentReads, DeploymentReads {
  freshness(): Freshness;

  /** `favorite` is set for the viewer, if given. */
  marketCatalogue(viewer?: AccountOrdinal): MarketCatalogue;
  market(market: MarketOrdinal, viewer?: AccountOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  /** Of all markets, in the order of the catalogue. */
  statsOfMarkets(): readonly MarketStats[];
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): CandlePage;
  openInterest(query: OpenInterestQuery): OpenInterestPage;
  trades(query: TradeQuery): PendingPage<PublicTrade>;
  fundingRates(query: TradeQuery): PendingPage<SettledFundingRate>;
  /** Those of the given markets that cannot be traded yet, and the drafts. */
  candidateMarkets(priced: readonly PricedUnderlying[]): readonly CandidateMarket[];
  leaderboard(query: LeaderboardQuery): LeaderboardPage;

  /** The following take existing accounts only: they come from an API key. */
  accountSnapshot(account: AccountOrdinal): AccountSnapshot;
  positions(account: AccountOrdinal, market?: MarketOrdinal): PositionSnapshot;
  party(account: AccountOrdinal): PartyBinding;
  /** Open or ended; `undefined` if no owner of the account requested it. */
  withdrawal(account: AccountOrdinal, withdrawal: WithdrawalOrdinal): WithdrawalResource | undefined;
  orders(query: OrderQuery): PendingPage<OrderResource>;
  fills(query: FillQuery): PendingPage<FillResource>;
  positionHistory(query: AccountHistoryQuery): PendingPage<PositionResource>;
  fundingPayments(query: AccountHistoryQuery): PendingPage<FundingPaymentResource>;
  ledgerEntries(query: LedgerQuery): PendingPage<LedgerEntry>;
  transfers(query: TransferQuery): Pick<Page<TransferResource>, 'entries'> & { readonly hasMore: boolean };
  isFavorite(account: AccountOrdinal, market: MarketOrdinal): boolean;
  leaderboardListing(account: AccountOrdinal): LeaderboardListing;
  affiliateProfile(account: AccountOrdinal): AffiliateProfile;
  affiliateEarnings(query: EarningsQuery): EarningsPage;
  kyc(account: AccountOrdinal): KycStatus;
  leverage(account: AccountOrdinal, market: MarketOrdinal): LeverageSetting;
  /** Of every market, in the order of the catalogue. */
  leverages(account: AccountOrdinal): LeverageSetting[];

  /** For the runner of deployments. */
  agentLog(query: AgentLogQuery): readonly LoggedAction[];

  /** `undefined` if there is no such order, or if it is another account's. */
  order(account: AccountOrdinal, order: OrderOrdinal): OrderResource | undefined;
  /** The newest order of the account with this client order ID. */
  orderByClientOrderId(account: AccountOrdinal, clientOrderId: string): OrderResource | undefined;
  /** For the account's own orders only. */
  orderNames(account: AccountOrdinal, orders: readonly OrderOrdinal[]): readonly OpenOrderName[];
  /** All open orders, from the oldest to the newest, in one market or in all. */
  openOrderNames(account: AccountOrdinal, market?: MarketOrdinal): readonly OpenOrderName[];

  /** For the operator: the accounts need not exist. */
  accountList(query: AccountListQuery): { readonly accounts: readonly AccountSummary[]; readonly nextAfter: string | null };
  accountDetails(account: AccountOrdinal): AccountDetails | undefined;
  apiKeysOf(account: AccountOrdinal): readonly ApiKeySummary[] | undefined;

  /** The balance of one of the venue's own ledgers, in USD.E. */
  ledger(ledger: VenueLedger): string;
  /** Adds up all balances: linear in the number of accounts. */
  conservation(): Conservation;
}
