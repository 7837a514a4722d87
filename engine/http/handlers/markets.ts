/** The public reads of markets. */
import type { marketOperations } from '#contract/markets.ts';
import type { Handlers } from '#http/binding.ts';
import { pageQuery } from '#http/paging.ts';
import type { HttpPorts } from '#http/ports.ts';
import type { Directory } from '#http/reads.ts';
import { Refused } from '#http/refused.ts';
import type { MarketOrdinal } from '#units/ids.ts';

export function marketHandlers({ directory, ask }: HttpPorts): Pick<Handlers, keyof typeof marketOperations> {
  return {
    listMarkets: async () => ({ body: await ask.marketCatalogue() }),

    getMarket: async ({ params }) => ({ body: await ask.market(marketNamed(directory, params.marketId)) }),

    getMarketStats: async ({ params }) => ({ body: await ask.marketStats(marketNamed(directory, params.marketId)) }),

    getBook: async ({ params, query }) => ({ body: await ask.book(marketNamed(directory, params.marketId), query.depth) }),

    getCandles: async ({ params, query }) => {
      const { timeframe, series, since, limit } = query;
      const market = marketNamed(directory, params.marketId);
      const asked = { market, timeframe, series, limit, ...(since === undefined ? {} : { sinceEpochMs: since }) };
      return { body: await ask.candles(asked) };
    },

    listTrades: async ({ params: { marketId }, query }) => {
      const asked = { market: marketNamed(directory, marketId), ...pageQuery('listTrades', query) };
      return { body: await ask.tradeList(marketId, asked) };
    },
  };
}

/** Throws {@link Refused} `market_not_found`. */
export function marketNamed(directory: Directory, marketId: string): MarketOrdinal {
  const listed = directory.listedMarket(marketId);
  if (listed === undefined) throw new Refused('market_not_found');
  return listed.market;
}
