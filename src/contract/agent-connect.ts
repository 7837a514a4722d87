/**
 * API keys by device grant (RFC 8628): a program asks for a key and shows a short user code, the owner approves it in a session, and
 * the program collects the key once.
 */
import * as z from 'zod';
import { accountId, accountParams, epochMs, listInput, nameInput, textInput } from './fields.ts';
import type { Operation } from './operation.ts';
import { signingApproval, signingChallenge } from './signing.ts';

const VERSION = 'agent-connect/v1';
export const KEY_SCOPES = ['read', 'trade', 'funding', 'agents'] as const;
const MAX_LABEL_LENGTH = 64;
export const DEFAULT_KEY_LIFETIME_DAYS = 90;
export const MAX_KEY_LIFETIME_DAYS = 365;
const scopes = z.array(z.enum(KEY_SCOPES));
const deviceCode = z.string().meta({ description: 'Secret: it collects the key. Send it in a body only.' });
const userCode = z.string().meta({ description: 'The owner enters it; it is valid in any case, with or without the dash.' });

const startedGrant = z
  .strictObject({
    version: z.literal(VERSION),
    deviceCode,
    userCode,
    verificationUri: z.string().meta({ description: "The owner's page, where the user code is entered." }),
    verificationUriComplete: z.string().meta({ description: 'The same with the user code, for a link or a QR code.' }),
    intervalMs: z.int().min(1).meta({ description: 'The program waits this long between polls.' }),
    expiresAtEpochMs: epochMs,
  })
  .meta({ id: 'StartedDeviceGrant', 'x-openperp-ours': true });

export const startDeviceGrant = {
  id: 'startDeviceGrant',
  group: 'Agent access',
  method: 'POST',
  path: '/v1/agent-connect/start',
  summary: 'Start a device grant',
  description:
    'For a program that needs an API key: it shows userCode and verificationUri to the owner of an account, and polls ' +
    '/v1/agent-connect/complete with deviceCode. The owner sees label, scopes and keyLifetimeDays before the approval. A network can have 10 ' +
    'open grants, and a site (IPv6 /48) 40.',
  access: 'none',
  limit: 'deviceGrants',
  body: z
    .strictObject({
      label: nameInput(MAX_LABEL_LENGTH).meta({
        description:
          'The name of the program, as the owner sees it: without invisible characters, also those of direction and zero width.',
      }),
      scopes: listInput(z.enum(KEY_SCOPES), 1, KEY_SCOPES.length).meta({ description: 'Each scope at most once.' }),
      keyLifetimeDays: z
        .int()
        .min(1)
        .max(MAX_KEY_LIFETIME_DAYS)
        .optional()
        .meta({
          description: `How long the API key is valid, from its delivery on; ${DEFAULT_KEY_LIFETIME_DAYS} if it is omitted.`,
        }),
    })
    .meta({ id: 'DeviceGrantBody', 'x-openperp-ours': true }),
  example: { body: { label: 'my-bot', scopes: ['read', 'trade'] } },
  success: { status: 200, schema: startedGrant, description: 'The codes of the new grant.' },
  refusals: ['too_many_device_grants', 'dependency_unavailable'],
} as const satisfies Operation;

const grantedKey = z
  .strictObject({
    version: z.literal(VERSION),
    status: z.literal('approved'),
    accountId,
    keyId: z.string(),
    apiKey: z.string().meta({ description: 'Secret: shown this once.' }),
    scopes,
    label: z.string(),
    expiresAtEpochMs: epochMs.meta({ description: 'The API key is valid until then.' }),
  })
  .meta({ id: 'GrantedApiKey', 'x-openperp-ours': true });

export const collectDeviceGrant = {
  id: 'collectDeviceGrant',
  group: 'Agent access',
  method: 'POST',
  path: '/v1/agent-connect/complete',
  summary: 'Collect the API key of an approved device grant',
  description:
    'Poll it no faster than intervalMs until the owner has decided. The API key is issued when it is collected, and delivered once: if the ' +
    'response is lost, start another grant, and let the owner revoke the lost key.',
  access: 'none',
  limit: 'deviceCodes',
  body: z.strictObject({ deviceCode: textInput(64, 1) }).meta({ id: 'DeviceCodeBody', 'x-openperp-ours': true }),
  success: { status: 200, schema: grantedKey, description: 'The new API key.' },
  refusals: [
    'authorization_pending',
    'slow_down',
    'access_denied',
    'expired_token',
    'invalid_grant',
    'account_retired',
    'account_legacy_excluded',
    'too_many_api_keys',
    'dependency_unavailable',
    'venue_busy',
    'venue_halted',
  ],
} as const satisfies Operation;

const decidedGrant = z
  .strictObject({
    version: z.literal(VERSION),
    status: z.enum(['pending', 'approval_required', 'approved', 'denied']).meta({
      description:
        'approval_required: nothing is approved yet; a passkey signs the challenge, and approve is sent again with it.',
    }),
    label: z.string(),
    scopes,
    keyLifetimeDays: z.int().min(1),
    startedAtEpochMs: epochMs.meta({ description: 'When the program requested access.' }),
    expiresAtEpochMs: epochMs.meta({ description: 'The program waits until then.' }),
    challenge: signingChallenge
      .nullable()
      .meta({ description: 'A passkey of the account signs it. null unless an approval is due.' }),
  })
  .meta({ id: 'DeviceGrant', 'x-openperp-ours': true });

export const decideDeviceGrant = {
  id: 'decideDeviceGrant',
  group: 'Agent access',
  method: 'POST',
  path: '/v1/accounts/{accountId}/agent-connect/approve',
  summary: 'Describe, approve or deny a device grant',
  description:
    '`describe` shows which program asks for which scopes, and changes nothing. `approve` without an approval returns the challenge that a ' +
    'passkey signs; with it, the program may collect an API key of this account, unless the session of this request ends before. ' +
    'Approve only a code that your own program shows. Entered codes have a rate limit of their own (userCodes).',
  access: 'session:passkey',
  limit: 'userCodes',
  params: accountParams,
  body: z
    .strictObject({
      userCode: textInput(16, 1),
      decision: z.enum(['describe', 'approve', 'deny']),
      approval: signingApproval.optional(),
    })
    .meta({ id: 'DeviceGrantDecision', 'x-openperp-ours': true }),
  success: { status: 200, schema: decidedGrant, description: 'The grant after the decision.' },
  refusals: [
    'account_forbidden',
    'account_retired',
    'user_code_not_found',
    'expired_token',
    'device_grant_decided',
    'signature_rejected',
    'no_usable_passkey',
    'venue_busy',
    'venue_halted',
  ],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const connectOperations = { startDeviceGrant, collectDeviceGrant, decideDeviceGrant };
