/** Listing a market, changing its status, and moving its index and mark. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { ListMarket, PublishIndexPrice, SetMarketStatus } from '#venue/command.ts';
import type { EmitEvent } from '#venue/event.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { markPriceOf } from './mark-price.ts';
import { Market } from './market.ts';
import { specificationFault } from './specification.ts';

export function planListing(state: VenueState, { specification }: ListMarket): Refusal | undefined {
  if (specificationFault(specification) !== undefined) return { code: 'market_invalid' };
  const isListed = state.markets.some((market) => market?.specification.marketId === specification.marketId);
  return isListed ? { code: 'market_exists' } : undefined;
}

export function commitListing(state: VenueState, { specification, status }: ListMarket, emit: EmitEvent): void {
  const market = new Market(state.markets.length as MarketOrdinal, specification, status, state.orders);
  state.markets.push(market);
  emit({ type: 'MarketListed', market: market.ordinal, specification, status });
}

export function planStatus(state: VenueState, command: SetMarketStatus): Refusal | undefined {
  return state.market(command.market) === undefined ? { code: 'market_not_found' } : undefined;
}

export function commitStatus(state: VenueState, command: SetMarketStatus, emit: EmitEvent): void {
  state.market(command.market)!.status = command.status;
  emit({ type: 'MarketStatusChanged', market: command.market, status: command.status });
}

/** An index price outside of the market's bounds is refused: nothing could be traded at it. */
export function planIndexPrice(state: VenueState, { market: ordinal, priceAtoms }: PublishIndexPrice): Refusal | undefined {
  const market = state.market(ordinal);
  if (market === undefined) return { code: 'market_not_found' };
  const { minPriceAtoms, maxPriceAtoms } = market.specification;
  if (priceAtoms < minPriceAtoms) return { code: 'price_out_of_bounds', bound: minPriceAtoms };
  return priceAtoms > maxPriceAtoms ? { code: 'price_out_of_bounds', bound: maxPriceAtoms } : undefined;
}

export function commitIndexPrice(state: VenueState, command: PublishIndexPrice, emit: EmitEvent): void {
  const market = state.market(command.market)!;
  market.indexPriceAtoms = command.priceAtoms;
  market.indexObservedAtEpochMs = command.observedAtEpochMs;
  market.markPriceAtoms = markPriceOf(market, command.priceAtoms);
  emit({
    type: 'MarketPriced',
    market: market.ordinal,
    indexPriceAtoms: market.indexPriceAtoms,
    markPriceAtoms: market.markPriceAtoms,
    observedAtEpochMs: market.indexObservedAtEpochMs,
  });
}
