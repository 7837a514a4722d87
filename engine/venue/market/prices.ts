/**
 * An index price arrives: the guard decides whether it holds, the mark follows, and what was waiting for a price goes on,
 * as far as one turn goes. The rest is for `AdvanceMarket`.
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
import type { Refusal } from '#venue/refusal.ts';
import { liquidateDue, retryParked } from '#venue/risk/liquidation.ts';
import type { Turn } from '#venue/turn.ts';
import { observeIndex } from './index-guard.ts';
import type { Market } from './market.ts';

/** A price of the underlying, as its source saw it. */
export interface PublishIndexPrice {
  readonly type: 'PublishIndexPrice';
  readonly market: MarketOrdinal;
  readonly priceAtoms: PriceAtoms;
  readonly observedAtEpochMs: EpochMs;
}

/** Goes on with what a market has left over: funding that is due, positions that are to be liquidated. */
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

/** A price outside of the market's bounds is refused: nothing could be traded at it. */
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
  if (market.indexStatusAt(now) !== 'current') market.funding.interrupt();
  const maySample = isFirst || market.funding.isWatching;
  const { verdict, memory } = observeIndex(market.index, command, now, market.specification);
  market.index = memory;
  const impact = impactOf(turn, market);
  if (verdict === 'accepted') market.mark(impact, now);
  if (market.permits('fund', now)) {
    startFunding(market, now);
    watchPremium(market, impact, maySample, now);
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
 * Funding first: a position that is liquidated has paid and got all of it. Those that wait are tried again at a new price, and
 * more of them once all that was due has been tried and something was closed: a market that takes some may take others. As each
 * such turn closes something, and one that closes nothing is the last, it comes to an end.
 */
function advance(turn: Turn, market: Market, isNewPrice: boolean): void {
  sweepFunding(turn, market);
  if (!market.funding.isSweeping && market.permits('liquidate', turn.now)) {
    if (isNewPrice) retryParked(turn, market);
    const hasClosed = liquidateDue(turn, market);
    if (hasClosed && !market.hasLiquidationDue) retryParked(turn, market);
  }
  emitPendingWork(turn, market);
}

/** Says so where `AdvanceMarket` has something to go on with. */
export function emitPendingWork(turn: Turn, market: Market): void {
  if (hasWork(market, turn.now)) turn.events.emit({ type: 'MarketWorkPending', market: market.ordinal });
}

function hasWork(market: Market, now: EpochMs): boolean {
  if (market.markPriceAtoms === NO_PRICE) return false;
  return market.funding.isSweeping || (market.hasLiquidationDue && market.permits('liquidate', now));
}
