/**
 * Sign-in of owners: registration with a provider and a passkey, login, and linking again. A session of an owner is a bearer, and is
 * shown once.
 */
import type { Operation } from './operation.ts';
import {
  authCapabilities,
  mappingRecovery,
  ownerSession,
  passkeyLogin,
  passkeyLoginEnd,
  passkeyLoginStart,
  registrationAttempt,
  registrationEnd,
  registrationStep,
  socialLogin,
  socialRegistration,
  socialStep,
} from './sign-in-bodies.ts';

/** Refusals of every step with a provider. */
const PROVIDER_REFUSALS = ['unknown_provider', 'capability_unavailable', 'attempt_rejected', 'sign_in_rejected'] as const;
const WAITS = ['dependency_unavailable', 'venue_busy'] as const;

const publicStep = { group: 'Auth', method: 'POST', access: 'none' } as const;

export const getAuthCapabilities = {
  id: 'getAuthCapabilities',
  group: 'Auth',
  method: 'GET',
  path: '/v1/auth/capabilities',
  summary: 'Read which sign-in is offered',
  description: 'The ways to register and to sign in that are open now.',
  access: 'none-or-bearer',
  success: { status: 200, schema: authCapabilities, description: 'The capabilities.' },
  refusals: [],
} as const satisfies Operation;

export const registerWithProvider = {
  ...publicStep,
  id: 'registerWithProvider',
  limit: 'registrationStarts',
  path: '/v1/auth/social/register',
  summary: 'Register: prove an identity',
  description:
    'The first part of a registration. initiate returns the address of the provider; complete brings its answer, and returns the options ' +
    'for a passkey. With the local provider, initiate returns them at once. The account exists only after POST /v1/auth/register/complete.',
  body: socialRegistration,
  example: { body: { provider: 'local', action: 'initiate', local: { name: 'alice', passphrase: 'correct horse' } } },
  success: { status: 200, schema: registrationStep, description: 'What the registration needs next.' },
  refusals: [...PROVIDER_REFUSALS, 'identity_registered', ...WAITS],
} as const satisfies Operation;

export const recoverRegistration = {
  ...publicStep,
  id: 'recoverRegistration',
  limit: 'registrationRecoveries',
  path: '/v1/auth/social/register/recover',
  summary: 'Resume a registration',
  description:
    'Returns what the attempt needs next, with a new challenge: for a client that lost a response, or whose challenge expired. It recovers ' +
    'no lost passkey.',
  body: registrationAttempt,
  success: { status: 200, schema: registrationStep, description: 'What the registration needs next.' },
  refusals: ['attempt_rejected', 'capability_unavailable', ...WAITS],
} as const satisfies Operation;

export const completeRegistration = {
  ...publicStep,
  id: 'completeRegistration',
  limit: 'registrations',
  path: '/v1/auth/register/complete',
  summary: 'Register: add the passkey',
  description:
    'The last part of a registration: opens the account with its first passkey, and a session. The account cannot trade yet: its party ' +
    'must be set up.',
  body: registrationEnd,
  success: { status: 200, schema: ownerSession, description: 'A session of the new owner.' },
  refusals: [
    'attempt_rejected',
    'challenge_rejected',
    'passkey_rejected',
    'passkey_exists',
    'identity_registered',
    'capability_unavailable',
    'intake_paused',
    'venue_halted',
    ...WAITS,
  ],
} as const satisfies Operation;

export const startPasskeyLogin = {
  ...publicStep,
  id: 'startPasskeyLogin',
  limit: 'loginStarts',
  path: '/v1/auth/login/init',
  summary: 'Sign in with a passkey: get a challenge',
  description: 'The challenge lists no credentials: the authenticator offers the passkeys that it has for this site.',
  body: passkeyLoginStart,
  success: { status: 200, schema: passkeyLogin, description: 'The challenge.' },
  refusals: ['source_unavailable', ...WAITS],
} as const satisfies Operation;

export const completePasskeyLogin = {
  ...publicStep,
  id: 'completePasskeyLogin',
  limit: 'logins',
  path: '/v1/auth/login/complete',
  summary: 'Sign in with a passkey',
  description: 'Opens a session. Signing in does not make an account tradable.',
  body: passkeyLoginEnd,
  success: { status: 200, schema: ownerSession, description: 'A session of the owner.' },
  refusals: ['challenge_rejected', 'passkey_rejected', 'account_legacy_excluded', 'venue_halted', ...WAITS],
} as const satisfies Operation;

export const loginWithProvider = {
  ...publicStep,
  id: 'loginWithProvider',
  limit: 'providerLogins',
  path: '/v1/auth/social/login',
  summary: 'Sign in with a provider',
  description:
    'For owners who have registered, also while registration is closed. Operations that need the owner refuse such a session with ' +
    'passkey_required.',
  body: socialStep,
  example: { body: { provider: 'local', action: 'initiate', local: { name: 'alice', passphrase: 'correct horse' } } },
  success: { status: 200, schema: socialLogin, description: 'A session, or the address of the provider.' },
  refusals: [...PROVIDER_REFUSALS, 'identity_not_registered', 'account_legacy_excluded', ...WAITS],
} as const satisfies Operation;

export const recoverMapping = {
  id: 'recoverMapping',
  group: 'Auth',
  method: 'POST',
  path: '/v1/auth/mapping/recover',
  summary: 'Link the account again to its identity',
  description:
    'Proves that the identity of the provider is the one that registered the account of the session. It adds no passkey and recovers none.',
  access: 'session',
  limit: 'signing',
  body: socialStep,
  example: { body: { provider: 'local', action: 'initiate', local: { name: 'alice', passphrase: 'correct horse' } } },
  success: { status: 200, schema: mappingRecovery, description: 'The link, or the address of the provider.' },
  refusals: [...PROVIDER_REFUSALS, 'mapping_forbidden', 'venue_busy'],
} as const satisfies Operation;

export const signInOperations = {
  getAuthCapabilities,
  registerWithProvider,
  recoverRegistration,
  completeRegistration,
  startPasskeyLogin,
  completePasskeyLogin,
  loginWithProvider,
  recoverMapping,
};
