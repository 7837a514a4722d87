/** Position resources of the contract: the durable row of the episode, and the live risk at the market's mark. */
import type { PositionResource } from '#contract/positions.ts';
import { renderDecimal } from '#units/decimal.ts';
import { renderAccountId, renderOrdinal } from '#units/ids.ts';
import type { BaseAtoms, PriceAtoms, QuoteAtoms, WideAtoms } from '#units/money.ts';
import { averagePriceDown, exact, WHOLE_BPS } from '#units/money.ts';
import { isPermitted } from '#venue/market/market-status.ts';
import {
  liquidationPriceOf,
  maintenanceRequirementOf,
  marginHealthBpsOf,
  positionEquityOf,
  unrealizedPnlOf,
} from '#venue/risk/position-risk.ts';
import type { MarketsView } from './account-values.ts';
import type { DeleveragingQueues } from './deleveraging-queues.ts';
import { indexStatusAt } from './index-status.ts';
import type { MarketScales } from './market-scales.ts';
import { renderMoney } from './market-scales.ts';
import type { EpisodeRow } from './rows.ts';

/** A position is at risk below 1.5 times its maintenance margin. */
const AT_RISK_BELOW_BPS = 15_000;

/** Without queues `adlIndicator` is null. */
export function positionResource(view: MarketsView, episode: EpisodeRow, queues?: DeleveragingQueues): PositionResource {
  return {
    ...durablePart(episode, view.scales(episode.market)),
    ...liveRisk(view, episode),
    ...queuePlace(view, episode, queues),
  };
}

/** A closed position has no live risk. */
export function closedPositionResource(episode: EpisodeRow, market: MarketScales): PositionResource {
  return { ...durablePart(episode, market), ...NO_RISK, adlIndicator: null };
}

type DurablePart = Omit<PositionResource, keyof LiveRisk | 'adlIndicator'>;

function durablePart(episode: EpisodeRow, market: MarketScales): DurablePart {
  const sizeAtoms = Math.abs(episode.signedBaseAtoms) as BaseAtoms;
  const entryPrice = averageEntryPrice(episode, sizeAtoms, market);
  const exitPrice =
    episode.closedBaseAtoms === '0' ? null : averagePrice(episode.closedNotionalAtoms, episode.closedBaseAtoms, market);
  return {
    positionId: renderOrdinal(episode.position),
    accountId: renderAccountId(episode.account),
    marketId: market.marketId,
    side: episode.side,
    status: episode.status,
    openedAtEpochMs: episode.openedAtEpochMs,
    closedAtEpochMs: episode.closedAtEpochMs,
    maxQuantityAtoms: String(episode.maxQuantityAtoms),
    maxQuantity: market.quantity(episode.maxQuantityAtoms),
    currentQuantityAtoms: String(sizeAtoms),
    currentQuantity: market.quantity(sizeAtoms),
    avgEntryPriceAtoms: String(entryPrice),
    avgEntryPrice: market.price(entryPrice),
    avgExitPriceAtoms: exitPrice === null ? null : String(exitPrice),
    avgExitPrice: market.priceOrNull(exitPrice),
    realizedPnlAtoms: String(episode.realizedPnlAtoms),
    realizedPnl: renderMoney(episode.realizedPnlAtoms),
    feesPaidAtoms: String(episode.feesPaidAtoms),
    feesPaid: renderMoney(episode.feesPaidAtoms),
    fundingPaidAtoms: String(episode.fundingPaidAtoms),
    fundingPaid: renderMoney(episode.fundingPaidAtoms),
    insuranceCoveredAtoms: String(episode.insuranceCoveredAtoms),
    insuranceOwedAtoms: String(episode.insuredAtoms),
    insuranceOwed: renderMoney(episode.insuredAtoms),
    insuranceCovered: renderMoney(episode.insuranceCoveredAtoms),
    closeReason: episode.closeReason,
    lastSequence: episode.lastSequence,
    marginMode: 'isolated',
    marginAtoms: String(episode.marginAtoms),
    margin: renderMoney(episode.marginAtoms),
    entryNotionalAtoms: String(episode.entryNotionalAtoms),
    entryNotional: renderMoney(episode.entryNotionalAtoms),
    updatedAtEpochMs: episode.updatedAtEpochMs,
  };
}

/** The average entry price of the open quantity; for a closed position, of everything that was opened. */
function averageEntryPrice(episode: EpisodeRow, sizeAtoms: BaseAtoms, market: MarketScales): PriceAtoms {
  if (sizeAtoms > 0) return averagePriceDown(episode.entryNotionalAtoms, sizeAtoms, market.tickLotAtoms);
  return averagePrice(episode.openedNotionalAtoms, episode.openedBaseAtoms, market);
}

function averagePrice(notional: WideAtoms, base: WideAtoms, market: MarketScales): PriceAtoms {
  return base === '0' ? (0 as PriceAtoms) : averagePriceDown(notional, base, market.tickLotAtoms);
}

/** The fields of a position that change with the mark price. */
export type LiveRisk = Pick<
  PositionResource,
  | 'markPriceAtoms'
  | 'markPrice'
  | 'unrealizedPnlAtoms'
  | 'unrealizedPnl'
  | 'liquidationPriceAtoms'
  | 'liquidationPrice'
  | 'marginHealthBps'
  | 'equityAtoms'
  | 'maintenanceRequirementAtoms'
  | 'maintenanceRequirement'
  | 'marginStatus'
  | 'riskAsOfMarketDataSequence'
  | 'liquidationTierConsistent'
>;

const NO_RISK: LiveRisk = {
  markPriceAtoms: null,
  markPrice: null,
  unrealizedPnlAtoms: null,
  unrealizedPnl: null,
  liquidationPriceAtoms: null,
  liquidationPrice: null,
  marginHealthBps: null,
  equityAtoms: null,
  maintenanceRequirementAtoms: null,
  maintenanceRequirement: null,
  marginStatus: null,
  riskAsOfMarketDataSequence: null,
  liquidationTierConsistent: null,
};

/** All fields are `null` if the position is closed or its market has no mark. */
export function liveRisk(view: MarketsView, episode: EpisodeRow): LiveRisk {
  const market = view.scales(episode.market);
  const { markPriceAtoms: mark, markSequence } = view.activity(episode.market);
  if (episode.status === 'closed' || mark === null || markSequence === null) return NO_RISK;
  const { tickLotAtoms, specification } = market;
  const tiers = specification.maintenanceMarginTiers;
  const unrealizedPnl = unrealizedPnlOf(episode, mark, tickLotAtoms);
  const equity = positionEquityOf(episode, mark, tickLotAtoms);
  const requirement = requirementAt(mark, episode, market);
  const liquidation = liquidationPriceOf(episode, mark, tickLotAtoms, tiers);
  const healthBps = marginHealthBpsOf(equity, requirement);
  return {
    markPriceAtoms: String(mark),
    markPrice: market.price(mark),
    unrealizedPnlAtoms: String(unrealizedPnl),
    unrealizedPnl: renderMoney(unrealizedPnl),
    liquidationPriceAtoms: liquidation.priceAtoms > 0 ? String(liquidation.priceAtoms) : null,
    liquidationPrice: liquidation.priceAtoms > 0 ? renderDecimal(liquidation.priceAtoms, specification.priceScale) : null,
    marginHealthBps: String(healthBps),
    equityAtoms: String(equity),
    maintenanceRequirementAtoms: String(requirement),
    maintenanceRequirement: renderMoney(requirement),
    marginStatus: marginStatusOf(healthBps, isLiquidating(view, market) && isUnhealthyAtIndex(view, episode, market)),
    riskAsOfMarketDataSequence: markSequence,
    liquidationTierConsistent: liquidation.isInTierOfMark,
  };
}

function queuePlace(
  view: MarketsView,
  episode: EpisodeRow,
  queues: DeleveragingQueues | undefined,
): Pick<PositionResource, 'adlIndicator'> {
  const { specification, tickLotAtoms } = view.scales(episode.market);
  const { markPriceAtoms: mark } = view.activity(episode.market);
  if (queues === undefined || episode.status === 'closed' || mark === null || !specification.autoDeleveraging) {
    return { adlIndicator: null };
  }
  return { adlIndicator: queues.indicatorOf(episode, mark, tickLotAtoms) };
}

/** Whether positions of the market can be liquidated now. */
function isLiquidating(view: MarketsView, { market, specification }: MarketScales): boolean {
  const indexStatus = indexStatusAt(view.activity(market), specification, view.nowEpochMs);
  return indexStatus !== undefined && isPermitted('liquidate', view.status(market), indexStatus, true);
}

/** A liquidation waits until the index has reached its price too. */
function isUnhealthyAtIndex(view: MarketsView, episode: EpisodeRow, market: MarketScales): boolean {
  const index = view.activity(episode.market).indexPriceAtoms!;
  return positionEquityOf(episode, index, market.tickLotAtoms) < requirementAt(index, episode, market);
}

function requirementAt(price: PriceAtoms, episode: EpisodeRow, { tickLotAtoms, specification }: MarketScales): QuoteAtoms {
  const notional = exact<QuoteAtoms>(price * Math.abs(episode.signedBaseAtoms) * tickLotAtoms);
  return maintenanceRequirementOf(notional, specification.maintenanceMarginTiers);
}

/** While the position cannot be liquidated (market status or index), it is `at_risk` below its maintenance margin. */
function marginStatusOf(healthBps: number, liquidates: boolean): NonNullable<PositionResource['marginStatus']> {
  if (healthBps < WHOLE_BPS && liquidates) return 'liquidating';
  return healthBps < AT_RISK_BELOW_BPS ? 'at_risk' : 'healthy';
}
