/** The public reads of markets. */
import { ERRORS } from '#contract/errors.ts';
import type { fundingOperations } from '#contract/funding.ts';
import type { marketDataOperations } from '#contract/market-data.ts';
import type { marketOperations } from '#contract/markets.ts';
import { Refused } from '#contract/refused.ts';
import { mayRead } from '#http/access/access.ts';
import type { Handlers } from '#http/server/binding.ts';
import type { HttpPorts } from '#http/server/ports.ts';
import type { Principal } from '#identity/directory.ts';
import { cursorScope, pageQuery } from '#reads/paging.ts';
import type { Directory } from '#reads/reads.ts';
import type { AccountOrdinal, MarketOrdinal } from '#units/ids.ts';

type Operations = typeof marketOperations & typeof marketDataOperations & Pick<typeof fundingOperations, 'listFundingRates'>;

/** Cursor length: a settled rate is located by settlement time and period. */
const FUNDING_RATE_PLACE = 2;

export function marketHandlers({ directory, pricedUnderlyings }: HttpPorts): Pick<Handlers, keyof Operations> {
  return {
    listMarkets: async ({ principal, ask }) => ({ body: await ask.marketCatalogue(viewerOf(principal)) }),

    getMarket: async ({ params, principal, ask }) => ({
      body: await ask.market(marketNamed(directory, params.marketId), viewerOf(principal)),
    }),

    getMarketStats: async ({ params, ask }) => ({ body: await ask.marketStats(marketNamed(directory, params.marketId)) }),

    getBook: async ({ params, query, ask }) => ({ body: await ask.book(marketNamed(directory, params.marketId), query.depth) }),

    getCandles: async ({ params, query, ask }) => {
      const { timeframe, series, since, limit } = query;
      const market = marketNamed(directory, params.marketId);
      const asked = { market, timeframe, series, limit, ...(since === undefined ? {} : { sinceEpochMs: since }) };
      return { body: await ask.candles(asked) };
    },

    listTrades: async ({ params: { marketId }, query, ask }) => {
      const scope = cursorScope('listTrades', { marketId, ...query });
      const asked = { market: marketNamed(directory, marketId), ...pageQuery(scope, query) };
      return { body: await ask.tradeList(scope, marketId, asked) };
    },

    listFundingRates: async ({ params: { marketId }, query, ask }) => {
      const scope = cursorScope('listFundingRates', { marketId, ...query });
      const asked = { market: marketNamed(directory, marketId), ...pageQuery(scope, query, FUNDING_RATE_PLACE) };
      return { body: await ask.fundingRateList(scope, marketId, asked) };
    },

    listMarketStats: async ({ ask }) => ({ body: await ask.marketStatsList() }),

    listCandidateMarkets: async ({ ask }) => ({ body: await ask.candidateMarkets(pricedUnderlyings) }),
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
