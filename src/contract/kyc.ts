/** The verification of an owner's identity (KYC). This venue needs none and has no provider for it; an owner may say that it is skipped. */
import * as z from 'zod';
import { accountParams, epochMs } from './fields.ts';
import type { Operation } from './operation.ts';

/** The status (2.13). It has no personal data. */
export const kycStatus = z
  .strictObject({
    version: z.literal('external-kyc-status/v1'),
    required: z.literal(false).meta({ description: 'No operation of this venue needs a verified identity.' }),
    providerAvailability: z.literal('unavailable').meta({ description: 'The venue has no provider that verifies identities.' }),
    state: z.strictObject({
      status: z.enum(['not_started', 'skipped']).meta({ description: 'skipped: the owner skipped the verification, for good.' }),
      createdAtEpochMs: epochMs.nullable().meta({ description: 'When the status left not_started; null before.' }),
      updatedAtEpochMs: epochMs.nullable().meta({ description: 'When the status changed last; null before it did.' }),
    }),
  })
  .meta({ id: 'KycStatus' });
export type KycStatus = z.infer<typeof kycStatus>;

export const getKyc = {
  id: 'getKyc',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/kyc',
  summary: 'KYC status',
  description:
    'Whether the venue needs a verified identity of the owner, and how far that is. It shows no personal data: the venue has none.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: kycStatus, description: 'The status.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const skipKyc = {
  id: 'skipKyc',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/kyc/skip',
  summary: 'Skip KYC',
  description:
    'Needs no body. Repeating it is a no-op. Only the owner skips it: no API key does. Has the same rate limit as changes of favorites.',
  access: 'session',
  limit: 'settings',
  params: accountParams,
  success: { status: 200, schema: kycStatus, description: 'The status after the change.' },
  refusals: ['account_forbidden', 'account_retired', 'account_legacy_excluded', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const kycOperations = { getKyc, skipKyc };
