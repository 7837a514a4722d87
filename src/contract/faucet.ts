/** The faucet: test money for an account, once. It gives a funding intent, from which a deposit is made. */
import * as z from 'zod';
import { PARTIAL_FEATURES } from './environments.ts';
import { accountId, accountParams, atoms, epochMs, settlementAsset } from './fields.ts';
import type { Operation } from './operation.ts';

export const FUNDING_STATUSES = ['available', 'deposit_bound', 'consumed', 'cancelled'] as const;
const fundingStatus = z.enum(FUNDING_STATUSES).meta({
  description:
    'available: a deposit can be made from it. deposit_bound: its deposit is under way. consumed: its deposit is confirmed. cancelled: the ' +
    'account was retired before a deposit was made.',
});
export const fundingIntentId = z.string().regex(/^intent-[1-9][0-9]{0,14}$/);
export const depositId = z.string().regex(/^dep-[1-9][0-9]{0,14}$/);

/** The faucet grant (2.13). */
export const faucetGrant = z
  .strictObject({
    version: z.literal('faucet-grant/v1'),
    accountId,
    asset: settlementAsset,
    amountAtoms: z.string().regex(/^[1-9][0-9]*$/),
    fundingIntentId,
    status: fundingStatus,
    replayed: z.boolean().meta({ description: 'Whether the grant existed before this request.' }),
  })
  .meta({ id: 'FaucetGrant' });
export type FaucetGrant = z.infer<typeof faucetGrant>;

export const fundingIntents = z
  .strictObject({
    version: z.literal('local-signing/v2'),
    accountId,
    fundingIntents: z.array(
      z
        .strictObject({
          fundingIntentId,
          asset: settlementAsset,
          amountAtoms: atoms,
          source: z.enum(['faucet']),
          status: fundingStatus,
          depositId: depositId.nullable().meta({ description: 'The deposit that was made from it.' }),
          createdAtEpochMs: epochMs,
        })
        .meta({ id: 'FundingIntent', 'x-openperp-ours': true }),
    ),
  })
  .meta({ id: 'FundingIntents', 'x-openperp-ours': true });
export type FundingIntents = z.infer<typeof fundingIntents>;

export const claimFaucetGrant = {
  id: 'claimFaucetGrant',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/faucet-grant',
  summary: 'Claim the faucet grant',
  description:
    'Grants a fixed amount of test money, once for each account. Repeating it returns the same funding intent with replayed true. The money is ' +
    'credited by a deposit from that intent. Needs no body.',
  access: 'bearer:trade',
  limit: 'settings',
  environments: PARTIAL_FEATURES.faucet.environments,
  params: accountParams,
  success: { status: 200, schema: faucetGrant, description: 'The grant.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'account_legacy_excluded',
    'amount_out_of_bounds',
    'intake_paused',
    'capability_unavailable',
    'venue_busy',
    'venue_halted',
  ],
} as const satisfies Operation;

export const listFundingIntents = {
  id: 'listFundingIntents',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/local-signing-funding-intents',
  summary: 'Funding intents',
  description: 'Money that the venue will pay into the account by a deposit each: oldest first.',
  access: 'session',
  params: accountParams,
  success: { status: 200, schema: fundingIntents, description: 'The funding intents.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const faucetOperations = { claimFaucetGrant, listFundingIntents };
