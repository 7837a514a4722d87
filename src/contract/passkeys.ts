/** Passkeys of an account: their list, further ones, their removal, and the setup key (4.5). */
import * as z from 'zod';
import { accountId, accountParams, boundedText, idInput, ours } from './fields.ts';
import type { Operation } from './operation.ts';
import { passkeyCreation, passkeyCredential, passkeyNameInput } from './sign-in-bodies.ts';
import { base64urlInput, CEREMONY_BYTES, fido2Approval, SETUP_KEY_PREFIX, signingApproval, signingChallenge } from './signing.ts';

const OURS = { 'x-openperp-ours': true } as const;

export const listedPasskey = z
  .strictObject({
    passkeyId: z.string(),
    name: z.string(),
    createdAt: z.string().meta({ description: 'In ISO 8601.' }),
    relyingPartyId: z.string(),
    origin: z.string().meta({ description: 'Of the page that made it.' }),
    status: z
      .enum(['usable_here', 'other_relying_party'])
      .meta({ description: 'other_relying_party: it was made on another site, and cannot sign here.' }),
    kind: ours(z.enum(['passkey', 'setup_key']), 'setup_key: a key of the browser that approves only the rest of the setup.'),
  })
  .meta({ id: 'ListedPasskey' });

export const passkeyList = z
  .strictObject({
    version: z.literal('account-passkeys/v1'),
    relyingPartyId: z.string().meta({ description: 'The site of this venue.' }),
    passkeys: z.array(listedPasskey).meta({ description: 'Oldest first.' }),
  })
  .meta({ id: 'PasskeyList' });
export type PasskeyList = z.infer<typeof passkeyList>;

const action = z.enum(['initiate', 'approve', 'complete']);

const setupKeyCredential = z
  .strictObject({
    credentialId: boundedText(96).regex(
      new RegExp(`^${SETUP_KEY_PREFIX}[A-Za-z0-9_-]{16,64}$`),
      `must be ${SETUP_KEY_PREFIX} and 16 to 64 letters, digits, _ and -`,
    ),
    publicKey: base64urlInput(128).meta({ description: 'The P-256 key as SPKI, in base64url.' }),
    signature: base64urlInput(CEREMONY_BYTES.signature).meta({
      description: 'Of the key over the bytes of the creation challenge: r and s of 32 bytes each, in base64url.',
    }),
  })
  .meta({ id: 'SetupKeyCredential', ...OURS });
export type SetupKeyCredential = z.output<typeof setupKeyCredential>;

/** The fields of each action, besides it; `approvals` follow the credential that they approve. */
const FIELDS = { initiate: [], approve: ['challengeIdentifier'], complete: ['challengeIdentifier', 'firstFactor'] } as const;

function shapesOf(added: readonly string[]): object[] {
  const all = [...added, 'challengeIdentifier', 'firstFactor'];
  return Object.entries(FIELDS).map(([name, own]) => {
    const required = name === 'initiate' ? [] : [...added, ...own];
    const absent = Object.fromEntries(all.filter((field) => !required.includes(field)).map((field) => [field, false]));
    return { properties: { action: { const: name }, ...absent }, required: ['action', ...required] };
  });
}

function checkFields(added: readonly string[]) {
  return (body: { readonly action: keyof typeof FIELDS }, context: z.RefinementCtx): void => {
    const required: readonly string[] = body.action === 'initiate' ? [] : [...added, ...FIELDS[body.action]];
    for (const field of [...added, 'challengeIdentifier', 'firstFactor']) {
      const isGiven = (body as Readonly<Record<string, unknown>>)[field] !== undefined;
      if (isGiven === required.includes(field)) continue;
      const message = isGiven ? `${field} does not belong to ${body.action}` : `${body.action} needs ${field}`;
      context.addIssue({ code: 'custom', path: [field], message });
    }
  };
}

const approvalSteps = { challengeIdentifier: idInput.optional(), firstFactor: fido2Approval.optional() };
const STEPS =
  'initiate returns a creation challenge; approve brings what was made and returns the challenge that a passkey of the account signs; ' +
  'complete brings the same once more with that signature.';

const setupKeyStep = z
  .strictObject({ action, credential: setupKeyCredential.optional(), ...approvalSteps })
  .superRefine(checkFields(['credential']))
  .meta({ id: 'SetupKeyStep', description: STEPS, oneOf: shapesOf(['credential']), ...OURS });

const passkeyStep = z
  .strictObject({ action, passkeyName: passkeyNameInput.optional(), credential: passkeyCredential.optional(), ...approvalSteps })
  .superRefine(checkFields(['passkeyName', 'credential']))
  .meta({ id: 'PasskeyStep', description: STEPS, oneOf: shapesOf(['passkeyName', 'credential']), ...OURS });

export const setupKeyResult = z
  .strictObject({
    version: z.literal('account-passkeys/v1'),
    action,
    creation: z
      .strictObject({ challengeIdentifier: z.string(), challenge: z.string() })
      .nullable()
      .meta({ description: 'After initiate: the challenge that the new key signs.' }),
    challenge: ours(signingChallenge.nullable(), 'After approve: the challenge that a passkey signs.'),
    passkeyId: ours(z.string().nullable(), 'After complete: the registered key.'),
  })
  .meta({ id: 'SetupKeyResult' });
export type SetupKeyResult = z.infer<typeof setupKeyResult>;

export const passkeyResult = z
  .strictObject({
    version: z.literal('account-passkeys/v1'),
    action,
    accountId,
    creation: passkeyCreation.nullable().meta({ description: 'After initiate.' }),
    challenge: signingChallenge.nullable().meta({ description: 'After approve: an existing passkey signs it.' }),
    passkeyId: z.string().nullable().meta({ description: 'After complete.' }),
  })
  .meta({ id: 'PasskeyResult', ...OURS });
export type PasskeyResult = z.infer<typeof passkeyResult>;

export const passkeyRemoval = z
  .strictObject({
    version: z.literal('account-passkeys/v1'),
    accountId,
    passkeyId: z.string(),
    status: z.enum(['approval_required', 'removed']),
    challenge: signingChallenge.nullable().meta({ description: 'A passkey of the account signs it. null once it is removed.' }),
  })
  .meta({ id: 'PasskeyRemoval', ...OURS });

export type PasskeyRemoval = z.infer<typeof passkeyRemoval>;

const ADDITION_REFUSALS = [
  'account_forbidden',
  'account_retired',
  'account_legacy_excluded',
  'challenge_rejected',
  'passkey_rejected',
  'signature_rejected',
  'no_usable_passkey',
  'passkey_exists',
  'too_many_passkeys',
  'venue_busy',
  'venue_halted',
] as const;

export const listPasskeys = {
  id: 'listPasskeys',
  group: 'Accounts',
  method: 'GET',
  path: '/v1/accounts/{accountId}/passkeys',
  summary: 'List the passkeys of an account',
  description: 'The active ones. Each environment has its own site: a passkey of another one cannot sign here.',
  access: 'bearer:read',
  params: accountParams,
  success: { status: 200, schema: passkeyList, description: 'The passkeys; empty for an account without an owner.' },
  refusals: ['account_forbidden'],
} as const satisfies Operation;

export const addPasskey = {
  id: 'addPasskey',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/passkeys',
  summary: 'Add a passkey',
  description: `A further passkey, approved by one that the account has. ${STEPS}`,
  isOurs: true,
  access: 'session:passkey',
  limit: 'signing',
  params: accountParams,
  body: passkeyStep,
  example: { body: { action: 'initiate' } },
  success: { status: 200, schema: passkeyResult, description: 'What the addition needs next, or the passkey.' },
  refusals: [...ADDITION_REFUSALS, 'owner_not_found'],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const removePasskey = {
  id: 'removePasskey',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/passkeys/{passkeyId}/removal',
  summary: 'Remove a passkey',
  description:
    'Without an approval it returns the challenge that a passkey of the account signs, which may be the removed one; with it, the passkey is ' +
    'removed. The sessions that it signed in end, also the one of this request. The last passkey that can sign here cannot be removed: it could not ' +
    'be recovered. A removed passkey cannot be added again.',
  isOurs: true,
  access: 'session:passkey',
  limit: 'signing',
  params: z.strictObject({ accountId: idInput, passkeyId: base64urlInput(CEREMONY_BYTES.credentialId) }),
  body: z.strictObject({ approval: signingApproval.optional() }).meta({ id: 'PasskeyRemovalBody', ...OURS }),
  success: {
    status: 200,
    schema: passkeyRemoval,
    description: 'The challenge that approves the removal, or that it is removed.',
  },
  refusals: [
    'account_forbidden',
    'passkey_not_found',
    'last_passkey',
    'owner_not_found',
    'challenge_rejected',
    'signature_rejected',
    'no_usable_passkey',
    'venue_busy',
    'venue_halted',
  ],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const setUpKey = {
  id: 'setUpKey',
  group: 'Accounts',
  method: 'POST',
  path: '/v1/accounts/{accountId}/passkeys/setup-key',
  summary: 'Register a setup key',
  description:
    'A P-256 key that the browser keeps: it approves the remaining signatures of the setup without a prompt, only those, and then its own ' +
    `removal. It runs only while the setup has not started or is pending. ${STEPS} A repeated complete adds no second key.`,
  access: 'session:passkey',
  limit: 'signing',
  params: accountParams,
  body: setupKeyStep,
  example: { body: { action: 'initiate' } },
  success: { status: 200, schema: setupKeyResult, description: 'What the registration needs next, or the key.' },
  refusals: [
    ...ADDITION_REFUSALS,
    'setup_complete',
    'setup_unavailable',
    'setup_key_active',
    'setup_key_busy',
    'source_unavailable',
  ],
  refusalDetails: ['agentRefusal'],
} as const satisfies Operation;

export const passkeyOperations = { listPasskeys, addPasskey, removePasskey, setUpKey };
