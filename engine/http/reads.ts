/**
 * What the edge reads, in terms of the contract's resources. Every answer is as of the newest record that is folded. Reads
 * are synchronous: whoever has them is where the rows are.
 */
import type { AccountSnapshot, FillResource, PartyBinding } from '#contract/accounts.ts';
import type { Freshness } from '#contract/fields.ts';
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
import type { PositionSnapshot } from '#contract/positions.ts';
import type { StoredApiKey } from '#identity/directory.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, Sequence } from '#units/ids.ts';
import type { VenueLedger } from '#venue/event.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { CommittedRecord } from '#writer/submit.ts';

export type { StoredApiKey } from '#identity/directory.ts';

/** What a placement needs to know of a market: its number in commands, and the scales of its amounts. */
export interface ListedMarket {
  readonly market: MarketOrdinal;
  readonly specification: MarketSpecification;
}

/** Which page of a list: entries are ordered by the number that the venue gave them (order, trade). */
export interface PageQuery {
  readonly limit: number;
  readonly direction: 'newest_first' | 'oldest_first';
  /** Only entries made (order) or executed (fill, trade) at this moment or later. */
  readonly sinceEpochMs?: number;
  /** The number of the last entry of the page before: the page continues beyond it, in its direction. */
  readonly after?: number;
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
  /** The number of the last entry, where there are more beyond it. */
  readonly nextAfter?: number;
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

/** In USD.E. */
export interface Conservation {
  /** What was credited, less what was withdrawn for good. */
  readonly netDeposits: string;
  /** What is held beyond that: 0, or a defect. */
  readonly imbalance: string;
}

export interface Reads extends Directory {
  freshness(): Freshness;

  marketCatalogue(): MarketCatalogue;
  market(market: MarketOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): CandleSeries;
  trades(query: TradeQuery): Page<PublicTrade>;

  /** These four are asked for accounts that exist: they come from an API key. */
  accountSnapshot(account: AccountOrdinal): AccountSnapshot;
  positions(account: AccountOrdinal): PositionSnapshot;
  party(account: AccountOrdinal): PartyBinding;
  orders(query: OrderQuery): Page<OrderResource>;
  fills(query: FillQuery): Page<FillResource>;

  /** `undefined` where there is no such order, or where it is another account's. */
  order(account: AccountOrdinal, order: OrderOrdinal): OrderResource | undefined;
  /** The newest order of the account that was given this reference. */
  orderByClientOrderId(account: AccountOrdinal, clientOrderId: string): OrderResource | undefined;
  /** All that is open, from the oldest to the newest, in one market or in all. */
  openOrderNames(account: AccountOrdinal, market?: MarketOrdinal): readonly OpenOrderName[];

  /** The balance of one of the venue's own ledgers, in USD.E. */
  ledger(ledger: VenueLedger): string;
  /** Counts all money there is: it takes the longer the more accounts there are. */
  conservation(): Conservation;
}
