/** Refusals of owners: their registration, passkeys, setup, party and consent. */
import { type ErrorEntry, entry } from './error-entry.ts';

export const OWNER_ERRORS = {
  registration_invalid: entry(
    400,
    'The registration has an invalid provider, label or referral code.',
    'Send a label of at most 200 characters, and a referral code of at most 64.',
    'fix_request',
  ),
  identity_registered: entry(
    409,
    'The identity has registered an account already.',
    'Sign in to that account with its passkey.',
    'none',
  ),
  owner_not_found: entry(
    404,
    'The account was opened by the operator and has no owner.',
    'Use the account of a registered owner.',
    'use_own_account',
  ),
  passkey_invalid: entry(
    400,
    'The passkey has an invalid credential id, public key, counter, name or origin.',
    'Create a new passkey with a name of at most 200 characters.',
    'fix_request',
  ),
  passkey_exists: entry(
    409,
    'The passkey was registered before. A removed passkey cannot be registered again.',
    'Create a new passkey.',
    'fix_request',
  ),
  passkey_not_found: entry(404, 'The account has no such passkey.', 'Check the passkeyId.', 'fix_request'),
  passkey_counter_invalid: entry(
    409,
    "The authenticator's counter is not above that of its last use: the passkey may have been copied.",
    'Use another passkey, and remove this one if it was copied.',
    'none',
  ),
  last_passkey: entry(
    409,
    'The account has no other passkey, and a lost passkey cannot be recovered.',
    'Add another passkey, then remove this one.',
    'none',
  ),
  too_many_passkeys: entry(409, 'The account has the maximum number of passkeys.', 'Remove some of them.', 'none'),
  setup_key_active: entry(
    409,
    'The account has an active setup key.',
    'Use that setup key, or remove it and create a new one.',
    'none',
  ),
  setup_complete: entry(409, 'The setup of the account is complete.', 'Approve with a passkey instead of a setup key.', 'none'),
  setup_unavailable: entry(
    409,
    'The consent of the party was revoked, or the ledger lacks the package that it needs.',
    'Approve the next consent with a passkey.',
    'none',
  ),
  ledger_reference_invalid: entry(
    400,
    'An id or a key of the external ledger is empty or has more than 255 characters.',
    'Send the id as the ledger gave it.',
    'fix_request',
  ),
  party_state_conflict: entry(
    409,
    'The party of the account is not in the state that this step needs.',
    'Read the party to see which step is due.',
    'complete_party_binding',
  ),
  party_exists: entry(409, 'The party belongs to another account.', 'Allocate another party.', 'none'),
  wallet_exists: entry(409, 'The account has a signing wallet already.', 'Use that signing wallet.', 'none'),
  consent_state_conflict: entry(
    409,
    'The consent of the party is not in the state that this step needs, or is another one.',
    'Read the consent to see which step is due.',
    'none',
  ),
} as const satisfies Record<string, ErrorEntry>;
