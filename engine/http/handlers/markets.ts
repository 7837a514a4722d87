/** The public reads of markets. */
import { ERRORS } from '#contract/errors.ts';
import type { fundingOperations } from '#contract/funding.ts';
import type { marketDataOperations } from '#contract/market-data.ts';
import type { marketOperations } from '#contract/markets.ts';
import type { openInterestOperations } from '#contract/open-interest.ts';
import { Refused } from '#contract/refused.ts';
import { mayRead } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Principal } from '#identity/directory.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import type { Directory } from '#reads/reads.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';

type Operations = typeof marketOperations &
  typeof marketDataOperations &
  typeof openInterestOperations &
  Pick<typeof fundingOperations, 'listFundingRates'>;

/** Cursor length: a settled rate is located by settlement time and period. */
const FUNDING_RATE_PLACE = 2;

export function marketHandlers({ directory, pricedUnderlyings }: HttpPorts): Pick<Handlers, keyof Operations> {
  return {
    listMarkets: async ({ principal, reads }) => ({ body: await reads.marketCatalogue(viewerOf(principal)) }),

    getMarket: async ({ params, principal, reads }) => ({
      body: await reads.market(marketNamed(directory, params.marketId), viewerOf(principal)),
    }),

    getMarketStats: async ({ params, reads }) => ({ body: await reads.marketStats(marketNamed(directory, params.marketId)) }),

    getBook: async ({ params, query, reads }) => ({
      body: await reads.book(marketNamed(directory, params.marketId), query.depth),
    }),

    getCandles: async ({ params, query, reads }) => {
      const { timeframe, series, since, limit } = query;
      const market = marketNamed(directory, params.marketId);
      const request = { market, timeframe, series, limit, ...(since === undefined ? {} : { sinceEpochMs: since }) };
      return { body: await reads.candles(request) };
    },

    listOpenInterest: async ({ params, query, reads }) => {
      const { timeframe, since, limit } = query;
      const market = marketNamed(directory, params.marketId);
      const request = { market, timeframe, limit, ...(since === undefined ? {} : { sinceEpochMs: since }) };
      return { body: await reads.openInterest(request) };
    },

    listTrades: async ({ params: { marketId }, query, reads }) => {
      const scope = cursorScope('listTrades', { marketId, ...query });
      const request = { market: marketNamed(directory, marketId), ...pageQuery(scope, query) };
      return { body: await reads.tradeList(scope, marketId, request) };
    },

    listFundingRates: async ({ params: { marketId }, query, reads }) => {
      const scope = cursorScope('listFundingRates', { marketId, ...query });
      const request = { market: marketNamed(directory, marketId), ...pageQuery(scope, query, FUNDING_RATE_PLACE) };
      return { body: await reads.fundingRateList(scope, marketId, request) };
    },

    listMarketStats: async ({ reads }) => ({ body: await reads.marketStatsList() }),

    listCandidateMarkets: async ({ reads }) => ({ body: await reads.candidateMarkets(pricedUnderlyings) }),
  };
}

/** The account whose favorites are shown. A key that may not read its account gets the public response. */
function viewerOf(principal: Principal | undefined): AccountOrdinal | undefined {
  return principal !== undefined && mayRead(principal) ? principal.account : undefined;
}

/** Throws {@link Refused} `market_not_found`. */
export function marketNamed(directory: Directory, marketId: string): MarketOrdinal {
  const listed = directory.listedMarket(marketId);
  if (listed !== undefined) return listed.market;
  throw new Refused('market_not_found', `There is no market ${JSON.stringify(marketId)}. ${ERRORS.market_not_found.whatToDo}`);
}
