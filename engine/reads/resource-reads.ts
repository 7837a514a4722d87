/**
 * The response bodies of reads. They are rendered in the thread of the rows: a handler requests one and
 * passes on the rendered text.
 */
import type { FillList, OrderList, PositionHistory } from '#contract/account-history.ts';
import type { LedgerEntryList } from '#contract/account-ledger.ts';
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { AffiliateEarnings, AffiliateProfile } from '#contract/affiliates.ts';
import type { ApiKeyList } from '#contract/api-keys.ts';
import type { MarketFavorite } from '#contract/favorites.ts';
import type { Freshness } from '#contract/fields.ts';
import type { FundingPaymentList, FundingRateList } from '#contract/funding.ts';
import type { KycStatus } from '#contract/kyc.ts';
import type { Leaderboard, LeaderboardListing } from '#contract/leaderboard.ts';
import type { LeverageList, MarketLeverage } from '#contract/leverage.ts';
import type { CandidateMarkets, MarketStatsList } from '#contract/market-data.ts';
import type { BookSnapshot, CandleSeries, MarketCatalogue, MarketStats, SingleMarket, TradeList } from '#contract/markets.ts';
import type { OpenInterestSeries } from '#contract/open-interest.ts';
import type { RenderedBody } from '#contract/operation.ts';
import type { OpenOrderName } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { TransferHistory } from '#contract/transfers.ts';
import type { WithdrawalResource } from '#contract/withdrawals.ts';
import type { AccountOrdinal, MarketOrdinal, OrderOrdinal, WithdrawalOrdinal } from '#units/ids.ts';
import { parseOrderId, renderAccountId } from '#units/ids.ts';
import { VENUE_LEDGERS, type VenueLedger } from '#venue/event.ts';
import { type AgentResourceReads, agentResourceReads } from './agent-resource-reads.ts';
import { type ListView, PagedBody, pagedBody } from './paged-body.ts';
import { type CursorScope, listEnding } from './paging.ts';
import type {
  AccountDetails,
  AccountHistoryQuery,
  AccountListQuery,
  ApiKeySummary,
  CandleQuery,
  Conservation,
  EarningsQuery,
  FillQuery,
  LeaderboardQuery,
  LedgerQuery,
  OpenInterestQuery,
  OrderQuery,
  PricedUnderlying,
  Reads,
  TradeQuery,
  TransferQuery,
} from './reads.ts';
import { transferCursor } from './transfer-cursor.ts';

/** Fills of an order that its client order ID names: of the newest such order. */
export interface NamedFillQuery extends FillQuery {
  readonly clientOrderId?: string;
}

/** How a client names an order: by the venue's number or by its client order ID. */
export type OrderName = OrderOrdinal | { readonly clientOrderId: string };

/** Each as of the newest folded record. */
export interface ResourceReads extends AgentResourceReads {
  /** `favorite` is set for the viewer. */
  marketCatalogue(viewer?: AccountOrdinal): MarketCatalogue;
  market(market: MarketOrdinal, viewer?: AccountOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  marketStatsList(): MarketStatsList;
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): PagedBody<CandleSeries>;
  openInterest(query: OpenInterestQuery): PagedBody<OpenInterestSeries>;
  /** `marketId` is that of the query's market, here and below. The cursors belong to the scope. */
  tradeList(scope: CursorScope, marketId: string, query: TradeQuery): PagedBody<TradeList>;
  fundingRateList(scope: CursorScope, marketId: string, query: TradeQuery): PagedBody<FundingRateList>;
  candidateMarkets(priced: readonly PricedUnderlying[]): CandidateMarkets;
  leaderboard(scope: CursorScope, query: LeaderboardQuery): Leaderboard;

  /** The following take existing accounts only. */
  accountSnapshot(account: AccountOrdinal): AccountSnapshot;
  positions(account: AccountOrdinal, market?: MarketOrdinal): PositionSnapshot;
  party(account: AccountOrdinal): PartyBinding;
  orderList(scope: CursorScope, query: OrderQuery): PagedBody<OrderList>;
  /** `undefined` if the query names an order that is not the account's. */
  fillList(scope: CursorScope, query: NamedFillQuery): PagedBody<FillList> | undefined;
  positionHistory(scope: CursorScope, query: AccountHistoryQuery): PagedBody<PositionHistory>;
  fundingPaymentList(scope: CursorScope, query: AccountHistoryQuery): PagedBody<FundingPaymentList>;
  ledgerEntryList(scope: CursorScope, query: LedgerQuery): PagedBody<LedgerEntryList>;
  transferHistory(query: TransferQuery): TransferHistory;
  /** Open or ended; `undefined` if no owner of the account requested it. */
  withdrawal(account: AccountOrdinal, withdrawal: WithdrawalOrdinal): WithdrawalResource | undefined;
  favorite(account: AccountOrdinal, market: MarketOrdinal, marketId: string): MarketFavorite;
  leaderboardListing(account: AccountOrdinal): LeaderboardListing;
  affiliateProfile(account: AccountOrdinal): AffiliateProfile;
  affiliateEarnings(scope: CursorScope, query: EarningsQuery): PagedBody<AffiliateEarnings>;
  kyc(account: AccountOrdinal): KycStatus;
  marketLeverage(account: AccountOrdinal, market: MarketOrdinal): MarketLeverage;
  leverageList(account: AccountOrdinal): LeverageList;
  /** `undefined` if there is no such order, or if it is another account's. */
  order(account: AccountOrdinal, order: OrderOrdinal): OrderResource | undefined;
  /** The newest order with this client order ID; `undefined` likewise. */
  orderByClientOrderId(account: AccountOrdinal, clientOrderId: string): OrderResource | undefined;
  /** In the order of `names`; `null` for an order that is not the account's. */
  namedOrders(account: AccountOrdinal, names: readonly OrderName[]): readonly (OrderResource | null)[];
  /** In the order of `orders`, which must be the account's. */
  orderNames(account: AccountOrdinal, orders: readonly OrderOrdinal[]): readonly OpenOrderName[];
  openOrderNames(account: AccountOrdinal, market?: MarketOrdinal): readonly OpenOrderName[];

  freshness(): Freshness;

  /** The balances of the venue's own ledgers, in USD.E. */
  ledgers(): Readonly<Record<VenueLedger, string>>;
  conservation(): Conservation;
  accountList(query: AccountListQuery): ReturnType<Reads['accountList']>;
  /** `undefined` if there is no such account, here and below. */
  accountDetails(account: AccountOrdinal): AccountDetails | undefined;
  apiKeysOf(account: AccountOrdinal): readonly ApiKeySummary[] | undefined;
  /** The same for the account's owner. */
  apiKeyList(account: AccountOrdinal): ApiKeyList;
}

/** The same reads from any thread. A read requested after a submission has resolved reflects it. */
export type RenderedReads = {
  readonly [Name in keyof ResourceReads]: (
    ...args: Parameters<ResourceReads[Name]>
  ) => Promise<RenderedOf<ReturnType<ResourceReads[Name]>>>;
};

type RenderedOf<Body> = Body extends undefined
  ? undefined
  : Body extends PagedBody<infer Whole>
    ? RenderedBody<Whole>
    : RenderedBody<Body>;

export function resourceReads(reads: Reads): ResourceReads {
  return {
    marketCatalogue: (viewer) => reads.marketCatalogue(viewer),
    market: (market, viewer) => reads.market(market, viewer),
    marketStats: (market) => reads.marketStats(market),
    marketStatsList: () => ({
      version: 'external-market-stats-list/v1',
      stats: [...reads.statsOfMarkets()],
      freshness: reads.freshness(),
    }),
    book: (market, depth) => reads.book(market, depth),
    candles(query) {
      const { page, marketId, sequence, asOfEpochMs } = reads.candles(query);
      const { timeframe, series } = query;
      return pagedBody<CandleSeries>()(
        { version: 'external-candle-series/v1', marketId, timeframe, series },
        'candles',
        page.pending,
        { sequence, asOfEpochMs },
      );
    },
    openInterest(query) {
      const { page, marketId, sequence, asOfEpochMs } = reads.openInterest(query);
      return pagedBody<OpenInterestSeries>()(
        { version: 'external-open-interest-series/v1', marketId, timeframe: query.timeframe },
        'entries',
        page.pending,
        { sequence, asOfEpochMs },
      );
    },
    tradeList(scope, marketId, query) {
      const page = reads.trades(query);
      return pagedBody<TradeList>()(
        { version: 'external-trade-list/v1', marketId },
        'trades',
        page.pending,
        listEnding(reads, scope, page),
      );
    },
    fundingRateList(scope, marketId, query) {
      const page = reads.fundingRates(query);
      return pagedBody<FundingRateList>()(
        { version: 'external-funding-rate-list/v1', marketId },
        'rates',
        page.pending,
        listEnding(reads, scope, page),
      );
    },
    candidateMarkets: (priced) => ({
      version: 'external-candidate-markets/v1',
      candidates: [...reads.candidateMarkets(priced)],
      freshness: reads.freshness(),
    }),
    leaderboard: (scope, query) => leaderboard(reads, scope, query),
    accountSnapshot: (account) => reads.accountSnapshot(account),
    positions: (account, market) => reads.positions(account, market),
    party: (account) => reads.party(account),
    withdrawal: (account, withdrawal) => reads.withdrawal(account, withdrawal),
    orderList(scope, query) {
      const page = reads.orders(query);
      return pagedBody<OrderList>()(
        { version: 'external-order-list/v1', accountId: renderAccountId(query.account) },
        'orders',
        page.pending,
        listEnding(reads, scope, page),
        query.direction,
      );
    },
    fillList: (scope, query) => fillList(reads, scope, query),
    positionHistory(scope, query) {
      const page = reads.positionHistory(query);
      return pagedBody<PositionHistory>()(
        { version: 'external-position-history/v1', accountId: renderAccountId(query.account) },
        'positions',
        page.pending,
        listEnding(reads, scope, page),
      );
    },
    fundingPaymentList(scope, query) {
      const page = reads.fundingPayments(query);
      return pagedBody<FundingPaymentList>()(
        { version: 'external-funding-payment-list/v1', accountId: renderAccountId(query.account) },
        'payments',
        page.pending,
        listEnding(reads, scope, page),
      );
    },
    ledgerEntryList(scope, query) {
      const page = reads.ledgerEntries(query);
      return pagedBody<LedgerEntryList>()(
        { version: 'ledger-entry-list/v1', accountId: renderAccountId(query.account) },
        'entries',
        page.pending,
        listEnding(reads, scope, page),
      );
    },
    transferHistory: (query) => transferHistory(reads, query),
    favorite: (account, market, marketId) => ({
      version: 'external-market-favorite/v1',
      accountId: renderAccountId(account),
      marketId,
      favorite: reads.isFavorite(account, market),
    }),
    leaderboardListing: (account) => reads.leaderboardListing(account),
    affiliateProfile: (account) => reads.affiliateProfile(account),
    affiliateEarnings(scope, query) {
      const { registered, total, days } = reads.affiliateEarnings(query);
      const accountId = renderAccountId(query.account);
      return pagedBody<AffiliateEarnings>()(
        { version: 'external-affiliate-earnings/v1', accountId, registered, asset: 'USD.E', basis: 'projected', total },
        'days',
        days.pending,
        listEnding(reads, scope, days),
      );
    },
    kyc: (account) => reads.kyc(account),
    marketLeverage: (account, market) => ({
      version: 'market-leverage/v1',
      accountId: renderAccountId(account),
      ...reads.leverage(account, market),
    }),
    leverageList: (account) => ({
      version: 'leverage-list/v1',
      accountId: renderAccountId(account),
      leverages: reads.leverages(account),
    }),
    ...agentResourceReads(reads),
    order: (account, order) => reads.order(account, order),
    orderByClientOrderId: (account, clientOrderId) => reads.orderByClientOrderId(account, clientOrderId),
    namedOrders: (account, names) => names.map((name) => namedOrder(reads, account, name) ?? null),
    orderNames: (account, orders) => reads.orderNames(account, orders),
    openOrderNames: (account, market) => reads.openOrderNames(account, market),
    freshness: () => reads.freshness(),
    conservation: () => reads.conservation(),
    accountList: (query) => reads.accountList(query),
    accountDetails: (account) => reads.accountDetails(account),
    apiKeysOf: (account) => reads.apiKeysOf(account),
    apiKeyList: (account) => ({
      version: 'external-api-key-list/v1',
      accountId: renderAccountId(account),
      apiKeys: (reads.apiKeysOf(account) ?? []).map(({ scopes, ...key }) => ({ ...key, scopes: [...scopes] })),
    }),
    ledgers: () =>
      Object.fromEntries(VENUE_LEDGERS.map((ledger) => [ledger, reads.ledger(ledger)])) as Record<VenueLedger, string>,
  };
}

/** Reads in this thread. */
export function readsInProcess(responses: ResourceReads): RenderedReads {
  return proxyReads(async (name, args) => renderRead(responses, name, args));
}

/** Forwards every read by its name. */
export function proxyReads(
  response: (name: keyof ResourceReads, args: readonly unknown[]) => Promise<string | Uint8Array | undefined>,
): RenderedReads {
  const get = (_: RenderedReads, name: string | symbol) => {
    // `await` looks for a `then` method: it is not a read.
    if (name === 'then') return undefined;
    return (...args: readonly unknown[]) => response(name as keyof ResourceReads, args);
  };
  return new Proxy({} as RenderedReads, { get });
}

/**
 * Performs the read with that name and returns its JSON, or `undefined` if the resource does not exist; a list as `view` shows
 * it, if it does. Yields where it can be interrupted.
 */
export function* renderSteps(
  responses: ResourceReads,
  name: keyof ResourceReads,
  args: readonly unknown[],
  view?: ListView,
): Generator<undefined, string | undefined> {
  const response = (responses[name] as (...args: readonly unknown[]) => unknown)(...args);
  if (response instanceof PagedBody) return yield* response.steps(view);
  return response === undefined ? undefined : JSON.stringify(response);
}

/** The same without interruption. */
export function renderRead(...args: Parameters<typeof renderSteps>): string | undefined {
  return finished(renderSteps(...args));
}

/** Runs the remaining steps without interruption. */
export function finished<Result>(steps: Generator<undefined, Result>): Result {
  for (;;) {
    const { done, value } = steps.next();
    if (done) return value;
  }
}

export function isRendered(body: unknown): body is RenderedBody<unknown> {
  return typeof body === 'string' || body instanceof Uint8Array;
}

/** The value of a rendered body. */
export function parseRendered<Body>(body: RenderedBody<Body>): Body;
export function parseRendered<Body>(body: RenderedBody<Body> | undefined): Body | undefined;
export function parseRendered(body: string | Uint8Array | undefined): unknown {
  if (body === undefined) return undefined;
  return JSON.parse(typeof body === 'string' ? body : Buffer.from(body.buffer, body.byteOffset, body.length).toString());
}

function namedOrder(reads: Reads, account: AccountOrdinal, name: OrderName): OrderResource | undefined {
  return typeof name === 'number' ? reads.order(account, name) : reads.orderByClientOrderId(account, name.clientOrderId);
}

function fillList(
  reads: Reads,
  scope: CursorScope,
  { clientOrderId, ...query }: NamedFillQuery,
): PagedBody<FillList> | undefined {
  const named = clientOrderId === undefined ? query.order : orderReferredTo(reads, query.account, clientOrderId);
  const isOwn = named !== undefined && reads.order(query.account, named) !== undefined;
  const isNamed = clientOrderId !== undefined || query.order !== undefined;
  if (isNamed && (!isOwn || (query.order !== undefined && query.order !== named))) return undefined;
  const page = reads.fills({ ...query, ...(named !== undefined && { order: named }) });
  return pagedBody<FillList>()(
    { version: 'external-fill-list/v1', accountId: renderAccountId(query.account) },
    'fills',
    page.pending,
    listEnding(reads, scope, page),
    query.direction,
  );
}

function orderReferredTo(reads: Reads, account: AccountOrdinal, clientOrderId: string): OrderOrdinal | undefined {
  const order = reads.orderByClientOrderId(account, clientOrderId);
  return order === undefined ? undefined : parseOrderId(order.orderId);
}

function leaderboard(reads: Reads, scope: CursorScope, query: LeaderboardQuery): Leaderboard {
  const { sinceEpochMs, untilEpochMs, ...page } = reads.leaderboard(query);
  return {
    version: 'external-leaderboard/v1',
    window: query.window,
    orderBy: query.orderBy,
    entries: [...page.entries],
    sinceEpochMs: sinceEpochMs ?? null,
    untilEpochMs,
    ...listEnding(reads, scope, page),
  };
}

function transferHistory(reads: Reads, query: TransferQuery): TransferHistory {
  const { entries, hasMore } = reads.transfers(query);
  const last = entries.at(-1);
  return {
    version: 'external-transfer-history/v1',
    accountId: renderAccountId(query.account),
    kind: query.kind ?? null,
    transfers: [...entries],
    nextCursor: hasMore && last !== undefined ? transferCursor(last) : null,
    freshness: reads.freshness(),
  };
}
