/** Auth: the caller's own API key. The secret is shown once, when the key is created. */
import * as z from 'zod';
import { accountId, epochMs } from './fields.ts';
import type { Operation } from './operation.ts';

export const apiKeyCurrent = z
  .strictObject({
    version: z.literal('external-api-key/v1'),
    keyId: z.string(),
    accountId,
    scopes: z.array(z.enum(['read', 'trade', 'funding', 'agents'])),
    label: z.string(),
    status: z.literal('active'),
    createdAtEpochMs: epochMs,
    expiresAtEpochMs: epochMs.nullable().meta({ description: 'The key is refused from this time on; null if it never expires.' }),
  })
  .meta({ id: 'ApiKeyCurrent', 'x-openperp-ours': true });
export type ApiKeyCurrent = z.infer<typeof apiKeyCurrent>;

export const getCurrentApiKey = {
  id: 'getCurrentApiKey',
  group: 'Auth',
  method: 'GET',
  path: '/v1/api-keys/current',
  summary: 'Inspect the current API key',
  description: 'The account, the scopes and the expiry of the API key in the request.',
  access: 'bearer:any',
  success: { status: 200, schema: apiKeyCurrent, description: 'The key, without its secret.' },
  refusals: ['not_an_api_key'],
} as const satisfies Operation;

export const authOperations = { getCurrentApiKey };
