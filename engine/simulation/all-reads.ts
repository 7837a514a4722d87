/** Everything that a projection shows, as one plain value: two projections of the same journal must show the same. */
import { type Projection, VenueDirectory } from '#projection/projection.ts';
import type {
  AccountOrdinal,
  AgentActionOrdinal,
  AgentDeploymentOrdinal,
  AgentDraftOrdinal,
  MarketOrdinal,
  OrderOrdinal,
  WithdrawalOrdinal,
} from '#units/ids.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import { VENUE_LEDGERS } from '#venue/event.ts';

const NEWEST_FIRST = { direction: 'newest_first', limit: 100_000 } as const;
/** The first ones of the venue are read one by one; all are in the lists of transfers. */
const MAX_WITHDRAWALS = 20;
/** The same of drafts, deployments and their actions. */
const MAX_DEPLOYMENTS = 20;
/** The stored spans, and one that is folded from them. */
const TIMEFRAMES = ['1m', '5m', '15m', '1h', '4h', '1d', '1w'] as const;
const SERIES = ['trade', 'index', 'mark'] as const;
/** Deployments whose actions are read. */
const MAX_AGENT_LOGS = 20;
const WINDOWS = ['day', 'week', 'month', 'all'] as const;

export function allReads(projection: Projection, accounts: number, markets: number, keyIds: readonly string[] = []) {
  const { reads, sequence, chainDigest } = projection;
  const directory = new VenueDirectory(projection.directory());
  const accountsRead = upTo(accounts).map((number) => {
    const account = number as AccountOrdinal;
    const orders = reads.orders({ account, ...NEWEST_FIRST }).entries;
    return {
      snapshot: reads.accountSnapshot(account),
      positions: reads.positions(account),
      party: reads.party(account),
      orders,
      ordersOneByOne: orders.map(({ orderId }) => reads.order(account, Number(orderId) as OrderOrdinal)),
      ordersByReference: orders.map(({ clientOrderId }) => reads.orderByClientOrderId(account, clientOrderId ?? '')),
      orderNames: reads.orderNames(
        account,
        orders.map(({ orderId }) => Number(orderId) as OrderOrdinal),
      ),
      openOrderNames: reads.openOrderNames(account),
      open: reads.orders({ account, status: 'open', ...NEWEST_FIRST }).entries,
      fills: reads.fills({ account, ...NEWEST_FIRST }).entries,
      positionHistory: reads.positionHistory({ account, ...NEWEST_FIRST }).entries,
      fundingPayments: reads.fundingPayments({ account, ...NEWEST_FIRST }).entries,
      ledgerEntries: reads.ledgerEntries({ account, ...NEWEST_FIRST }).entries,
      transfers: reads.transfers({ account, limit: 100_000 }).entries,
      withdrawals: upTo(MAX_WITHDRAWALS).map((withdrawal) => reads.withdrawal(account, withdrawal as WithdrawalOrdinal)),
      markets: reads.marketCatalogue(account).markets,
      favorites: upTo(markets).map((market) => reads.isFavorite(account, market as MarketOrdinal)),
      leverages: reads.leverages(account),
      leverageInMarkets: upTo(markets).map((market) => reads.leverage(account, market as MarketOrdinal)),
      leaderboardListing: reads.leaderboardListing(account),
      affiliateProfile: reads.affiliateProfile(account),
      affiliateEarnings: earningsOf(reads, account),
      kyc: reads.kyc(account),
      ...deploymentsOf(reads, account),
      details: reads.accountDetails(account),
      agents: reads.agentAccounts(account),
      fundings: [account, ...agentsOf(reads, account)].map((agentAccount) => {
        const fundings = reads.agentFundings({ account, agentAccount, ...NEWEST_FIRST })?.entries ?? [];
        const transferIds = ['unknown', ...fundings.map(({ transferId }) => transferId)];
        return { fundings, oneByOne: transferIds.map((transferId) => reads.agentFunding(account, agentAccount, transferId)) };
      }),
      keys: reads.apiKeysOf(account),
      id: renderAccountId(account),
    };
  });
  const marketsRead = upTo(markets).map((number) => {
    const market = number as MarketOrdinal;
    return {
      entry: reads.market(market),
      stats: reads.marketStats(market),
      book: reads.book(market, 1_000),
      trades: reads.trades({ market, ...NEWEST_FIRST }).entries,
      fundingRates: reads.fundingRates({ market, ...NEWEST_FIRST }).entries,
      openInterest: (['5m', '1h', '1d', '1w'] as const).map((timeframe) => {
        const { page, ...read } = reads.openInterest({ market, timeframe, limit: 10_000 });
        return { ...read, entries: page.entries };
      }),
      candles: TIMEFRAMES.flatMap((timeframe) =>
        SERIES.map((series) => {
          const { page, ...read } = reads.candles({ market, timeframe, series, limit: 10_000 });
          return { ...read, candles: page.entries };
        }),
      ),
    };
  });
  return {
    sequence,
    chainDigest,
    freshness: reads.freshness(),
    catalogue: reads.marketCatalogue(),
    stats: reads.statsOfMarkets(),
    leaderboards: WINDOWS.flatMap((window) =>
      (['pnl', 'volume'] as const).map((orderBy) => reads.leaderboard({ window, orderBy, limit: 1_000 })),
    ),
    candidates: reads.candidateMarkets([]),
    ledgers: VENUE_LEDGERS.map((ledger) => reads.ledger(ledger)),
    conservation: reads.conservation(),
    accountList: reads.accountList({ limit: 100_000 }),
    accounts: accountsRead,
    markets: marketsRead,
    agentLogs: upTo(MAX_AGENT_LOGS).map((deployment) =>
      reads.agentLog({ deployment: deployment as AgentDeploymentOrdinal, after: 0 as AgentActionOrdinal, limit: 10_000 }),
    ),
    keys: keyIds.map((keyId) => directory.apiKey(keyId)),
  };
}

function earningsOf(reads: Projection['reads'], account: AccountOrdinal) {
  const { days, ...totals } = reads.affiliateEarnings({ account, ...NEWEST_FIRST });
  return { ...totals, days: days.entries };
}

function agentsOf(reads: Projection['reads'], account: AccountOrdinal): readonly AccountOrdinal[] {
  return reads.agentAccounts(account).map(({ agentAccountId }) => parseAccountId(agentAccountId)!);
}

function deploymentsOf(reads: Projection['reads'], account: AccountOrdinal) {
  const numbers = upTo(MAX_DEPLOYMENTS).map((number) => number as AgentDeploymentOrdinal);
  return {
    drafts: reads.agentDrafts(account),
    draftsOneByOne: upTo(MAX_DEPLOYMENTS).map((draft) => reads.agentDraft(account, draft as AgentDraftOrdinal)),
    deployments: reads.agentDeployments({ account, limit: NEWEST_FIRST.limit }),
    deploymentsOneByOne: numbers.map((deployment) => reads.agentDeployment(account, deployment)),
    actions: numbers.map((deployment) => reads.agentActions(account, { deployment, ...NEWEST_FIRST })),
  };
}

function upTo(count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => index + 1);
}
