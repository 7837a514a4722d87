/** What an index price does: mark, funding, liquidations, triggers, each within the bounds of one turn. The rest waits for `AdvanceMarket`. */
import { endPeriod, estimateOf, sweep, watch } from './funding.ts';
import { observeIndex } from './index-price.ts';
import { liquidateDue, retryParked } from './liquidation.ts';
import { impactOf, updateMark } from './mark.ts';
import { Refused, refuseIf } from './refused.ts';
import { indexStatusOf, nextDue, permits } from './status.ts';
import { observePrices } from './trigger-price.ts';
import { firstDueOrder, triggerDue } from './triggering.ts';
import type { Market, World } from './world.ts';
import { marketOf, note } from './world.ts';

export function publishIndexPrice(world: World, ordinal: number, price: bigint, observedAt: bigint): void {
  const market = listedMarket(world, ordinal);
  const [lowest, highest] = [BigInt(market.specification.minPriceAtoms), BigInt(market.specification.maxPriceAtoms)];
  refuseIf(price < lowest, 'price_out_of_bounds', lowest);
  refuseIf(price > highest, 'price_out_of_bounds', highest);
  const { funding } = market;
  const lastIndex = indexStatusOf(world, market) === 'current' ? market.index.price : 0n;
  const isFirst = market.index.price === 0n;
  // After an interruption makers could not yet adapt their quotes: the book is not sampled.
  if (lastIndex === 0n) funding.watchedUntil = 0n;
  const maySample = isFirst || funding.watchedUntil !== 0n;
  const isAccepted = observeIndex(world, market, price, observedAt);
  const [bids, asks] = [impactOf(world, market, 'buy'), impactOf(world, market, 'sell')];
  if (isAccepted) {
    updateMark(world, market, bids, asks, lastIndex);
    observePrices(world, market);
  }
  if (permits(world, market, 'fund')) {
    watch(world, market, bids, asks, maySample);
    endPeriod(world, market);
  }
  note(world, {
    type: 'MarketPriced',
    market: ordinal,
    indexPriceAtoms: market.index.price,
    markPriceAtoms: market.mark,
    observedAtEpochMs: market.index.observedAt,
    indexStatus: indexStatusOf(world, market),
    fundingEstimatePpb: estimateOf(world, market),
    nextFundingAtEpochMs: funding.endsAt,
  });
  advance(world, market, isAccepted);
}

export function advanceMarket(world: World, ordinal: number): void {
  const market = listedMarket(world, ordinal);
  refuseIf(!hasWork(world, market), 'nothing_to_advance');
  advance(world, market, false);
}

/**
 * Funding first, so that what is liquidated has settled, then liquidations, then due orders. Parked positions are tried again at a new
 * price, and after something closed.
 */
function advance(world: World, market: Market, isNewPrice: boolean): void {
  sweep(world, market);
  if (market.funding.unsettled === 0 && permits(world, market, 'liquidate')) {
    if (isNewPrice) retryParked(world, market);
    const hasClosed = liquidateDue(world, market);
    if (hasClosed && nextDue(market) === undefined) retryParked(world, market);
    triggerDue(world, market);
  }
  notePendingWork(world, market);
}

export function notePendingWork(world: World, market: Market): void {
  if (hasWork(world, market)) note(world, { type: 'MarketWorkPending', market: market.ordinal });
}

function hasWork(world: World, market: Market): boolean {
  if (market.mark === 0n) return false;
  const isDue = nextDue(market) !== undefined || firstDueOrder(world, market) !== undefined;
  return market.funding.unsettled > 0 || (isDue && permits(world, market, 'liquidate'));
}

export function listedMarket(world: World, ordinal: number): Market {
  const market = marketOf(world, ordinal);
  if (market === undefined) throw new Refused('market_not_found');
  return market;
}
