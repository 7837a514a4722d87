/** Lists markets and changes their status. */

import type { MarketOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import type { Cursor } from '#venue/record/cursor.ts';
import { boundedSpecificationLayout, historyLayout, MARKET_STATUSES, specificationLayout } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import type { Turn } from '#venue/turn.ts';
import type { MarketHistory } from './history.ts';
import { historyFault } from './history.ts';
import { Market } from './market.ts';
import { isValidTransition } from './market-status.ts';
import { emitPendingWork } from './prices.ts';
import type { MarketSpecification, MarketStatus } from './specification.ts';
import { specificationFault } from './specification.ts';

export interface ListMarket {
  readonly type: 'ListMarket';
  readonly specification: MarketSpecification;
  readonly status: MarketStatus;
  /** The terms of the market's synthetic past; absent if it has no synthetic past. */
  readonly history?: MarketHistory;
}

export interface SetMarketStatus {
  readonly type: 'SetMarketStatus';
  readonly market: MarketOrdinal;
  readonly status: MarketStatus;
}

export type MarketAdministrationCommand = ListMarket | SetMarketStatus;

export const MARKET_ADMINISTRATION_COMMANDS: CommandRules<MarketAdministrationCommand> = {
  ListMarket: {
    plan: planListing,
    commit: commitListing,
    layout: {
      tag: 0,
      fields: listingLayout,
      extended: [
        {
          tag: 92,
          applies: ({ specification, history }) => specification.openInterest !== undefined && history !== undefined,
          fields: (io, it) => ({ ...boundedLayout(io, it), history: io.part(it.history, historyLayout) }),
        },
        {
          tag: 64,
          applies: ({ specification }) => specification.openInterest !== undefined,
          fields: boundedLayout,
        },
        {
          tag: 22,
          applies: ({ history }) => history !== undefined,
          fields: (io, it) => ({ ...listingLayout(io, it), history: io.part(it.history, historyLayout) }),
        },
      ],
    },
  },
  SetMarketStatus: {
    plan: planStatus,
    commit: commitStatus,
    layout: {
      tag: 1,
      fields: (io, it) => ({
        type: 'SetMarketStatus',
        market: io.int(it.market),
        status: io.oneOf(MARKET_STATUSES, it.status),
      }),
    },
  },
};

function listingLayout(io: Cursor, it: ListMarket): ListMarket {
  return {
    type: 'ListMarket',
    specification: io.part(it.specification, specificationLayout),
    status: io.oneOf(MARKET_STATUSES, it.status),
  };
}

/** With the bounds of the open interest. */
function boundedLayout(io: Cursor, it: ListMarket): ListMarket {
  return {
    type: 'ListMarket',
    specification: io.part(it.specification, boundedSpecificationLayout),
    status: io.oneOf(MARKET_STATUSES, it.status),
  };
}

export function planListing(turn: Turn, { specification, history }: ListMarket): Refusal | undefined {
  if (specificationFault(specification) !== undefined) return { code: 'market_invalid' };
  if (history !== undefined && historyFault(history, specification, turn.now) !== undefined) return { code: 'market_invalid' };
  const isListed = turn.state.markets.some((market) => market?.specification.marketId === specification.marketId);
  return isListed ? { code: 'market_exists' } : undefined;
}

export function commitListing(turn: Turn, { specification, status, history }: ListMarket): void {
  const market = new Market(turn.state.markets.length as MarketOrdinal, specification, status, turn.state);
  turn.state.markets.push(market);
  turn.events.emit({
    type: 'MarketListed',
    market: market.ordinal,
    specification,
    status,
    ...(history !== undefined && { history }),
  });
}

/** `market-status.ts` has the valid transitions. A market closes only without open positions and open orders. */
export function planStatus(turn: Turn, command: SetMarketStatus): Refusal | undefined {
  const market = turn.state.market(command.market);
  if (market === undefined) return { code: 'market_not_found' };
  if (!isValidTransition(market.status, command.status)) return { code: 'market_transition_invalid' };
  const isEmpty =
    market.positions.count === 0 &&
    market.book.bestBid === NO_PRICE &&
    market.book.bestAsk === NO_PRICE &&
    market.triggers.count === 0;
  return command.status === 'closed' && !isEmpty ? { code: 'market_busy' } : undefined;
}

/** Work that the old status prevented is not done here: `MarketWorkPending` announces it, and `AdvanceMarket` or the next price does it. */
export function commitStatus(turn: Turn, command: SetMarketStatus): void {
  const market = turn.state.market(command.market)!;
  market.status = command.status;
  market.funding.interrupt();
  turn.events.emit({ type: 'MarketStatusChanged', market: command.market, status: command.status });
  emitPendingWork(turn, market);
}
