/** The API keys of an account, listed and revoked by its owner. */
import * as z from 'zod';
import { KEY_SCOPES } from './agent-connect.ts';
import { accountId, accountParams, epochMs, idInput } from './fields.ts';
import type { Operation } from './operation.ts';

const apiKey = z
  .strictObject({
    keyId: z.string(),
    label: z.string(),
    scopes: z.array(z.enum(KEY_SCOPES)),
    status: z.enum(['active', 'expired']),
    createdAtEpochMs: epochMs,
    expiresAtEpochMs: epochMs.nullable().meta({ description: 'null if it never expires.' }),
  })
  .meta({ id: 'ListedApiKey', 'x-openperp-ours': true });

const apiKeyList = z
  .strictObject({
    version: z.literal('external-api-key-list/v1'),
    accountId,
    apiKeys: z.array(apiKey).meta({ description: 'Those that were not revoked, the oldest first; at most 100 are active.' }),
  })
  .meta({ id: 'ApiKeyList', 'x-openperp-ours': true });
export type ApiKeyList = z.infer<typeof apiKeyList>;

export const listApiKeys = {
  id: 'listApiKeys',
  group: 'Agent access',
  method: 'GET',
  path: '/v1/accounts/{accountId}/api-keys',
  summary: 'List the API keys of an account',
  description: 'The keys without their secrets.',
  access: 'session:passkey',
  params: accountParams,
  success: { status: 200, schema: apiKeyList, description: 'The keys.' },
  refusals: ['account_forbidden', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const revokeApiKey = {
  id: 'revokeApiKey',
  group: 'Agent access',
  method: 'DELETE',
  path: '/v1/accounts/{accountId}/api-keys/{keyId}',
  summary: 'Revoke an API key',
  description:
    'The next request with the key is refused, its realtime tickets end, and their sockets are closed. Open orders stay. Repeating it is a no-op.',
  access: 'session:passkey',
  limit: 'signing',
  params: z.strictObject({ accountId: idInput, keyId: idInput }),
  success: { status: 204, description: 'The key is revoked.' },
  refusals: ['account_forbidden', 'api_key_not_found', 'venue_busy', 'venue_halted'],
} as const satisfies Operation;

export const apiKeyOperations = { listApiKeys, revokeApiKey };
