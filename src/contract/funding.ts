/** Funding: payments of positions and settled rates. Not in the interface; nearly every perp adapter of ccxt has both. */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  decimal,
  epochMs,
  freshness,
  marketFilter,
  marketId,
  marketParams,
  nextCursor,
  numberedId,
  pageQuery,
  rate,
  sequence,
  settlementAsset,
  signedAtoms,
  signedDecimal,
} from './fields.ts';
import { ACCOUNT_PAGE, MARKET_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

const period = z.int().min(1).meta({ description: 'The number of the funding period in its market, counted from 1.' });

export const fundingPayment = z
  .strictObject({
    paymentId: z.string().regex(/^[1-9][0-9]{0,14}-[1-9][0-9]{0,9}$/),
    accountId,
    marketId,
    positionId: numberedId,
    period,
    fundingRate: rate.meta({ description: 'The rate of the period; if positive, longs pay shorts.' }),
    asset: settlementAsset,
    amountAtoms: signedAtoms.meta({ description: 'The amount that the position paid; negative if it received funding.' }),
    amount: signedDecimal.meta({ description: 'amountAtoms as a decimal.' }),
    paidAtEpochMs: epochMs,
    sequence,
  })
  .meta({ id: 'FundingPayment', 'x-openperp-ours': true });
export type FundingPaymentResource = z.infer<typeof fundingPayment>;

export const fundingPaymentList = z
  .strictObject({
    version: z.literal('external-funding-payment-list/v1'),
    accountId,
    payments: z.array(fundingPayment),
    nextCursor,
    freshness,
  })
  .meta({ id: 'FundingPaymentList', 'x-openperp-ours': true });
export type FundingPaymentList = z.infer<typeof fundingPaymentList>;

export const settledFundingRate = z
  .strictObject({
    marketId,
    period: z
      .int()
      .min(0)
      .meta({ description: 'The number of the funding period in its market, counted from 1; 0 if it is synthetic.' }),
    fundingRate: rate.meta({ description: 'If positive, longs paid shorts.' }),
    indexPrice: decimal.meta({ description: 'The index price at which the period was settled.' }),
    settledAtEpochMs: epochMs.meta({
      description: 'When the period was settled. Positions pay or receive funding after that, one after the other.',
    }),
    sequence: sequence.meta({ description: "The position in the venue's journal; 0 if it is synthetic." }),
    synthetic: z.boolean().meta({
      description:
        'Whether the period is before the first start of the venue. Such a rate is generated from a seed, and no position paid it.',
    }),
  })
  .meta({ id: 'SettledFundingRate', 'x-openperp-ours': true });
export type SettledFundingRate = z.infer<typeof settledFundingRate>;

export const fundingRateList = z
  .strictObject({
    version: z.literal('external-funding-rate-list/v1'),
    marketId,
    rates: z.array(settledFundingRate),
    nextCursor,
    freshness,
  })
  .meta({ id: 'FundingRateList', 'x-openperp-ours': true });
export type FundingRateList = z.infer<typeof fundingRateList>;

export const listFundingPayments = {
  id: 'listFundingPayments',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/funding',
  summary: 'Funding payments',
  description: 'The funding that positions of the account paid or received. Newest first; with `since` oldest first from there.',
  isOurs: true,
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  params: accountParams,
  query: pageQuery(marketFilter),
  success: { status: 200, schema: fundingPaymentList, description: 'The payments.' },
  refusals: ['account_forbidden', 'market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const listFundingRates = {
  id: 'listFundingRates',
  group: 'Markets',
  method: 'GET',
  path: '/v1/markets/{marketId}/funding',
  summary: 'Settled funding rates',
  description:
    'The rate of every settled period. Newest first; with `since` oldest first from there. Rates from before the first start of the venue ' +
    'are generated (`synthetic`); there are some if the venue was started with a history.',
  isOurs: true,
  access: 'none-or-bearer',
  page: MARKET_PAGE,
  params: marketParams,
  query: pageQuery({}),
  success: { status: 200, schema: fundingRateList, description: 'The rates.' },
  refusals: ['market_not_found', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const fundingOperations = { listFundingPayments, listFundingRates };
