/** Refusals of signing in: providers, attempts, challenges, and the answers of passkeys. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const SIGN_IN_ERRORS = {
  unknown_provider: entry(
    400,
    'The venue has no such sign-in provider.',
    'Use a provider of GET /v1/auth/capabilities.',
    'fix_request',
  ),
  attempt_rejected: entry(
    409,
    'The sign-in attempt is unknown, has expired or ended, or is not in the state that this step needs.',
    'Start again.',
    'start_again',
  ),
  sign_in_rejected: entry(403, 'The answer of the sign-in provider is not accepted.', 'Start again.', 'start_again'),
  identity_not_registered: entry(
    404,
    'The identity has no account here.',
    'Register with POST /v1/auth/social/register.',
    'start_again',
  ),
  mapping_forbidden: entry(
    403,
    'Another identity registered this account.',
    'Use the identity that registered it. It cannot be replaced.',
    'none',
  ),
  passkey_rejected: entry(
    403,
    'The answer of the passkey is not accepted. Its challenge is used up.',
    'Request a new challenge and try again.',
    'start_again',
  ),
  challenge_rejected: entry(
    409,
    'The challenge is unknown, used, expired, or for another request.',
    'Request a new challenge.',
    'start_again',
  ),
  signature_rejected: entry(
    409,
    'The signature does not approve the request. Its challenge is used up, and nothing was carried out.',
    'Request a new challenge and sign it.',
    'start_again',
  ),
  no_usable_passkey: entry(
    409,
    'The account has no passkey of this site that can approve the request.',
    'Sign in on a site where the account has a passkey. A lost passkey cannot be recovered.',
    'none',
  ),
  setup_key_busy: entry(
    409,
    'Another request is registering a setup key of this account.',
    'Wait for its response, then repeat the request.',
    'retry_later',
  ),
} as const satisfies Record<string, ErrorEntry>;
