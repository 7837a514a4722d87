/**
 * Signatures of an owner (2.9): the challenge that the venue sends, and the approval that a passkey or the setup key answers it with.
 * Every operation that needs a signature uses these two shapes.
 */
import * as z from 'zod';
import { boundedText, idInput } from './fields.ts';

/** The maximum size of each part of a ceremony, in bytes. Real ceremonies need less than a quarter of each. */
export const CEREMONY_BYTES = {
  clientData: 4_096,
  authenticatorData: 2_048,
  signature: 1_024,
  attestationObject: 16_384,
  /** WebAuthn Level 2, section 7.1 */
  credentialId: 1_023,
} as const;

/** The credential id of every setup key starts like this, and that of no passkey. */
export const SETUP_KEY_PREFIX = 'venue-setup-key-';

/** Without padding. It may be empty: a setup key has no authenticator data. */
export function base64urlInput(maxBytes: number) {
  return boundedText(Math.ceil((maxBytes * 4) / 3)).regex(/^[A-Za-z0-9_-]*$/, 'must be base64url without padding');
}

const credentialDescriptor = z
  .strictObject({ type: z.literal('public-key'), id: z.string().meta({ description: 'The credential id, in base64url.' }) })
  .meta({ id: 'CredentialDescriptor' });

export const signingChallenge = z
  .strictObject({
    challenge: z.string().meta({ description: 'The bytes to sign, in base64url. They approve exactly one prepared command.' }),
    challengeIdentifier: z
      .string()
      .meta({ description: 'Sent back with the approval. It is valid once, also if the approval is refused.' }),
    allowCredentials: z.strictObject({
      key: z.array(credentialDescriptor).meta({ description: 'The setup key, if it may sign this challenge.' }),
      webauthn: z
        .array(credentialDescriptor)
        .meta({ description: 'The passkeys that may sign this challenge. Empty at sign-in: the authenticator offers its own.' }),
    }),
    userVerification: z.literal('required'),
  })
  .meta({ id: 'SigningChallenge', description: 'A challenge for a passkey or the setup key of the owner.' });
export type SigningChallenge = z.infer<typeof signingChallenge>;

const credentialAssertion = z
  .strictObject({
    credId: base64urlInput(CEREMONY_BYTES.credentialId),
    clientData: base64urlInput(CEREMONY_BYTES.clientData),
    signature: base64urlInput(CEREMONY_BYTES.signature),
    authenticatorData: base64urlInput(CEREMONY_BYTES.authenticatorData),
  })
  .meta({
    id: 'CredentialAssertion',
    description:
      'The response of the authenticator: each field is base64url. The setup key sends the challenge itself as clientData, and an empty ' +
      'authenticatorData.',
  });

export const fido2Approval = z
  .strictObject({ kind: z.literal('Fido2'), credentialAssertion })
  .meta({ id: 'Fido2Approval', description: 'The signature of a challenge.' });

/** The fields with which a request approves what it was sent a challenge for. */
export const approvalFields = { challengeIdentifier: idInput, firstFactor: fido2Approval };

export const signingApproval = z
  .strictObject(approvalFields)
  .meta({ id: 'SigningApproval', description: 'The approval of a challenge.' });
export type SigningApproval = z.output<typeof signingApproval>;
