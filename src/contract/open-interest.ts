/** The history of open interest. Not in the interface; bots read it with fetchOpenInterestHistory of the unified library. */
import * as z from 'zod';
import { decimal, epochMs, marketId, marketParams, ours, sequence, timeInput, wholeNumberInput } from './fields.ts';
import { MARKET_PAGE } from './limits.ts';
import { TIMEFRAMES, type Timeframe } from './markets.ts';
import type { Operation } from './operation.ts';

export type OpenInterestTimeframe = Exclude<Timeframe, '1m' | '3m'>;
export const OPEN_INTEREST_TIMEFRAMES = TIMEFRAMES.filter((it) => it !== '1m' && it !== '3m') as readonly OpenInterestTimeframe[];

export const openInterestSeries = z
  .strictObject({
    version: z.literal('external-open-interest-series/v1'),
    marketId,
    timeframe: z.enum(OPEN_INTEREST_TIMEFRAMES),
    entries: z.array(
      z.strictObject({
        openTimeEpochMs: epochMs.meta({ description: 'The start of the span.' }),
        openInterest: decimal.meta({
          description: 'The base quantity of all long positions after the last change within the span.',
        }),
        openInterestNotional: decimal
          .nullable()
          .meta({ description: 'Its value at the mark of that moment; null without a mark.' }),
      }),
    ),
    sequence,
    asOfEpochMs: epochMs,
  })
  .meta({ id: 'OpenInterestSeries', 'x-openperp-ours': true });
export type OpenInterestSeries = z.infer<typeof openInterestSeries>;

export const listOpenInterest = {
  id: 'listOpenInterest',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/open-interest',
  summary: 'Open interest by time',
  description:
    'Oldest first: the newest entries, or with `since` the first entries from there. A span without an entry has the value of the entry before.',
  isOurs: true,
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: z.strictObject({
    timeframe: ours(z.enum(OPEN_INTEREST_TIMEFRAMES).default('1h'), 'The length of a span, as of candles.'),
    since: ours(timeInput.optional(), 'Epoch milliseconds, inclusive: the first start of a span.'),
    limit: ours(wholeNumberInput(1, 500).default(100), 'The maximum number of entries.'),
  }),
  success: { status: 200, schema: openInterestSeries, description: 'The entries.' },
  refusals: ['market_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const openInterestOperations = { listOpenInterest };
