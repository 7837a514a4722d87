/** A record's updates of an account's positions: those that it changed, and those whose risk a new price changed. */
import type { ChannelData } from '#contract/realtime-channels.ts';
import type { AccountView, MarketsView } from '#projection/account-values.ts';
import { indexStatusAt } from '#projection/index-status.ts';
import { type MarketScales, renderMoney, scalesOf } from '#projection/market-scales.ts';
import { type LiveRisk, liveRisk, positionResource } from '#projection/position-resource.ts';
import type { RecordChanges } from '#projection/record-changes.ts';
import type { EpisodeRow, MarketActivityRow } from '#projection/rows.ts';
import { type MarketOrdinal, renderOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { unrealizedPnlOf } from '#venue/risk/position-risk.ts';
import { isRespecified } from './account-views.ts';

type Positions = ChannelData<'account.positions'>;

/**
 * The markets whose mark price moved, or whose index became current or stopped being current: by a price, or by time alone before
 * it.
 */
export function touchedMarks(
  { activity, epochMs }: RecordChanges,
  markets: Pick<MarketsView, 'scales'>,
): ReadonlySet<MarketOrdinal> {
  const touched = new Set<MarketOrdinal>();
  for (const { before, after } of activity) {
    const { market } = after;
    const isMoved =
      before?.markPriceAtoms !== after.markPriceAtoms ||
      before.indexPriceAtoms !== after.indexPriceAtoms ||
      before.indexStatus !== after.indexStatus;
    if (isMoved || isMarkNewer(before, after, markets.scales(market), epochMs)) touched.add(market);
  }
  return touched;
}

/** No event says that an index has become stale. It had by now, and the new price is current again. */
function isMarkNewer(
  before: MarketActivityRow,
  after: MarketActivityRow,
  { specification }: MarketScales,
  nowEpochMs: EpochMs,
): boolean {
  return indexStatusAt(before, specification, nowEpochMs) !== indexStatusAt(after, specification, nowEpochMs);
}

export function positionsUpdate(changes: RecordChanges, view: AccountView): Positions | undefined {
  const own = changes.episodes.filter(({ after }) => after.account === view.row.account).map(({ after }) => after);
  const riskChanges = riskChangesOf(changes, view, new Set(own.map(({ position }) => position)));
  if (own.length + riskChanges.length === 0) return undefined;
  return { positions: own.map((episode) => positionUpdate(view, episode)), riskChanges };
}

function positionUpdate(view: AccountView, episode: EpisodeRow): Positions['positions'][number] {
  const { adlIndicator: _, ...resource } = positionResource(view, episode);
  return { ...resource, riskEvidence: riskEvidenceOf(view, episode) };
}

function riskEvidenceOf(view: AccountView, { market, status }: EpisodeRow): Positions['positions'][number]['riskEvidence'] {
  if (status === 'closed') return { status: 'complete', missing: [] };
  const { markPriceAtoms } = view.activity(market);
  const { specification } = view.scales(market);
  const missing = [
    ...(markPriceAtoms === null ? ['live_risk' as const] : []),
    ...(specification.autoDeleveraging ? ['adlIndicator' as const] : []),
  ];
  const indexStatus = indexStatusAt(view.activity(market), specification, view.nowEpochMs);
  if (indexStatus !== 'current' && markPriceAtoms !== null) return { status: 'stale', missing };
  return { status: missing.length === 0 ? 'complete' : 'partial', missing };
}

/** Open positions that the record did not change, but whose margin status differs now. */
function riskChangesOf(changes: RecordChanges, view: AccountView, own: ReadonlySet<number>): Positions['riskChanges'] {
  const markets = new Set([...touchedMarks(changes, view), ...changes.markets.map(({ after }) => after.market)]);
  if (markets.size === 0) return [];
  const found: Positions['riskChanges'] = [];
  for (const episode of view.episodes) {
    if (!markets.has(episode.market) || own.has(episode.position)) continue;
    const risk = liveRisk(view, episode);
    if (risk.marginStatus === null || !mayDiffer(risk.marginStatus, changes, view, episode)) continue;
    found.push({
      positionId: renderOrdinal(episode.position),
      marketId: view.scales(episode.market).marketId,
      ...publishedRisk(risk as KnownRisk),
    });
  }
  return found;
}

/** The risk of a position that has a mark price. */
type KnownRisk = { readonly [Name in keyof LiveRisk]-?: NonNullable<LiveRisk[Name]> };

function publishedRisk(risk: KnownRisk): Omit<Positions['riskChanges'][number], 'positionId' | 'marketId'> {
  const { markPriceAtoms, unrealizedPnlAtoms, equityAtoms, maintenanceRequirementAtoms } = risk;
  const { marginHealthBps, marginStatus, riskAsOfMarketDataSequence } = risk;
  return {
    markPriceAtoms,
    unrealizedPnlAtoms,
    equityAtoms,
    maintenanceRequirementAtoms,
    marginHealthBps,
    marginStatus,
    riskAsOfMarketDataSequence,
  };
}

/**
 * Whether a client may know another margin status. Updates gave it the one at the last price; if that price has become stale
 * since, an update or a read may have given it the one with a stale price. No update is needed if both equal the status now.
 */
function mayDiffer(
  marginStatus: LiveRisk['marginStatus'],
  changes: RecordChanges,
  view: AccountView,
  episode: EpisodeRow,
): boolean {
  const before = marketsBefore(changes, view);
  const { pricedAtEpochMs } = before.activity(episode.market);
  return [pricedAtEpochMs ?? view.nowEpochMs, view.nowEpochMs].some(
    (nowEpochMs) => liveRisk({ ...before, nowEpochMs }, episode).marginStatus !== marginStatus,
  );
}

/** The markets before the record. */
function marketsBefore({ activity, markets }: RecordChanges, view: AccountView): Omit<MarketsView, 'nowEpochMs'> {
  return {
    scales(market) {
      const change = markets.find(({ after }) => after.market === market);
      return change !== undefined && isRespecified(change) ? scalesOf(change.before) : view.scales(market);
    },
    activity: (market) => activity.find(({ after }) => after.market === market)?.before ?? view.activity(market),
    status: (market) => markets.find(({ after }) => after.market === market)?.before?.status ?? view.status(market),
  };
}

type Pnl = ChannelData<'account.pnl'>;

export function pnlUpdate(changes: RecordChanges, view: AccountView): Pnl | undefined {
  const own = changes.episodes.filter(({ after }) => after.account === view.row.account).map(({ after }) => after);
  const numbers = new Set(own.map(({ position }) => position));
  const marks = touchedMarks(changes, view);
  const priced = view.episodes.filter(({ position, market }) => marks.has(market) && !numbers.has(position));
  if (own.length + priced.length === 0) return undefined;
  const positions = [
    ...own.map((episode) => pnlOf(view, episode, 'position')),
    ...priced.map((episode) => pnlOf(view, episode, 'mark')),
  ];
  return { positions };
}

function pnlOf(view: AccountView, episode: EpisodeRow, cause: 'position' | 'mark'): Pnl['positions'][number] {
  const market = view.scales(episode.market);
  const { markPriceAtoms } = view.activity(episode.market);
  const mark = episode.status === 'closed' ? null : markPriceAtoms;
  const unrealized = mark === null ? null : unrealizedPnlOf(episode, mark, market.tickLotAtoms);
  return {
    positionId: renderOrdinal(episode.position),
    marketId: market.marketId,
    cause,
    signedBaseAtoms: String(episode.signedBaseAtoms),
    realizedPnlAtoms: String(episode.realizedPnlAtoms),
    realizedPnl: renderMoney(episode.realizedPnlAtoms),
    feesPaidAtoms: String(episode.feesPaidAtoms),
    fundingPaidAtoms: String(episode.fundingPaidAtoms),
    insuranceCoveredAtoms: String(episode.insuranceCoveredAtoms),
    unrealizedPnlAtoms: unrealized === null ? null : String(unrealized),
    unrealizedPnl: unrealized === null ? null : renderMoney(unrealized),
    markPriceAtoms: mark === null ? null : String(mark),
  };
}
