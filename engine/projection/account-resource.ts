/** What an account holds, as the contract shows it: the snapshots of account and positions, and the party binding. */
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { Freshness } from '#contract/fields.ts';
import type { LeaderboardListing } from '#contract/leaderboard.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs, QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_QUOTE } from '#units/money.ts';
import { isPermitted } from '#venue/market/market-status.ts';
import { unrealizedPnlOf } from '#venue/risk/position-risk.ts';
import { indexStatusAt } from './index-status.ts';
import type { ListedMarkets } from './listed-markets.ts';
import { renderMoney } from './listed-markets.ts';
import { positionResource } from './position-resource.ts';
import { accountDigest, positionsDigest } from './read-model-digest.ts';
import type { AccountRow, EpisodeRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

export const OPEN_EPISODES = "SELECT * FROM episodes WHERE account = ? AND status = 'open' ORDER BY position";

/** With a market only the position there is shown; the digest covers all of them either way. */
export function positionSnapshot(
  store: ProjectionStore,
  markets: ListedMarkets,
  account: AccountOrdinal,
  freshness: Freshness,
  nowEpochMs: EpochMs,
  only?: MarketOrdinal,
): PositionSnapshot {
  const episodes = openEpisodes(store, account);
  const shown = only === undefined ? episodes : episodes.filter(({ market }) => market === only);
  const { sequence } = store.checkpoint;
  return {
    version: 'external-position-snapshot/v1',
    accountId: renderAccountId(account),
    snapshotSequence: sequence,
    readModelDigest: positionsDigest(episodes),
    positions: shown.map((episode) => {
      const market = markets.get(episode.market);
      const activity = store.marketActivity.find(episode.market)!;
      const { status } = store.markets.find(episode.market)!;
      const indexStatus = indexStatusAt(activity, market.specification, nowEpochMs);
      const isLiquidating = indexStatus !== undefined && isPermitted('liquidate', status, indexStatus, true);
      return positionResource(episode, market, activity, store.deleveragingQueues, isLiquidating);
    }),
    resync: { stream: 'account.positions', fromSequence: sequence },
    freshness,
  };
}

export function accountSnapshot(
  store: ProjectionStore,
  markets: ListedMarkets,
  account: AccountOrdinal,
  freshness: Freshness,
  nowEpochMs: EpochMs,
): AccountSnapshot {
  const row = accountRow(store, account);
  const episodes = openEpisodes(store, account);
  const { sequence } = store.checkpoint;
  const exposures = episodes.map((episode) => exposureOf(store, markets, episode, nowEpochMs));
  const margin = episodes.reduce((sum, episode) => plus(sum, episode.marginAtoms), ZERO_QUOTE);
  const unrealized = exposures.reduce((sum, exposure) => plus(sum, exposure.unrealizedPnl ?? ZERO_QUOTE), ZERO_QUOTE);
  const equity = plus(plus(row.cashAtoms, margin), unrealized);
  const available = minus(row.cashAtoms, row.reservedAtoms);
  return {
    version: 'external-account-snapshot/v1',
    accountId: renderAccountId(account),
    asset: 'USD.E',
    snapshotSequence: sequence,
    readModelDigest: accountDigest(row, episodes),
    marginMode: 'isolated',
    cashBalanceAtoms: String(row.cashAtoms),
    cashBalance: renderMoney(row.cashAtoms),
    equityAtoms: String(equity),
    equity: renderMoney(equity),
    availableForOrdersAtoms: String(available),
    availableForOrders: renderMoney(available),
    resync: { stream: 'account.margin', fromSequence: sequence },
    consentState: 'absent',
    riskEvidence: { status: evidenceOf(exposures) },
    positions: exposures.map(({ resource }) => resource),
    reservedForOrdersAtoms: String(row.reservedAtoms),
    reservedForOrders: renderMoney(row.reservedAtoms),
    positionMarginAtoms: String(margin),
    positionMargin: renderMoney(margin),
    freshness,
  };
}

export function partyBinding(store: ProjectionStore, account: AccountOrdinal): PartyBinding {
  const { partyId, partySequence } = accountRow(store, account);
  return {
    version: 'external-party-binding/v1',
    accountId: renderAccountId(account),
    status: partyId === '' ? 'absent' : 'active',
    ...(partyId !== '' && { partyId }),
    lastSequence: partySequence,
  };
}

export function leaderboardListing(store: ProjectionStore, account: AccountOrdinal): LeaderboardListing {
  const base = { version: 'external-leaderboard-listing/v1', accountId: renderAccountId(account) } as const;
  const listing = store.leaderboardListings.find(account);
  if (listing?.isShown !== 1) return { ...base, shown: false };
  const { displayName, handle } = listing;
  return { ...base, shown: true, ...(displayName !== '' && { displayName }), handle };
}

interface ExposureShown {
  readonly resource: AccountSnapshot['positions'][number];
  readonly unrealizedPnl?: QuoteAtoms;
  readonly isIndexCurrent: boolean;
}

/**
 * What the equity rests on. Without a mark there is no unrealized PnL, and the equity leaves it out; while an index is
 * not current the mark is what it was, and the core opens and liquidates nothing by it.
 */
function evidenceOf(exposures: readonly ExposureShown[]): AccountSnapshot['riskEvidence']['status'] {
  if (exposures.some(({ unrealizedPnl }) => unrealizedPnl === undefined)) return 'partial';
  return exposures.every(({ isIndexCurrent }) => isIndexCurrent) ? 'complete' : 'stale';
}

function exposureOf(store: ProjectionStore, markets: ListedMarkets, episode: EpisodeRow, nowEpochMs: EpochMs): ExposureShown {
  const market = markets.get(episode.market);
  const activity = store.marketActivity.find(episode.market)!;
  const { markPriceAtoms: mark } = activity;
  const isIndexCurrent = indexStatusAt(activity, market.specification, nowEpochMs) === 'current';
  const held = {
    marketId: market.marketId,
    signedBaseAtoms: String(episode.signedBaseAtoms),
    entryNotionalAtoms: String(episode.entryNotionalAtoms),
  };
  if (mark === null) return { resource: held, isIndexCurrent };
  const unrealizedPnl = unrealizedPnlOf(episode, mark, market.tickLotAtoms);
  const valued = { ...held, unrealizedPnlAtoms: String(unrealizedPnl), markPriceAtoms: String(mark) };
  return { resource: valued, unrealizedPnl, isIndexCurrent };
}

function openEpisodes(store: ProjectionStore, account: AccountOrdinal): readonly EpisodeRow[] {
  return store.statement(OPEN_EPISODES).all(account) as unknown as EpisodeRow[];
}

/** Accounts are asked for by keys that were issued to them: one that is not there is a defect. */
function accountRow(store: ProjectionStore, account: AccountOrdinal): AccountRow {
  const row = store.accounts.find(account);
  if (row === undefined) throw new Error(`there is no account ${account}`);
  return row;
}
