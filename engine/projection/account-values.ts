/** The values of an account: cash, reservations, margin, and equity at the current marks. */
import type { AccountSnapshot } from '#contract/accounts.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import { minus, plus, ZERO_QUOTE } from '#units/money.ts';
import type { MarketStatus } from '#venue/market/specification.ts';
import { unrealizedPnlOf } from '#venue/risk/position-risk.ts';
import type { AccountRow } from './account-rows.ts';
import { indexStatusAt } from './index-status.ts';
import type { MarketScales } from './market-scales.ts';
import type { EpisodeRow, MarketActivityRow } from './rows.ts';

/** The state of the markets at one time. */
export interface MarketsView {
  readonly nowEpochMs: EpochMs;
  scales(market: MarketOrdinal): MarketScales;
  activity(market: MarketOrdinal): MarketActivityRow;
  status(market: MarketOrdinal): MarketStatus;
}

/** The state of the markets and of one account. */
export interface AccountView extends MarketsView {
  readonly row: AccountRow;
  /** The open episodes, by position number. */
  readonly episodes: readonly EpisodeRow[];
}

/** An open position at its market's mark. Without a mark there is no unrealized PnL. */
export interface Exposure {
  readonly episode: EpisodeRow;
  readonly market: MarketScales;
  readonly markPriceAtoms: PriceAtoms | undefined;
  readonly unrealizedPnlAtoms: QuoteAtoms | undefined;
  readonly isIndexCurrent: boolean;
}

export interface AccountValues {
  readonly exposures: readonly Exposure[];
  readonly marginAtoms: QuoteAtoms;
  readonly equityAtoms: QuoteAtoms;
  readonly availableAtoms: QuoteAtoms;
  readonly evidence: AccountSnapshot['riskEvidence']['status'];
}

export function accountValuesOf(view: AccountView): AccountValues {
  const { row, episodes } = view;
  const exposures = episodes.map((episode) => exposureOf(view, episode));
  const marginAtoms = episodes.reduce((sum, episode) => plus(sum, episode.marginAtoms), ZERO_QUOTE);
  const unrealized = exposures.reduce((sum, exposure) => plus(sum, exposure.unrealizedPnlAtoms ?? ZERO_QUOTE), ZERO_QUOTE);
  return {
    exposures,
    marginAtoms,
    equityAtoms: plus(plus(row.cashAtoms, marginAtoms), unrealized),
    availableAtoms: minus(row.cashAtoms, row.reservedAtoms),
    evidence: evidenceOf(exposures),
  };
}

function exposureOf(view: MarketsView, episode: EpisodeRow): Exposure {
  const market = view.scales(episode.market);
  const activity = view.activity(episode.market);
  const mark = activity.markPriceAtoms ?? undefined;
  return {
    episode,
    market,
    markPriceAtoms: mark,
    unrealizedPnlAtoms: mark === undefined ? undefined : unrealizedPnlOf(episode, mark, market.tickLotAtoms),
    isIndexCurrent: indexStatusAt(activity, market.specification, view.nowEpochMs) === 'current',
  };
}

/**
 * How reliable the equity is. `partial`: a position has no mark, so equity excludes its unrealized PnL. `stale`: an index is not current, so
 * the mark is old, and the core neither opens nor liquidates by it.
 */
function evidenceOf(exposures: readonly Exposure[]): AccountValues['evidence'] {
  if (exposures.some(({ unrealizedPnlAtoms }) => unrealizedPnlAtoms === undefined)) return 'partial';
  return exposures.every(({ isIndexCurrent }) => isIndexCurrent) ? 'complete' : 'stale';
}
