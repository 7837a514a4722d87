/** Account resources of the contract: the snapshots of account and positions, the party binding and the leaderboard listing. */
import type { AccountSnapshot, PartyBinding } from '#contract/accounts.ts';
import type { Freshness } from '#contract/fields.ts';
import type { LeaderboardListing } from '#contract/leaderboard.ts';
import type { PositionSnapshot } from '#contract/positions.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';
import { renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { setupOf } from '#venue/owner/party.ts';
import type { AccountRow } from './account-rows.ts';
import { type AccountView, accountValuesOf, type Exposure } from './account-values.ts';
import type { ListedMarkets } from './listed-markets.ts';
import { renderMoney } from './market-scales.ts';
import { positionResource } from './position-resource.ts';
import { accountDigest, positionsDigest } from './read-model-digest.ts';
import type { EpisodeRow } from './rows.ts';
import type { ProjectionStore } from './store.ts';

export const OPEN_EPISODES = "SELECT * FROM episodes WHERE account = ? AND status = 'open' ORDER BY position";

/** `only` filters the positions by market. The digest covers all of them in any case. */
export function positionSnapshot(
  store: ProjectionStore,
  markets: ListedMarkets,
  account: AccountOrdinal,
  freshness: Freshness,
  nowEpochMs: EpochMs,
  only?: MarketOrdinal,
): PositionSnapshot {
  const { sequence } = store.checkpoint;
  const view = storedView(store, markets, account, nowEpochMs);
  const { episodes } = view;
  const shown = only === undefined ? episodes : episodes.filter(({ market }) => market === only);
  return {
    version: 'external-position-snapshot/v1',
    accountId: renderAccountId(account),
    snapshotSequence: sequence,
    readModelDigest: positionsDigest(episodes),
    positions: shown.map((episode) => positionResource(view, episode, store.deleveragingQueues)),
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
  const view = storedView(store, markets, account, nowEpochMs);
  const { row, episodes } = view;
  const { sequence } = store.checkpoint;
  const { exposures, marginAtoms, equityAtoms, availableAtoms, evidence } = accountValuesOf(view);
  return {
    version: 'external-account-snapshot/v1',
    accountId: renderAccountId(account),
    asset: 'USD.E',
    snapshotSequence: sequence,
    readModelDigest: accountDigest(row, episodes),
    marginMode: 'isolated',
    cashBalanceAtoms: String(row.cashAtoms),
    cashBalance: renderMoney(row.cashAtoms),
    equityAtoms: String(equityAtoms),
    equity: renderMoney(equityAtoms),
    availableForOrdersAtoms: String(availableAtoms),
    availableForOrders: renderMoney(availableAtoms),
    resync: { stream: 'account.margin', fromSequence: sequence },
    consentState: consentStateOf(store, row),
    riskEvidence: { status: evidence },
    positions: exposures.map(exposureResource),
    reservedForOrdersAtoms: String(row.reservedAtoms),
    reservedForOrders: renderMoney(row.reservedAtoms),
    positionMarginAtoms: String(marginAtoms),
    positionMargin: renderMoney(marginAtoms),
    freshness,
  };
}

export function partyBinding(store: ProjectionStore, account: AccountOrdinal): PartyBinding {
  const row = accountRow(store, account);
  const { partyId, partyStatus } = row;
  return {
    version: 'external-party-binding/v1',
    accountId: renderAccountId(account),
    status: partyStatus === 'absent' || partyStatus === 'active' ? partyStatus : 'pending',
    partyId: partyId === '' ? null : partyId,
    source: partySource(row),
    setup: row.isOwner === 1 ? setupOf({ ...row, hasWallet: row.hasWallet === 1 }) : null,
    lastSequence: row.partySequence,
  };
}

/** An agent account has the consent of its owner. */
function consentStateOf(store: ProjectionStore, row: AccountRow): AccountSnapshot['consentState'] {
  const { consentState } = row.agentOwner === 0 ? row : accountRow(store, row.agentOwner);
  return consentState === 'submitted' ? 'pending' : consentState;
}

function partySource({ isOwner, agentOwner, partyId }: AccountRow): PartyBinding['source'] {
  if (isOwner === 1) return 'owner';
  if (agentOwner !== 0) return 'agent_owner';
  return partyId === '' ? null : 'operator';
}

export function leaderboardListing(store: ProjectionStore, account: AccountOrdinal): LeaderboardListing {
  const base = { version: 'external-leaderboard-listing/v1', accountId: renderAccountId(account) } as const;
  const listing = store.leaderboardListings.find(account);
  if (listing?.isShown !== 1) return { ...base, shown: false, displayName: null, handle: null };
  const { displayName, handle } = listing;
  return { ...base, shown: true, displayName: displayName === '' ? null : displayName, handle };
}

function exposureResource({
  episode,
  market,
  markPriceAtoms,
  unrealizedPnlAtoms,
}: Exposure): AccountSnapshot['positions'][number] {
  return {
    marketId: market.marketId,
    unrealizedPnlAtoms: unrealizedPnlAtoms === undefined ? null : String(unrealizedPnlAtoms),
    signedBaseAtoms: String(episode.signedBaseAtoms),
    entryNotionalAtoms: String(episode.entryNotionalAtoms),
    markPriceAtoms: markPriceAtoms === undefined ? null : String(markPriceAtoms),
  };
}

/** Throws if the account does not exist. */
export function storedView(
  store: ProjectionStore,
  markets: ListedMarkets,
  account: AccountOrdinal,
  nowEpochMs: EpochMs,
): AccountView {
  return {
    row: accountRow(store, account),
    episodes: openEpisodes(store, account),
    nowEpochMs,
    scales: (market) => markets.get(market),
    activity: (market) => store.marketActivity.find(market)!,
    status: (market) => store.markets.find(market)!.status,
  };
}

function openEpisodes(store: ProjectionStore, account: AccountOrdinal): readonly EpisodeRow[] {
  return store.statement(OPEN_EPISODES).all(account) as unknown as EpisodeRow[];
}

/** Callers use accounts of issued API keys, so a missing account is an internal error. */
export function accountRow(store: ProjectionStore, account: AccountOrdinal): AccountRow {
  const row = store.accounts.find(account);
  if (row === undefined) throw new Error(`there is no account ${account}`);
  return row;
}
