/**
 * The response bodies of reads. They are rendered in the thread of the rows: a handler requests one and
 * passes on the rendered text.
 */
import type { FillList, OrderList, PositionHistory } from '#contract/account-history.ts';
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { AffiliateEarnings, AffiliateProfile } from '#contract/affiliates.ts';
import type { AgentAccountList } from '#contract/agent-accounts.ts';
import type { AgentActionLog } from '#contract/agent-actions.ts';
import type { AgentDeploymentList, SingleAgentDeployment } from '#contract/agent-deployments.ts';
import type { AgentDraftList } from '#contract/agent-drafts.ts';
import type { AgentFundingList } from '#contract/agent-funding.ts';
import type { ApiKeyList } from '#contract/api-keys.ts';
import type { MarketFavorite } from '#contract/favorites.ts';
import type { Freshness } from '#contract/fields.ts';
import type { FundingPaymentList, FundingRateList } from '#contract/funding.ts';
import type { KycStatus } from '#contract/kyc.ts';
import type { Leaderboard, LeaderboardListing } from '#contract/leaderboard.ts';
import type { CandidateMarkets, MarketStatsList } from '#contract/market-data.ts';
import type { BookSnapshot, CandleSeries, MarketCatalogue, MarketStats, SingleMarket, TradeList } from '#contract/markets.ts';
import type { RenderedBody } from '#contract/operation.ts';
import type { OpenOrderName } from '#contract/order-cancels.ts';
import type { OrderResource } from '#contract/orders.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { TransferHistory } from '#contract/transfers.ts';
import type { WithdrawalResource } from '#contract/withdrawals.ts';
import type {
  AccountOrdinal,
  AgentDeploymentOrdinal,
  AgentDraftOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import { parseAccountId, parseOrderId, renderAccountId } from '#units/ids.ts';
import { VENUE_LEDGERS, type VenueLedger } from '#venue/event.ts';
import type { AgentLogQuery, LoggedAction } from './agent-log.ts';
import type { AgentFundingQuery, AgentFundingView } from './agent-reads.ts';
import type { ActionQuery, AgentDraftView, DeploymentQuery } from './deployment-reads.ts';
import { type ListView, PagedBody, pagedBody } from './paged-body.ts';
import { type CursorScope, nextCursor } from './paging.ts';
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
  OrderQuery,
  Page,
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
export interface ResourceReads {
  /** `favorite` is set for the viewer. */
  marketCatalogue(viewer?: AccountOrdinal): MarketCatalogue;
  market(market: MarketOrdinal, viewer?: AccountOrdinal): SingleMarket;
  marketStats(market: MarketOrdinal): MarketStats;
  marketStatsList(): MarketStatsList;
  book(market: MarketOrdinal, depth: number): BookSnapshot;
  candles(query: CandleQuery): PagedBody<CandleSeries>;
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
  transferHistory(query: TransferQuery): TransferHistory;
  /** Open or ended; `undefined` if no owner of the account requested it. */
  withdrawal(account: AccountOrdinal, withdrawal: WithdrawalOrdinal): WithdrawalResource | undefined;
  /** The agent accounts of an owner, with the retired ones. */
  agentAccountList(account: AccountOrdinal): AgentAccountList;
  /** `undefined` if the owner has no such agent account. */
  agentFundingList(scope: CursorScope, query: AgentFundingQuery): PagedBody<AgentFundingList> | undefined;
  /** `undefined` if the agent account of the owner has no such funding. */
  agentFunding(account: AccountOrdinal, agentAccount: AccountOrdinal, transferId: string): AgentFundingView | undefined;
  favorite(account: AccountOrdinal, market: MarketOrdinal, marketId: string): MarketFavorite;
  leaderboardListing(account: AccountOrdinal): LeaderboardListing;
  affiliateProfile(account: AccountOrdinal): AffiliateProfile;
  affiliateEarnings(scope: CursorScope, query: EarningsQuery): PagedBody<AffiliateEarnings>;
  kyc(account: AccountOrdinal): KycStatus;
  agentDraftList(account: AccountOrdinal): AgentDraftList;
  /** `undefined` if the account has no such draft or deployment, here and below. */
  agentDraft(account: AccountOrdinal, draft: AgentDraftOrdinal): AgentDraftView | undefined;
  agentDeploymentList(query: DeploymentQuery): AgentDeploymentList;
  agentDeployment(account: AccountOrdinal, deployment: AgentDeploymentOrdinal): SingleAgentDeployment | undefined;
  agentActionLog(account: AccountOrdinal, query: ActionQuery): AgentActionLog | undefined;
  /** Of the agent account that the deployment is bound to. */
  agentPositions(account: AccountOrdinal, deployment: AgentDeploymentOrdinal): PositionSnapshot | undefined;
  /** The action log of a deployment in numbers, for its run. */
  agentLog(query: AgentLogQuery): readonly LoggedAction[];
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
    tradeList(scope, marketId, query) {
      const page = reads.trades(query);
      return pagedBody<TradeList>()(
        { version: 'external-trade-list/v1', marketId },
        'trades',
        page.pending,
        ending(reads, scope, page),
      );
    },
    fundingRateList(scope, marketId, query) {
      const page = reads.fundingRates(query);
      return pagedBody<FundingRateList>()(
        { version: 'external-funding-rate-list/v1', marketId },
        'rates',
        page.pending,
        ending(reads, scope, page),
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
        ending(reads, scope, page),
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
        ending(reads, scope, page),
      );
    },
    fundingPaymentList(scope, query) {
      const page = reads.fundingPayments(query);
      return pagedBody<FundingPaymentList>()(
        { version: 'external-funding-payment-list/v1', accountId: renderAccountId(query.account) },
        'payments',
        page.pending,
        ending(reads, scope, page),
      );
    },
    transferHistory: (query) => transferHistory(reads, query),
    agentAccountList: (account) => ({
      version: 'external-agent-account-list/v1',
      accountId: renderAccountId(account),
      agentAccounts: [...reads.agentAccounts(account)],
      freshness: reads.freshness(),
    }),
    agentFundingList: (scope, query) => agentFundingList(reads, scope, query),
    agentFunding: (account, agentAccount, transferId) => reads.agentFunding(account, agentAccount, transferId),
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
        ending(reads, scope, days),
      );
    },
    kyc: (account) => reads.kyc(account),
    ...deploymentResources(reads),
    agentLog: (query) => reads.agentLog(query),
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

type DeploymentResources = Pick<
  ResourceReads,
  'agentDraftList' | 'agentDraft' | 'agentDeploymentList' | 'agentDeployment' | 'agentActionLog' | 'agentPositions'
>;

function deploymentResources(reads: Reads): DeploymentResources {
  return {
    agentDraftList: (account) => ({
      version: 'external-agent-draft-list/v1',
      accountId: renderAccountId(account),
      drafts: [...reads.agentDrafts(account)],
      freshness: reads.freshness(),
    }),
    agentDraft: (account, draft) => reads.agentDraft(account, draft),
    agentDeploymentList(query) {
      const deployments = [...reads.agentDeployments(query)];
      return {
        version: 'external-agent-deployment-list/v1',
        accountId: renderAccountId(query.account),
        deployments,
        nextAfterDeploymentId: lastOfFull(deployments, query.limit)?.deploymentId ?? null,
        freshness: reads.freshness(),
      };
    },
    agentDeployment(account, number) {
      const deployment = reads.agentDeployment(account, number);
      return deployment && { version: 'external-agent-deployment/v1', deployment };
    },
    agentActionLog(account, query) {
      const log = reads.agentActions(account, query);
      if (log === undefined) return undefined;
      const actions = [...log.actions];
      const nextAfterActionId = lastOfFull(actions, query.limit)?.actionId ?? null;
      return { ...log, actions, nextAfterActionId, freshness: reads.freshness() };
    },
    agentPositions(account, number) {
      const deployment = reads.agentDeployment(account, number);
      return deployment && reads.positions(parseAccountId(deployment.agentAccountId)!);
    },
  };
}

/** The last entry of a full page, after which the list may continue. */
function lastOfFull<Entry>(entries: readonly Entry[], limit: number): Entry | undefined {
  return entries.length === limit ? entries.at(-1) : undefined;
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

/** The last fields of every list. */
function ending(reads: Reads, scope: CursorScope, page: Page<unknown>) {
  return { nextCursor: nextCursor(scope, page), freshness: reads.freshness() };
}

function agentFundingList(reads: Reads, scope: CursorScope, query: AgentFundingQuery): PagedBody<AgentFundingList> | undefined {
  const page = reads.agentFundings(query);
  if (page === undefined) return undefined;
  const { account, agentAccount } = query;
  return pagedBody<AgentFundingList>()(
    {
      version: 'external-agent-funding-list/v1',
      accountId: renderAccountId(account),
      agentAccountId: renderAccountId(agentAccount),
    },
    'fundings',
    page.pending,
    ending(reads, scope, page),
  );
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
    ending(reads, scope, page),
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
    ...ending(reads, scope, page),
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
