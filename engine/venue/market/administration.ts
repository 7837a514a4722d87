/** Listing a market and changing its status. */

import type { MarketOrdinal } from '#units/ids.ts';
import type { ListMarket, SetMarketStatus } from '#venue/command.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import { historyFault } from './history.ts';
import { Market } from './market.ts';
import { mayFollow } from './market-status.ts';
import { tellOfWork } from './prices.ts';
import { specificationFault } from './specification.ts';

export function planListing(turn: Turn, { specification, history }: ListMarket): Refusal | undefined {
  if (specificationFault(specification) !== undefined) return { code: 'market_invalid' };
  if (history !== undefined && historyFault(history, specification, turn.now) !== undefined) return { code: 'market_invalid' };
  const isListed = turn.state.markets.some((market) => market?.specification.marketId === specification.marketId);
  return isListed ? { code: 'market_exists' } : undefined;
}

export function commitListing(turn: Turn, { specification, status, history }: ListMarket): void {
  const market = new Market(turn.state.markets.length as MarketOrdinal, specification, status, turn.state.orders);
  turn.state.markets.push(market);
  turn.events.marketListed({ market: market.ordinal, specification, status, ...(history !== undefined && { history }) });
}

/** Which status may follow which: `market-status.ts`. A market is closed only when nobody has anything in it. */
export function planStatus(turn: Turn, command: SetMarketStatus): Refusal | undefined {
  const market = turn.state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  if (!mayFollow(market.status, command.status)) return { code: 'market_transition_invalid' };
  const isEmpty = market.positions.count === 0 && market.book.bestBid === NO_PRICE && market.book.bestAsk === NO_PRICE;
  return command.status === 'closed' && !isEmpty ? { code: 'market_busy' } : undefined;
}

/** What the old status kept waiting is not done here, but said: `AdvanceMarket` or the next price comes to it. */
export function commitStatus(turn: Turn, command: SetMarketStatus): void {
  const market = turn.state.market(command.market)!;
  market.status = command.status;
  market.funding.interrupt();
  turn.events.marketStatusChanged({ market: command.market, status: command.status });
  tellOfWork(turn, market);
}
