/** The reads port over the store: renders responses from the rows and the books as of the checkpoint. */
import type { EntryPlace, Page, PageEntries, PendingPage, Reads, StoredApiKey } from '#reads/reads.ts';
import { renderDecimal } from '#units/decimal.ts';
import type { AccountOrdinal, OrderOrdinal } from '#units/ids.ts';
import { renderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { SETTLEMENT_DECIMALS, ZERO_QUOTE } from '#units/money.ts';
import type { Scope } from '#venue/command.ts';
import { accountLedgerPage, ledgerEntry } from './account-ledger.ts';
import { accountRow, accountSnapshot, leaderboardListing, partyBinding, positionSnapshot } from './account-resource.ts';
import type { ApiKeyRow } from './account-rows.ts';
import { affiliateDay, affiliateProfile, affiliateTotal, kycStatus } from './affiliate-resource.ts';
import { agentLog } from './agent-pages.ts';
import { agentReads } from './agent-resource.ts';
import { candlesOf } from './candle-series.ts';
import { conservation } from './conservation.ts';
import { deploymentReads } from './deployment-resource.ts';
import type { DirectoryState } from './directory.ts';
import type { FreshnessGauge } from './freshness.ts';
import { fundingPaymentResource, fundingRateResource } from './funding-resource.ts';
import { leverageSetting } from './leverage-resource.ts';
import { ListedMarkets } from './listed-markets.ts';
import { bookSnapshot, candidateMarkets, marketResource, marketStats } from './market-resource.ts';
import { openInterestOf } from './open-interest.ts';
import { operatorReads } from './operator-resource.ts';
import { fillResource, orderResource, tradeResource } from './order-resource.ts';
import { fillPage, newestOrderOf, openOrders, orderPage, tradePage } from './pages.ts';
import { closedPositionResource } from './position-resource.ts';
import type { OrderRow, SwitchRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';
import { affiliateDayPage, closedEpisodePage, fundingPaymentPage, fundingPeriodPage } from './time-pages.ts';
import { transferPage } from './transfer-resource.ts';
import { ownedWithdrawal } from './withdrawal-resource.ts';

/** `now` must not be before the time of the newest record. */
export function readsOf(store: ProjectionStore, gauge: FreshnessGauge, now: () => EpochMs): Reads {
  const markets = new ListedMarkets(store);
  const freshness = () => gauge.at(store.checkpoint);
  const registry = () => ({ snapshotSequence: store.checkpoint.sequence, readModelDigest: store.checkpoint.registryDigest });
  const ownOrder = (account: AccountOrdinal, number: OrderOrdinal) => {
    const order = store.orders.find(number);
    return order?.account === account ? order : undefined;
  };
  const nameOf = ({ order, clientOrderId, market }: Pick<OrderRow, 'order' | 'clientOrderId' | 'market'>) => ({
    orderId: renderOrdinal(order),
    clientOrderId,
    marketId: markets.get(market).marketId,
  });
  return {
    freshness,
    marketCatalogue: (viewer) => ({
      version: 'external-market-catalog/v1',
      markets: markets.all().map((market) => marketResource(store, market, viewer)),
      ...registry(),
    }),
    market: (market, viewer) => ({
      version: 'external-market/v1',
      market: marketResource(store, markets.get(market), viewer),
      ...registry(),
    }),
    marketStats: (market) => marketStats(store, markets.get(market), now()),
    statsOfMarkets: () => markets.all().map((market) => marketStats(store, market, now())),
    book: (market, depth) => bookSnapshot(store, markets.get(market), depth),
    candles(query) {
      const market = markets.get(query.market);
      const { sequence, epochMs: asOfEpochMs } = store.checkpoint;
      return { page: pendingPage(candlesOf(store, query, market)), marketId: market.marketId, sequence, asOfEpochMs };
    },
    openInterest(query) {
      const market = markets.get(query.market);
      const { sequence, epochMs: asOfEpochMs } = store.checkpoint;
      return { page: pendingPage(openInterestOf(store, query, market)), marketId: market.marketId, sequence, asOfEpochMs };
    },
    trades: (query) => pending(tradePage(store, query), (trade) => tradeResource(trade, markets.get(trade.market))),
    fundingRates: (query) =>
      pending(fundingPeriodPage(store, query, markets.pastOf(query.market)), (period) =>
        fundingRateResource(period, markets.get(period.market)),
      ),
    candidateMarkets: (priced) => candidateMarkets(store, markets, priced),
    leaderboard: (query) => store.rankings.page(query, store.checkpoint.epochMs),
    accountSnapshot: (account) => accountSnapshot(store, markets, account, freshness(), now()),
    positions: (account, market) => positionSnapshot(store, markets, account, freshness(), now(), market),
    party: (account) => partyBinding(store, account),
    withdrawal: (account, withdrawal) => ownedWithdrawal(store, account, withdrawal),
    orders: (query) => pending(orderPage(store, query), (order) => orderResource(order, markets.get(order.market))),
    fills: (query) => pending(fillPage(store, query), (fill) => fillResource(fill, markets.get(fill.market))),
    positionHistory: (query) =>
      pending(closedEpisodePage(store, query), (episode) => closedPositionResource(episode, markets.get(episode.market))),
    fundingPayments: (query) =>
      pending(fundingPaymentPage(store, query), (payment) => fundingPaymentResource(store, payment, markets.get(payment.market))),
    ledgerEntries: (query) => pending(accountLedgerPage(store, query), (item) => ledgerEntry(store, markets, item)),
    transfers: (query) => transferPage(store, query),
    isFavorite: (account, market) => store.favorites.find(account, market)?.isFavorite === 1,
    leaderboardListing: (account) => leaderboardListing(store, account),
    affiliateProfile: (account) => affiliateProfile(account, store.affiliates.find(account)),
    affiliateEarnings(query) {
      const row = store.affiliates.find(query.account);
      const days = pending(affiliateDayPage(store, query), affiliateDay);
      return { registered: row !== undefined, total: affiliateTotal(row), days };
    },
    leverage: (account, market) => leverageSetting(store, markets.get(market), account),
    leverages: (account) => markets.all().map((market) => leverageSetting(store, market, account)),
    kyc: (account) => kycStatus(accountRow(store, account)),
    agentLog: (query) => agentLog(store, query),
    order(account, number) {
      const order = ownOrder(account, number);
      return order === undefined ? undefined : orderResource(order, markets.get(order.market));
    },
    orderByClientOrderId(account, clientOrderId) {
      const order = newestOrderOf(store, account, clientOrderId);
      return order === undefined ? undefined : orderResource(order, markets.get(order.market));
    },
    orderNames: (account, orders) => orders.map((number) => nameOf(ownOrder(account, number)!)),
    openOrderNames: (account, market) => openOrders(store, account, market).map(nameOf),
    ledger: (ledger) => renderDecimal(store.ledgers.find(ledger)?.balanceAtoms ?? ZERO_QUOTE, SETTLEMENT_DECIMALS),
    conservation: () => conservation(store, markets),
    ...agentReads(store),
    ...deploymentReads(store, markets),
    ...operatorReads(store, markets, now),
  };
}

/** Later folds do not affect a pending page: rows are immutable, and so is the market data for rendering. */
function pending<Row, Resource>({ entries: rows, nextAfter }: Page<Row>, render: (row: Row) => Resource): PendingPage<Resource> {
  return pendingPage({ length: rows.length, slice: (from, to) => rows.slice(from, to).map(render) }, nextAfter);
}

function pendingPage<Resource>(pending: PageEntries<Resource>, nextAfter?: EntryPlace): PendingPage<Resource> {
  return {
    get entries() {
      return pending.slice(0, pending.length);
    },
    pending,
    ...(nextAfter !== undefined && { nextAfter }),
  };
}

/** All markets, API keys and switches. */
export function directoryOf(store: ProjectionStore): DirectoryState {
  const markets = store.statement('SELECT market, specification FROM markets ORDER BY market').all();
  const keys = store.statement('SELECT * FROM apiKeys').all() as unknown as ApiKeyRow[];
  return {
    sequence: store.checkpoint.sequence,
    markets: markets.map(({ market, specification }) => [market, JSON.parse(String(specification))] as never),
    apiKeys: keys.map(storedApiKey),
    switches: store.statement('SELECT name, value, sequence FROM switches').all() as unknown as SwitchRow[],
  };
}

function storedApiKey({ isRevoked, scopes, ...key }: ApiKeyRow): StoredApiKey {
  return { ...key, scopes: scopes === '' ? [] : (scopes.split(' ') as Scope[]), isRevoked: isRevoked === 1 };
}
