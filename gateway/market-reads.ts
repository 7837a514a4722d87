/** The public reads of /v2. */
import type { unifiedMarketOperations } from '#contract/unified-markets.ts';
import { unifiedBook, unifiedCandle, unifiedMarket, unifiedStats } from './market-structures.ts';
import type { Gateway } from './port.ts';
import type { Symbols } from './symbols.ts';

export function marketReads(symbols: Symbols): Pick<Gateway, keyof typeof unifiedMarketOperations> {
  return {
    listUnifiedMarkets: async (_, venue) => {
      const body = await venue.call('listMarkets', {});
      return { body: body.markets.map(unifiedMarket) };
    },

    getUnifiedStats: async ({ params }, venue) => {
      const market = await symbols.inAddress(params.symbol);
      const body = await venue.call('getMarketStats', { params: { marketId: market.marketId } });
      return { body: unifiedStats(body, market) };
    },

    getUnifiedCandles: async ({ params, query: { timeframe, price, since, limit } }, venue) => {
      const { marketId } = await symbols.inAddress(params.symbol);
      const query = {
        timeframe,
        series: price ?? 'trade',
        limit: String(limit),
        ...(since !== undefined && { since: String(since) }),
      };
      const request = { params: { marketId }, query };
      if (venue.translated !== undefined) return { body: await venue.translated('getCandles', request) };
      const body = await venue.call('getCandles', request);
      return { body: body.candles.map(unifiedCandle) };
    },

    getUnifiedBook: async ({ params, query: { limit } }, venue) => {
      const market = await symbols.inAddress(params.symbol);
      const request = { params: { marketId: market.marketId }, query: { depth: String(limit) } };
      const body = await venue.call('getBook', request);
      return { body: unifiedBook(body, market) };
    },
  };
}
