/** The public reads of markets. */
import type { marketOperations } from '#contract/markets.ts';
import type { Handlers } from '#http/binding.ts';
import { nextCursor, pageQuery } from '#http/paging.ts';
import type { HttpPorts } from '#http/ports.ts';
import type { Reads } from '#http/reads.ts';
import { Refused } from '#http/refused.ts';
import type { MarketOrdinal } from '#units/ids.ts';

export function marketHandlers({ reads }: HttpPorts): Pick<Handlers, keyof typeof marketOperations> {
  return {
    listMarkets: () => ({ body: reads.marketCatalogue() }),

    getMarket: ({ params }) => ({ body: reads.market(marketNamed(reads, params.marketId)) }),

    getMarketStats: ({ params }) => ({ body: reads.marketStats(marketNamed(reads, params.marketId)) }),

    getBook: ({ params, query }) => ({ body: reads.book(marketNamed(reads, params.marketId), query.depth) }),

    getCandles: ({ params, query }) => {
      const { timeframe, series, since, limit } = query;
      const market = marketNamed(reads, params.marketId);
      return {
        body: reads.candles({ market, timeframe, series, limit, ...(since === undefined ? {} : { sinceEpochMs: since }) }),
      };
    },

    listTrades: ({ params, query }) => {
      const asked = { market: marketNamed(reads, params.marketId), ...pageQuery('listTrades', query) };
      const page = reads.trades(asked);
      return {
        body: {
          version: 'external-trade-list/v1',
          marketId: params.marketId,
          trades: [...page.entries],
          ...nextCursor('listTrades', asked, page),
          freshness: reads.freshness(),
        },
      };
    },
  };
}

/** Throws {@link Refused} `market_not_found`. */
export function marketNamed(reads: Reads, marketId: string): MarketOrdinal {
  const listed = reads.listedMarket(marketId);
  if (listed === undefined) throw new Refused('market_not_found');
  return listed.market;
}
