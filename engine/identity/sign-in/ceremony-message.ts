/** Why the answer of a passkey or setup key was not accepted, in words for its owner. */
import type { CeremonyRejection } from '#identity/webauthn/rejection.ts';

const NOT_VALID = 'it is not registered here, or its signature is not valid';

const REASONS: Readonly<Record<CeremonyRejection, string>> = {
  malformed: 'a field is not what an authenticator sends',
  oversized: 'a field is larger than any authenticator makes it',
  credential_mismatch: NOT_VALID,
  credential_id_not_allowed: 'its credential id is not one that it may have',
  type_mismatch: 'it answers another kind of ceremony',
  challenge_mismatch: 'it answers another challenge',
  origin_mismatch: 'it was made for a page at another origin',
  cross_origin: 'it was made in a frame of another origin',
  relying_party_mismatch: 'it belongs to another site',
  user_not_present: 'the authenticator saw no user',
  user_not_verified: 'the authenticator did not verify its user by PIN or biometrics',
  counter_not_increased: 'its signature counter has not increased, so that it may be a copy',
  algorithm_not_allowed: 'its key has an algorithm or form that the venue does not accept',
  attestation_not_allowed: "it has a statement about the authenticator's maker, and the venue requests none",
  signature_invalid: NOT_VALID,
};

/** One sentence about the answer, and what to do. */
export function ceremonyMessage(rejection: CeremonyRejection): string {
  return `The answer of the passkey is not accepted: ${REASONS[rejection]}. Request a new challenge and try again.`;
}

/** Does not reveal whether the credential exists. */
export const UNKNOWN_CREDENTIAL_MESSAGE = ceremonyMessage('signature_invalid');
