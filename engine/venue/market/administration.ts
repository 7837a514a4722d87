/** Listing a market and changing its status. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { ListMarket, SetMarketStatus } from '#venue/command.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { EventWriter } from '#venue/record/event-writer.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { VenueState } from '#venue/state.ts';
import { historyFault } from './history.ts';
import { Market } from './market.ts';
import { mayFollow } from './market-status.ts';
import { tellOfWork } from './prices.ts';
import { specificationFault } from './specification.ts';

export function planListing(state: VenueState, { specification, history }: ListMarket): Refusal | undefined {
  if (specificationFault(specification) !== undefined) return { code: 'market_invalid' };
  if (history !== undefined && historyFault(history, specification, state.now) !== undefined) return { code: 'market_invalid' };
  const isListed = state.markets.some((market) => market?.specification.marketId === specification.marketId);
  return isListed ? { code: 'market_exists' } : undefined;
}

export function commitListing(state: VenueState, { specification, status, history }: ListMarket, events: EventWriter): void {
  const market = new Market(state.markets.length as MarketOrdinal, specification, status, state.orders);
  state.markets.push(market);
  events.marketListed({ market: market.ordinal, specification, status, ...(history !== undefined && { history }) });
}

/** Which status may follow which: `market-status.ts`. A market is closed only when nobody has anything in it. */
export function planStatus(state: VenueState, command: SetMarketStatus): Refusal | undefined {
  const market = state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  if (!mayFollow(market.status, command.status)) return { code: 'market_transition_invalid' };
  const isEmpty = market.positions.count === 0 && market.book.bestBid === NO_PRICE && market.book.bestAsk === NO_PRICE;
  return command.status === 'closed' && !isEmpty ? { code: 'market_busy' } : undefined;
}

/** What the old status kept waiting is not done here, but said: `AdvanceMarket` or the next price comes to it. */
export function commitStatus(state: VenueState, command: SetMarketStatus, events: EventWriter): void {
  const market = state.market(command.market)!;
  market.status = command.status;
  market.funding.interrupt();
  events.marketStatusChanged({ market: command.market, status: command.status });
  tellOfWork(market, state.now, events);
}
