/**
 * What the edge reads, in terms of the contract's resources. Every answer is as of the newest record that is folded. Reads
 * are synchronous: whoever has them is where the rows are.
 */
import type { FillResource } from '#contract/account-history.ts';
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { Freshness } from '#contract/fields.ts';
import type { FundingPaymentResource, SettledFundingRate } from '#contract/funding.ts';
import type { LeaderboardEntry, LeaderboardListing, LeaderboardOrder, LeaderboardWindow } from '#contract/leaderboard.ts';
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
import type { OpenOrderName } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { PositionResource, PositionSnapshot } from '#contract/positions.ts';
import type { TransferResource } from '#contract/transfers.ts';
import type { StoredApiKey } from '#identity/directory.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { VenueLedger } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { CommittedRecord } from '#writer/port/submit.ts';

export type { StoredApiKey } from '#identity/directory.ts';

/** What a placement needs to know of a market: its number in commands, and the scales of its amounts. */
export interface ListedMarket {
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
}

/**
 * Where an entry stands in its list: the number that the venue gave it (order, fill, trade), or its time and then what tells those
 * of one moment apart. No entry comes to stand before one that is there already.
 */
export type Place = readonly number[];

/** Which page of a list. */
export interface PageQuery {
  readonly limit: number;
  readonly direction: 'newest_first' | 'oldest_first';
  /** Only entries made (order), executed (fill, trade), closed (position) or settled (funding) at this moment or later. */
  readonly sinceEpochMs?: number;
  /** And none after this one. */
  readonly untilEpochMs?: number;
  /** The place of the last entry of the page before: the page continues beyond it, in its direction. */
  readonly after?: Place;
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

/** Always oldest change first. */
export interface TransferQuery {
  readonly account: AccountOrdinal;
  readonly kind?: TransferResource['kind'];
  readonly limit: number;
  readonly sinceEpochMs?: number;
  readonly untilEpochMs?: number;
  /** When the last entry of the page before had changed: no two of an account have at one time. */
  readonly afterEpochMs?: number;
}

export interface LeaderboardQuery {
  readonly window: LeaderboardWindow;
  readonly orderBy: LeaderboardOrder;
  readonly limit: number;
  /** The rank of the last entry of the page before. */
  readonly after?: Place;
}

export interface LeaderboardPage extends Page<LeaderboardEntry> {
  /** When the window ended: what came later does not count yet. */
  readonly untilEpochMs: EpochMs;
  /** When the window began, where it has a beginning. */
  readonly sinceEpochMs?: EpochMs;
}

/** A market that somebody has prices for. */
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

export interface Page<Entry> {
  readonly entries: readonly Entry[];
  /** The place of the last entry, where there are more beyond it. */
  readonly nextAfter?: Place;
}

/** Entries that are rendered when they are taken. */
export interface PageEntries<Entry> {
  readonly length: number;
  /** How many entries are rendered before other work has its turn, if they cost more to render than others. */
  readonly entriesPerStep?: number;
  slice(from: number, to: number): readonly Entry[];
}

/** A page whose rows were read and are not rendered yet: `entries` renders all of them, `pending` as many as are taken. */
export interface PendingPage<Entry> extends Page<Entry> {
  readonly pending: PageEntries<Entry>;
}

export interface CandlePage {
  /** Without `nextAfter`: candles are paged by time. */
  readonly page: PendingPage<CandleSeries['candles'][number]>;
  readonly marketId: string;
  readonly sequence: Sequence;
  readonly asOfEpochMs: EpochMs;
}

/** What a request needs at once, before anything is waited for: it is of the durable sequence, in the writer's own thread. */
export interface Directory {
  /** The newest sequence that is durable. */
  sequence(): Sequence;
  /** `undefined` where no market has this id. */
  listedMarket(marketId: string): ListedMarket | undefined;
  /** `undefined` where no key has this id. */
  apiKey(keyId: string): StoredApiKey | undefined;
  /**
   * The orders that a committed placement made, as its own turn left them: folded from the record's events alone, so that
   * a replayed record renders the same at any time. None for a record without `OrderAccepted`.
   */
  placedOrders(record: CommittedRecord): readonly OrderResource[];
}

/** Which accounts the operator lists, in the order of their numbers. */
export interface AccountListQuery {
  readonly limit: number;
  /** Only accounts with a higher number. */
  readonly after?: AccountOrdinal;
}

/** An account as its operator sees it. Amounts are in USD.E. */
export interface AccountSummary {
  readonly accountId: string;
  readonly label: string;
  /** `no_party`: without the party binding that trading needs. */
  readonly status: 'active' | 'no_party' | 'retired';
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
    /** `null` where no price liquidates it. */
    readonly liquidationPrice: string | null;
  }[];
}

/** A key that is not revoked. The key itself is stored nowhere. */
export interface ApiKeySummary {
  readonly keyId: string;
  readonly label: string;
  readonly scopes: readonly string[];
  readonly status: 'active' | 'expired';
  readonly createdAtEpochMs: EpochMs;
  readonly expiresAtEpochMs: EpochMs | null;
}

/** In USD.E. */
export interface Conservation {
  /** What was credited, less what was withdrawn for good. */
  readonly netDeposits: string;
  /** What is held beyond that: 0, or a defect. */
  readonly imbalance: string;
}

export interface Reads {
  freshness(): Freshness;

  /** Markets with the favorites of whoever looks at them, if anybody does. */
  marketCatalogue(viewer?: AccountOrdinal): MarketCatalogue;
  market(market: MarketOrdinal, viewer?: AccountOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  /** Of all markets, in the order of the catalogue. */
  statsOfMarkets(): readonly MarketStats[];
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): CandlePage;
  trades(query: TradeQuery): PendingPage<PublicTrade>;
  fundingRates(query: TradeQuery): PendingPage<SettledFundingRate>;
  /** What of these cannot be traded yet, and the drafts. */
  candidateMarkets(priced: readonly PricedUnderlying[]): readonly CandidateMarket[];
  leaderboard(query: LeaderboardQuery): LeaderboardPage;

  /** These are asked for accounts that exist: they come from an API key. */
  accountSnapshot(account: AccountOrdinal): AccountSnapshot;
  positions(account: AccountOrdinal, market?: MarketOrdinal): PositionSnapshot;
  party(account: AccountOrdinal): PartyBinding;
  orders(query: OrderQuery): PendingPage<OrderResource>;
  fills(query: FillQuery): PendingPage<FillResource>;
  positionHistory(query: AccountHistoryQuery): PendingPage<PositionResource>;
  fundingPayments(query: AccountHistoryQuery): PendingPage<FundingPaymentResource>;
  transfers(query: TransferQuery): Pick<Page<TransferResource>, 'entries'> & { readonly hasMore: boolean };
  isFavorite(account: AccountOrdinal, market: MarketOrdinal): boolean;
  leaderboardListing(account: AccountOrdinal): LeaderboardListing;

  /** `undefined` where there is no such order, or where it is another account's. */
  order(account: AccountOrdinal, order: OrderOrdinal): OrderResource | undefined;
  /** The newest order of the account that was given this reference. */
  orderByClientOrderId(account: AccountOrdinal, clientOrderId: string): OrderResource | undefined;
  /** Of the account's own orders. */
  orderNames(account: AccountOrdinal, orders: readonly OrderOrdinal[]): readonly OpenOrderName[];
  /** All that is open, from the oldest to the newest, in one market or in all. */
  openOrderNames(account: AccountOrdinal, market?: MarketOrdinal): readonly OpenOrderName[];

  /** For the operator: accounts that need not exist. */
  accountList(query: AccountListQuery): { readonly accounts: readonly AccountSummary[]; readonly nextAfter: string | null };
  accountDetails(account: AccountOrdinal): AccountDetails | undefined;
  apiKeysOf(account: AccountOrdinal): readonly ApiKeySummary[] | undefined;

  /** The balance of one of the venue's own ledgers, in USD.E. */
  ledger(ledger: VenueLedger): string;
  /** Counts all money there is: it takes the longer the more accounts there are. */
  conservation(): Conservation;
}
