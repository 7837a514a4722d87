/**
 * Index prices: the guard accepts a price or not, the mark follows, and funding and liquidations run within the bounds of one turn.
 * `AdvanceMarket` does the rest.
 */

import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import {
  fundingEstimateOf,
  impactOf,
  settlePeriod,
  startFunding,
  sweepFunding,
  watchPremium,
} from '#venue/funding/funding-settlement.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { cutInherited } from '#venue/order/reduce-only.ts';
import type { Refusal } from '#venue/refusal.ts';
import { liquidateDue, retryParked } from '#venue/risk/liquidation.ts';
import { observePrices } from '#venue/trigger/observing.ts';
import { triggerDue } from '#venue/trigger/triggering.ts';
import type { Turn } from '#venue/turn.ts';
import { observeIndex } from './index-guard.ts';
import type { Market } from './market.ts';

/** An observation of the underlying's price by the price source. */
export interface PublishIndexPrice {
  readonly type: 'PublishIndexPrice';
  readonly market: MarketOrdinal;
  readonly priceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
}

/** Continues the market's pending work: due funding, due liquidations and due trigger orders. */
export interface AdvanceMarket {
  readonly type: 'AdvanceMarket';
  readonly market: MarketOrdinal;
}

export type PriceCommand = PublishIndexPrice | AdvanceMarket;

export const PRICE_COMMANDS: CommandRules<PriceCommand> = {
  PublishIndexPrice: {
    plan: planIndexPrice,
    commit: commitIndexPrice,
    layout: {
      tag: 2,
      fields: (io, it) => ({
        type: 'PublishIndexPrice',
        market: io.int(it.market),
        priceAtoms: io.int(it.priceAtoms),
        observedAtEpochMs: io.int(it.observedAtEpochMs),
      }),
    },
  },
  AdvanceMarket: {
    plan: planAdvance,
    commit: commitAdvance,
    layout: {
      tag: 12,
      fields: (io, it) => ({
        type: 'AdvanceMarket',
        market: io.int(it.market),
      }),
    },
  },
};

/** Refuses a price outside of the market's bounds, because no order could trade at it. */
export function planIndexPrice(turn: Turn, { market: ordinal, priceAtoms }: PublishIndexPrice): Refusal | undefined {
  const market = turn.state.market(ordinal);
  if (market === undefined) return { code: 'market_not_found' };
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  if (priceAtoms < minPriceAtoms) return { code: 'price_out_of_bounds', bound: minPriceAtoms };
  return priceAtoms > maxPriceAtoms ? { code: 'price_out_of_bounds', bound: maxPriceAtoms } : undefined;
}

export function commitIndexPrice(turn: Turn, command: PublishIndexPrice): void {
  const { now } = turn;
  const market = turn.state.market(command.market)!;
  const isFirst = market.index.acceptedPriceAtoms === NO_PRICE;
  const previousIndex = market.indexStatusAt(now) === 'current' ? market.indexPriceAtoms : NO_PRICE;
  if (previousIndex === NO_PRICE) market.funding.interrupt();
  const maySample = isFirst || market.funding.isWatching;
  const { verdict, memory } = observeIndex(market.index, command, now, market.specification);
  market.index = memory;
  const impact = impactOf(turn, market);
  if (verdict === 'accepted') {
    market.updateMark(impact, previousIndex, now, turn.rules);
    observePrices(turn, market);
  }
  if (market.permits('fund', now)) {
    startFunding(market, now);
    watchPremium(turn, market, impact, maySample);
    settlePeriod(turn, market);
  }
  turn.events.emit({
    type: 'MarketPriced',
    market: market.ordinal,
    indexPriceAtoms: memory.acceptedPriceAtoms,
    markPriceAtoms: market.markPriceAtoms,
    observedAtEpochMs: memory.acceptedAtEpochMs,
    indexStatus: market.indexStatusAt(now),
    fundingEstimatePpb: fundingEstimateOf(market, now),
    nextFundingAtEpochMs: market.funding.endsAtEpochMs,
  });
  if (market.hasInheritedExcess) cutInherited(turn, market);
  advance(turn, market, verdict === 'accepted');
}

export function planAdvance(turn: Turn, { market: ordinal }: AdvanceMarket): Refusal | undefined {
  const market = turn.state.market(ordinal);
  if (market === undefined) return { code: 'market_not_found' };
  return hasWork(market, turn.now) ? undefined : { code: 'nothing_to_advance' };
}

export function commitAdvance(turn: Turn, command: AdvanceMarket): void {
  advance(turn, turn.state.market(command.market)!, false);
}

/**
 * Settles funding first, so that a liquidated position has paid and received all of its funding. Retries parked positions at a new
 * price. Retries more of them after all due positions were tried and a quantity was closed, because the book may then take others.
 * This ends: every such turn closes a quantity, and a turn that closes nothing is the last.
 * Orders whose price was reached come last, when no liquidation is due: until then they could not open, and they take the book that
 * liquidations leave.
 */
function advance(turn: Turn, market: Market, isNewPrice: boolean): void {
  sweepFunding(turn, market);
  if (!market.funding.isSweeping && market.permits('liquidate', turn.now)) {
    if (isNewPrice) retryParked(turn, market);
    const hasClosed = liquidateDue(turn, market);
    if (hasClosed && !market.hasLiquidationDue) retryParked(turn, market);
    triggerDue(turn, market);
  }
  emitPendingWork(turn, market);
}

/** Emits `MarketWorkPending` if `AdvanceMarket` has work to do. */
export function emitPendingWork(turn: Turn, market: Market): void {
  if (hasWork(market, turn.now)) turn.events.emit({ type: 'MarketWorkPending', market: market.ordinal });
}

function hasWork(market: Market, now: EpochMs): boolean {
  if (market.markPriceAtoms === NO_PRICE) return false;
  const isDue = market.hasLiquidationDue || market.triggers.hasDue;
  return market.funding.isSweeping || (isDue && market.permits('liquidate', now));
}
