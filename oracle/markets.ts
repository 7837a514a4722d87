/** Lists markets and changes their status. */
import type { MarketStatus, Specification } from './command.ts';
import { isValidSpecification } from './listing-rules.ts';
import { listedMarket, notePendingWork } from './prices.ts';
import { refuseIf } from './refused.ts';
import { isNextStatus } from './status.ts';
import type { World } from './world.ts';
import { note } from './world.ts';

export function listMarket(world: World, specification: Specification, status: MarketStatus): void {
  refuseIf(!isValidSpecification(specification), 'market_invalid');
  const isListed = world.markets.some((market) => market.specification.marketId === specification.marketId);
  refuseIf(isListed, 'market_exists');
  const ordinal = world.markets.length + 1;
  world.markets.push({
    ordinal,
    specification,
    status,
    index: { price: 0n, observedAt: 0n, pendingPrice: 0n, pendingAt: 0n, confirmations: 0 },
    mark: 0n,
    averages: { bookMicroTicks: 0n, tradeMicroTicks: 0n, traded: 0n, updatedAt: 0n, newTraded: 0n, newBase: 0n },
    lastPrice: 0n,
    lastTradedAt: 0n,
    positions: [],
    parked: [],
    funding: {
      period: 0,
      perLotMicroAtoms: 0n,
      ratePpb: 0n,
      endsAt: 0n,
      premiumSumPpb: 0n,
      premiumCount: 0n,
      sampledAt: 0n,
      watchedMs: 0n,
      watchedUntil: 0n,
      unsettled: 0,
      pooled: 0n,
    },
    fundUse: { day: 0n, spent: 0n, balance: 0n },
  });
  note(world, { type: 'MarketListed', market: ordinal, specification, status });
}

/** A market closes only without positions and orders. The premium is not observed across a change. */
export function setMarketStatus(world: World, ordinal: number, status: MarketStatus): void {
  const market = listedMarket(world, ordinal);
  refuseIf(!isNextStatus(market.status, status), 'market_transition_invalid');
  const isBusy = market.positions.length > 0 || [...world.orders, ...world.waiting].some((order) => order.market === ordinal);
  refuseIf(status === 'closed' && isBusy, 'market_busy');
  market.status = status;
  market.funding.watchedUntil = 0n;
  note(world, { type: 'MarketStatusChanged', market: ordinal, status });
  notePendingWork(world, market);
}
