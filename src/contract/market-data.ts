/** Market data: what could be listed. */
import * as z from 'zod';
import { decimal, epochMs, freshness, marketId } from './fields.ts';
import type { Operation } from './operation.ts';

export const candidateMarket = z
  .strictObject({
    marketId,
    underlyingSymbol: z.string(),
    state: z.enum(['priced', 'draft']).meta({
      description:
        "priced: the venue's source of index prices has prices for it, and it is not listed. draft: its rules are listed, and it was " +
        'never opened.',
    }),
    indexPrice: decimal.optional().meta({ description: 'Of a draft that has been priced.' }),
    indexObservedAtEpochMs: epochMs.optional(),
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

export const listCandidateMarkets = {
  id: 'listCandidateMarkets',
  group: 'Market Data',
  method: 'GET',
  path: '/v1/market-data/candidate-markets',
  summary: 'Markets that could be opened',
  description:
    'Markets that cannot be traded yet, and for which the venue has what trading needs: prices, or rules as well. It knows of no others, ' +
    'and where all of them are open the list is empty. A candidate is no promise.',
  access: 'none',
  success: { status: 200, schema: candidateMarkets, description: 'The candidates.' },
  refusals: ['venue_halted'],
} as const satisfies Operation;

export const marketDataOperations = { listCandidateMarkets };
