/**
 * The affiliate program: its availability, and of an account the profile, the registration and the earnings. Earnings are projected from
 * fees, not paid. While the operator has the program off, only the availability has a route.
 */
import * as z from 'zod';
import {
  accountId,
  accountParams,
  atoms,
  decimal,
  epochMs,
  freshness,
  nextCursor,
  ours,
  pageQuery,
  settlementAsset,
} from './fields.ts';
import { ACCOUNT_PAGE } from './limits.ts';
import type { Operation } from './operation.ts';

const shareBps = z.int().min(1).max(10_000);

export const affiliateAvailability = z
  .strictObject({
    version: z.literal('external-affiliate-availability/v1'),
    available: z.boolean().meta({ description: 'Whether the operator has the program on.' }),
    shareBps: shareBps.meta({
      description: 'The share of referred fees of an account that registers now, in hundredths of a percent.',
    }),
  })
  .meta({ id: 'AffiliateAvailability', 'x-openperp-ours': true });
export type AffiliateAvailability = z.infer<typeof affiliateAvailability>;

/** The profile (2.13). */
export const affiliateProfile = z
  .strictObject({
    version: z.literal('external-affiliate-profile/v1'),
    accountId,
    registered: z.boolean(),
    affiliateId: z
      .string()
      .regex(/^aff-[1-9][0-9]{0,9}$/)
      .nullable(),
    referralCode: z.string().nullable().meta({
      description: 'Random, and of this affiliate alone for good. An owner who registers with it is referred by the affiliate.',
    }),
    registeredAtEpochMs: epochMs.nullable(),
    shareBps: ours(shareBps.nullable(), 'The share of referred fees that the affiliate earns, fixed at its registration.'),
  })
  .meta({ id: 'AffiliateProfile' });
export type AffiliateProfile = z.infer<typeof affiliateProfile>;

/** Sums of referred fees; each of their fills earns a share that is rounded down to an atom. */
const earned = {
  fills: z.int().min(0).meta({ description: 'The fills that earned something: of referred accounts, with a fee above 0.' }),
  feesAtoms: atoms.meta({ description: 'The fees of these fills.' }),
  fees: decimal.meta({ description: 'feesAtoms as a decimal.' }),
  earnedAtoms: atoms.meta({ description: 'The share of the fees, rounded down to an atom for each fill.' }),
  earned: decimal.meta({ description: 'earnedAtoms as a decimal.' }),
};

export const affiliateTotal = z
  .strictObject({
    referredAccounts: z.int().min(0).meta({ description: 'The accounts that the affiliate referred.' }),
    payingAccounts: z.int().min(0).meta({ description: 'Those of them whose fills have earned something.' }),
    ...earned,
  })
  .meta({ id: 'AffiliateTotal', 'x-openperp-ours': true });
export type AffiliateTotal = z.infer<typeof affiliateTotal>;

export const affiliateDay = z
  .strictObject({ dayEpochMs: epochMs.meta({ description: 'The start of the UTC day.' }), ...earned })
  .meta({ id: 'AffiliateDay', 'x-openperp-ours': true });
export type AffiliateDay = z.infer<typeof affiliateDay>;

export const affiliateEarnings = z
  .strictObject({
    version: z.literal('external-affiliate-earnings/v1'),
    accountId,
    registered: z.boolean(),
    asset: settlementAsset,
    basis: z.literal('projected').meta({
      description: 'Computed from the fees of fills. The earnings are not paid: no balance includes them.',
    }),
    total: affiliateTotal.meta({ description: 'Since the registration.' }),
    days: z.array(affiliateDay).meta({ description: 'The days on which something was earned.' }),
    nextCursor,
    freshness,
  })
  .meta({ id: 'AffiliateEarnings', 'x-openperp-ours': true });
export type AffiliateEarnings = z.infer<typeof affiliateEarnings>;

export const getAffiliateAvailability = {
  id: 'getAffiliateAvailability',
  group: 'Affiliates',
  method: 'GET',
  path: '/v1/affiliate/availability',
  summary: 'Whether the affiliate program is on',
  description: 'While it is off, the other affiliate operations answer 404, as an unknown path does.',
  access: 'none-or-bearer',
  success: { status: 200, schema: affiliateAvailability, description: 'The availability.' },
  refusals: [],
} as const satisfies Operation;

/** What the other operations have in common. */
const affiliate = { group: 'Accounts', hiddenWithout: 'affiliate', params: accountParams } as const;

export const getAffiliateProfile = {
  ...affiliate,
  id: 'getAffiliateProfile',
  method: 'GET',
  path: '/v1/accounts/{accountId}/affiliate/profile',
  summary: 'Affiliate profile',
  description: 'The id and the referral code of the account as an affiliate; null for an account that has not registered.',
  access: 'bearer:read',
  success: { status: 200, schema: affiliateProfile, description: 'The profile.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const registerAffiliate = {
  ...affiliate,
  id: 'registerAffiliate',
  method: 'POST',
  path: '/v1/accounts/{accountId}/affiliate/registration',
  summary: 'Register as an affiliate',
  description:
    'Needs no body. Gives the account a referral code, for good. Repeating it returns the same profile. Only the owner registers: no API ' +
    'key does. Has the same rate limit as changes of favorites.',
  access: 'session',
  limit: 'settings',
  success: { status: 200, schema: affiliateProfile, description: 'The profile of the affiliate.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'account_legacy_excluded',
    'intake_paused',
    'referral_code_invalid',
    'venue_busy',
    'venue_halted',
  ],
} as const satisfies Operation;

export const getAffiliateEarnings = {
  ...affiliate,
  id: 'getAffiliateEarnings',
  method: 'GET',
  path: '/v1/accounts/{accountId}/affiliate/earnings',
  summary: 'Affiliate earnings',
  description:
    'The projected share of the fees of referred accounts, in total and by UTC day. It names none of these accounts. Newest day first; with ' +
    '`since` oldest first from there, where `since` and `until` count by the start of the day.',
  access: 'bearer:read',
  page: ACCOUNT_PAGE,
  query: pageQuery({}),
  success: { status: 200, schema: affiliateEarnings, description: 'The earnings.' },
  refusals: ['account_forbidden', 'invalid_cursor', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const affiliateOperations = {
  getAffiliateAvailability,
  getAffiliateProfile,
  registerAffiliate,
  getAffiliateEarnings,
};
