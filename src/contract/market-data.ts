/** Market data: the stats of all markets, and candidates for listing. */
import * as z from 'zod';
import { decimal, epochMs, freshness, marketId } from './fields.ts';
import { marketStats } from './markets.ts';
import type { Operation } from './operation.ts';

export const candidateMarket = z
  .strictObject({
    marketId,
    underlyingSymbol: z.string(),
    state: z.enum(['priced', 'draft']).meta({
      description:
        "priced: not listed, but the venue's price source has prices for it. draft: listed with its rules, but never opened.",
    }),
    indexPrice: decimal.nullable().meta({ description: 'The index price of a draft; null before its first price.' }),
    indexObservedAtEpochMs: epochMs.nullable(),
  })
  .meta({ id: 'CandidateMarket', 'x-openperp-ours': true });
export type CandidateMarket = z.infer<typeof candidateMarket>;

export const candidateMarkets = z
  .strictObject({
    version: z.literal('external-candidate-markets/v1'),
    candidates: z.array(candidateMarket),
    freshness,
  })
  .meta({ id: 'CandidateMarkets', 'x-openperp-ours': true });
export type CandidateMarkets = z.infer<typeof candidateMarkets>;

export const marketStatsList = z
  .strictObject({
    version: z.literal('external-market-stats-list/v1'),
    stats: z.array(marketStats).meta({ description: 'The stats of every listed market, in the order of the catalogue.' }),
    freshness,
  })
  .meta({ id: 'MarketStatsList', 'x-openperp-ours': true });
export type MarketStatsList = z.infer<typeof marketStatsList>;

export const listMarketStats = {
  id: 'listMarketStats',
  group: 'Market Data',
  method: 'GET',
  path: '/v1/market-data/stats',
  summary: 'Ticker, open interest and funding of all markets',
  description: 'The stats of every market in one response, all as of one sequence.',
  isOurs: true,
  access: 'none-or-bearer',
  success: { status: 200, schema: marketStatsList, description: 'The stats.' },
  refusals: ['venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listCandidateMarkets = {
  id: 'listCandidateMarkets',
  group: 'Market Data',
  method: 'GET',
  path: '/v1/market-data/candidate-markets',
  summary: 'Markets that could be opened',
  description:
    'Markets that cannot be traded yet, but for which the venue has prices, or prices and rules. The list is empty if all such markets are ' +
    'open. A candidate may never be opened.',
  access: 'none-or-bearer',
  success: { status: 200, schema: candidateMarkets, description: 'The candidates.' },
  refusals: ['venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const marketDataOperations = { listMarketStats, listCandidateMarkets };
