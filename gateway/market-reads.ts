/** The public reads of /v2. */
import { TIMEFRAMES, type Timeframe } from '#contract/markets.ts';
import { Refused } from '#contract/refused.ts';
import type { unifiedMarketOperations } from '#contract/unified-markets.ts';
import { unifiedBook, unifiedCandles, unifiedMarket, unifiedStats } from './market-structures.ts';
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
      const series = seriesOf(price);
      const { marketId } = await symbols.inAddress(params.symbol);
      const query = {
        timeframe: timeframeOf(timeframe),
        series,
        limit: String(limit),
        ...(since !== undefined && { since: String(since) }),
      };
      const body = await venue.call('getCandles', { params: { marketId }, query });
      return { body: unifiedCandles(body) };
    },

    getUnifiedBook: async ({ params, query: { limit } }, venue) => {
      const market = await symbols.inAddress(params.symbol);
      const asked = { params: { marketId: market.marketId }, query: { depth: String(limit) } };
      const body = await venue.call('getBook', asked);
      return { body: unifiedBook(body, market) };
    },
  };
}

function timeframeOf(text: string): Timeframe {
  const timeframe = TIMEFRAMES.find((known) => known === text);
  if (timeframe !== undefined) return timeframe;
  throw new Refused(
    'not_supported',
    `There are no candles of ${JSON.stringify(text)}: timeframe is one of ${TIMEFRAMES.join(', ')}.`,
  );
}

function seriesOf(price: string | undefined): 'trade' | 'index' {
  if (price === undefined) return 'trade';
  if (price === 'index') return 'index';
  throw new Refused(
    'not_supported',
    `There are no candles of the ${JSON.stringify(price)} price: price is index, or left out for trades.`,
  );
}
