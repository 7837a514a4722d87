/**
 * The bodies of sign-in: steps with a provider, the creation of a passkey, and sessions of owners. All are ours: the interface names
 * the operations only.
 */
import * as z from 'zod';
import { ENVIRONMENTS } from './environments.ts';
import { accountId, boundedText, epochMs, idInput, listInput, nameInput, textInput } from './fields.ts';
import { approvalFields, base64urlInput, CEREMONY_BYTES, signingChallenge } from './signing.ts';

const OURS = { 'x-openperp-ours': true } as const;

const providerInput = boundedText(32).regex(/^[a-z][a-z0-9-]*$/, 'must be the id of a provider of GET /v1/auth/capabilities');

const attemptInput = boundedText(64)
  .regex(/^opr_[0-9a-f]{16}_[A-Za-z0-9_-]{43}$/, 'must be the attempt of the first response, opr_…')
  .meta({ description: 'The secret of the attempt, of its first response.' });

const callbackInput = boundedText(2_560)
  .regex(/^[A-Za-z0-9._~%&=+/:@!$'()*,;?-]*$/, 'must be the query of the address to which the provider sent the browser')
  .meta({ description: 'The query with which the provider sent the browser back, such as code=…&state=….' });

const localCredentials = z
  .strictObject({ name: textInput(64, 1), passphrase: textInput(128, 1) })
  .meta({ id: 'LocalCredentials', description: 'An identity of the local development provider.', ...OURS });

const referralCode = boundedText(64).regex(/^[A-Za-z0-9_-]+$/, 'must have only letters, digits, _ and -');

/** The fields of both steps with a provider. The parser checks which belong to which. */
const providerStep = {
  provider: providerInput,
  action: z.enum(['initiate', 'complete']),
  attempt: attemptInput.optional(),
  callback: callbackInput.optional(),
  local: localCredentials.optional(),
};

const STEP_SHAPES = [
  { properties: { action: { const: 'initiate' }, attempt: false, callback: false }, required: ['provider', 'action'] },
  {
    properties: { action: { const: 'complete' }, local: false },
    required: ['provider', 'action', 'attempt', 'callback'],
  },
];

interface StepFields {
  readonly action: 'initiate' | 'complete';
  readonly attempt?: string | undefined;
  readonly callback?: string | undefined;
  readonly local?: unknown;
  readonly referralCode?: string | undefined;
}

const STEP_TEXT =
  'initiate starts with a provider; with the local one, it needs name and passphrase, and there is no second step. complete brings the ' +
  'answer of the provider.';

function checkStep(step: StepFields, context: z.RefinementCtx): void {
  const fault = (field: keyof StepFields, message: string) => context.addIssue({ code: 'custom', path: [field], message });
  if (step.action === 'complete') {
    for (const field of ['attempt', 'callback'] as const) if (step[field] === undefined) fault(field, `complete needs ${field}`);
    for (const field of ['local', 'referralCode'] as const)
      if (step[field] !== undefined) fault(field, `${field} belongs to initiate`);
  } else {
    for (const field of ['attempt', 'callback'] as const)
      if (step[field] !== undefined) fault(field, `${field} belongs to complete`);
  }
}

export const socialRegistration = z
  .strictObject({ ...providerStep, referralCode: referralCode.optional() })
  .superRefine(checkStep)
  .meta({
    id: 'SocialRegistration',
    description: STEP_TEXT,
    oneOf: STEP_SHAPES.map(({ properties, required }) => ({
      properties: properties.action.const === 'complete' ? { ...properties, referralCode: false } : properties,
      required,
    })),
    ...OURS,
  });

export const socialStep = z
  .strictObject(providerStep)
  .superRefine(checkStep)
  .meta({ id: 'SocialSignIn', description: STEP_TEXT, oneOf: STEP_SHAPES, ...OURS });

const creationDescriptor = z
  .strictObject({ type: z.literal('public-key'), id: z.string() })
  .meta({ id: 'ExcludedCredential', ...OURS });

export const passkeyCreation = z
  .strictObject({
    challengeIdentifier: z.string(),
    challenge: z.string().meta({ description: 'In base64url.' }),
    relyingParty: z.strictObject({ id: z.string(), name: z.string() }),
    user: z.strictObject({
      id: z.string().meta({ description: 'In base64url; without personal data, and the same for all passkeys of an owner.' }),
      name: z.string(),
      displayName: z.string(),
    }),
    pubKeyCredParams: z.array(z.strictObject({ type: z.literal('public-key'), alg: z.int() })),
    excludeCredentials: z.array(creationDescriptor),
    userVerification: z.literal('required'),
    residentKey: z.literal('required'),
  })
  .meta({ id: 'PasskeyCreation', description: 'The options for navigator.credentials.create.', ...OURS });
export type PasskeyCreation = z.infer<typeof passkeyCreation>;

export const passkeyCredential = z
  .strictObject({
    credId: base64urlInput(CEREMONY_BYTES.credentialId),
    clientData: base64urlInput(CEREMONY_BYTES.clientData),
    attestationObject: base64urlInput(CEREMONY_BYTES.attestationObject),
    transports: listInput(textInput(32, 1), 0, 8)
      .optional()
      .meta({ description: 'Accepted and ignored: the authenticator knows how it is reached.' }),
  })
  .meta({ id: 'PasskeyCredential', description: 'What the browser returned: each field is base64url.', ...OURS });
export type PasskeyCredential = z.output<typeof passkeyCredential>;

export const passkeyNameInput = nameInput(64).meta({
  description: 'The name under which the list of passkeys shows it, without invisible characters.',
});

const attemptFields = {
  version: z.literal('social-sign-in/v1'),
  attempt: z.string().meta({ description: 'The secret of the attempt. Its holder can continue the attempt.' }),
  authorizationUrl: z
    .string()
    .nullable()
    .meta({ description: 'Open it in the browser: the provider sends it back to /app. null if no provider is to be visited.' }),
  expiresAtEpochMs: epochMs,
};

export const registrationStep = z
  .strictObject({
    ...attemptFields,
    status: z.enum(['redirect', 'passkey_required', 'registered']).meta({
      description:
        'redirect: open authorizationUrl. passkey_required: make a passkey with creation. registered: the attempt has registered its ' +
        'owner, who signs in with the passkey.',
    }),
    creation: passkeyCreation.nullable(),
  })
  .meta({ id: 'RegistrationStep', description: 'What the registration needs next.', ...OURS });
export type RegistrationStepBody = z.infer<typeof registrationStep>;

export const ownerSession = z
  .strictObject({
    version: z.literal('owner-session/v1'),
    accessToken: z.string().meta({ description: 'The bearer of private routes, until it expires or is revoked. Shown once.' }),
    accountId,
    sessionId: z.string().meta({ description: 'Not a secret.' }),
    signedInBy: z
      .enum(['passkey', 'social'])
      .meta({ description: 'Routes that need the owner accept only a session that a passkey signed in.' }),
    createdAtEpochMs: epochMs,
    expiresAtEpochMs: epochMs,
  })
  .meta({ id: 'OwnerSession', ...OURS });
export type OwnerSession = z.infer<typeof ownerSession>;

export const socialLogin = z
  .strictObject({
    version: z.literal('social-login/v1'),
    status: z.enum(['redirect', 'signed_in']),
    attempt: attemptFields.attempt.nullable(),
    authorizationUrl: attemptFields.authorizationUrl,
    expiresAtEpochMs: epochMs.nullable().meta({ description: 'When the attempt expires.' }),
    session: ownerSession.nullable(),
  })
  .meta({ id: 'SocialLogin', ...OURS });
export type SocialLogin = z.infer<typeof socialLogin>;

export const mappingRecovery = z
  .strictObject({
    version: z.literal('auth-mapping/v1'),
    accountId,
    status: z.enum(['redirect', 'linked']).meta({ description: 'linked: the identity is the one that registered the account.' }),
    attempt: attemptFields.attempt.nullable(),
    authorizationUrl: attemptFields.authorizationUrl,
    expiresAtEpochMs: epochMs.nullable().meta({ description: 'When the attempt expires.' }),
  })
  .meta({ id: 'MappingRecovery', ...OURS });
export type MappingRecoveryBody = z.infer<typeof mappingRecovery>;

const listedProvider = z
  .strictObject({
    provider: z.string(),
    name: z.string(),
    kind: z.enum(['local', 'oidc']).meta({ description: 'local: by name and passphrase. oidc: at the site of the provider.' }),
  })
  .meta({ id: 'SignInProvider', ...OURS });

export const authCapabilities = z
  .strictObject({
    version: z.literal('auth-capabilities/v1'),
    environment: z.enum(ENVIRONMENTS),
    passkeyLogin: z.enum(['available', 'unavailable']).meta({
      description:
        'unavailable on testnet and mainnet until the operator has configured the public origin that passkeys are bound to.',
    }),
    registration: z.enum(['open', 'closed']).meta({ description: 'Existing owners can sign in while it is closed.' }),
    socialRegistration: z.array(listedProvider).meta({ description: 'Empty while registration is closed.' }),
    socialLogin: z.array(listedProvider),
    relyingPartyId: z
      .string()
      .nullable()
      .meta({ description: 'The site that passkeys are bound to; null while passkey login is unavailable.' }),
  })
  .meta({ id: 'AuthCapabilities', ...OURS });
export type AuthCapabilities = z.infer<typeof authCapabilities>;

export const passkeyLogin = z
  .strictObject({ version: z.literal('passkey-login/v1'), challenge: signingChallenge })
  .meta({ id: 'PasskeyLogin', description: 'A challenge for any passkey of this site.', ...OURS });

export const registrationAttempt = z.strictObject({ attempt: attemptInput }).meta({ id: 'RegistrationAttempt', ...OURS });
export const passkeyLoginEnd = z.strictObject(approvalFields).meta({ id: 'PasskeyLoginEnd', ...OURS });
export const passkeyLoginStart = z.strictObject({}).meta({ id: 'PasskeyLoginStart', ...OURS });

export const registrationEnd = z
  .strictObject({
    attempt: attemptInput,
    challengeIdentifier: idInput,
    passkeyName: passkeyNameInput,
    credential: passkeyCredential,
  })
  .meta({ id: 'PasskeyRegistration', ...OURS });
