/**
 * Verifies that a passkey signed a challenge. Our own checks give each rejection its reason and are stricter than the library
 * where a comment says so; the library repeats them and verifies the signature.
 */
import { verifyAuthenticationResponse } from '@simplewebauthn/server';
import { CEREMONY_BYTES } from '#contract/signing.ts';
import { checkAuthenticatorData } from './authenticator-data.ts';
import { decodeBase64url } from './bounded-base64url.ts';
import { checkClientData, isSame } from './client-data.ts';
import type { Fido2Approval, Passkey } from './passkey.ts';
import { checkPublicKey, ES256 } from './public-key.ts';
import { type Judgement, judged, requireThat } from './rejection.ts';
import type { RelyingParty } from './relying-party.ts';
import { isDerSignature } from './signature-form.ts';

export interface AssertionRequest {
  readonly approval: Fido2Approval;
  /** The consumed challenge, in base64url. */
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
  /** The public key itself names its algorithm. */
  readonly passkey: Omit<Passkey, 'algorithm'>;
}

/** The passkey's signature counter after the assertion: the caller stores it. Never throws. */
export function verifyAssertion(request: AssertionRequest): Promise<Judgement<{ readonly signatureCount: number }>> {
  return judged(() => verify(request), 'malformed');
}

async function verify({ approval, challenge, relyingParty, passkey }: AssertionRequest): Promise<{ signatureCount: number }> {
  const { credId, clientData, signature, authenticatorData } = approval.credentialAssertion;
  const decoded = {
    credId: decodeBase64url(credId, CEREMONY_BYTES.credentialId),
    clientData: decodeBase64url(clientData, CEREMONY_BYTES.clientData),
    signature: decodeBase64url(signature, CEREMONY_BYTES.signature),
    authenticatorData: decodeBase64url(authenticatorData, CEREMONY_BYTES.authenticatorData),
  };
  requireThat(approval.kind === 'Fido2', 'malformed');
  requireThat(isSame(credId, passkey.credentialId), 'credential_mismatch');
  requireThat(passkey.relyingPartyId === relyingParty.id, 'relying_party_mismatch');
  checkClientData(decoded.clientData, { type: 'webauthn.get', challenge, relyingParty });
  const signatureCount = checkAuthenticatorData(decoded.authenticatorData, relyingParty, 'assertion');
  // An authenticator without a counter always sends 0.
  const hasNoCounter = signatureCount === 0 && passkey.signatureCount === 0;
  requireThat(hasNoCounter || signatureCount > passkey.signatureCount, 'counter_not_increased');
  const publicKey = new Uint8Array(Buffer.from(passkey.publicKey, 'base64url'));
  requireThat(checkPublicKey(publicKey) !== ES256 || isDerSignature(decoded.signature), 'signature_invalid');
  const isVerified = await hasValidSignature({ approval, challenge, relyingParty, passkey }, publicKey);
  requireThat(isVerified, 'signature_invalid');
  return { signatureCount };
}

/** Throws if extensions after the fixed authenticator data are malformed. */
async function hasValidSignature(
  { approval, challenge, relyingParty, passkey }: AssertionRequest,
  publicKey: Uint8Array<ArrayBuffer>,
): Promise<boolean> {
  const { credId, clientData, signature, authenticatorData } = approval.credentialAssertion;
  const { verified } = await verifyAuthenticationResponse({
    response: {
      id: credId,
      rawId: credId,
      type: 'public-key',
      response: { clientDataJSON: clientData, authenticatorData, signature },
      clientExtensionResults: {},
    },
    expectedChallenge: (signed) => isSame(signed, challenge),
    expectedOrigin: [...relyingParty.origins],
    expectedRPID: relyingParty.id,
    credential: { id: credId, publicKey, counter: passkey.signatureCount },
    requireUserVerification: true,
  });
  return verified;
}
