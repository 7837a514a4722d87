/**
 * The setup key: a P-256 key that the owner's browser makes with WebCrypto and keeps without exporting. It signs exactly the bytes
 * of the due challenge. Both encodings are what WebCrypto gives: SPKI for the key, r and s of 32 bytes each for a signature.
 */
import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { SETUP_KEY_PREFIX } from '#contract/signing.ts';
import { decodeBase64url } from './bounded-base64url.ts';
import { isSame } from './client-data.ts';
import type { Fido2Approval } from './passkey.ts';
import { CeremonyRejected, type Judgement, judged, requireThat } from './rejection.ts';

const SETUP_KEY_ID = new RegExp(`^${SETUP_KEY_PREFIX}[A-Za-z0-9_-]{16,64}$`);
/** Of the SPKI of an uncompressed P-256 point (RFC 5480): what precedes the point. */
const SPKI_START = Buffer.from('3059301306072a8648ce3d020106082a8648ce3d03010703420004', 'hex');
const SPKI_BYTES = SPKI_START.length + 64;
const SIGNATURE_BYTES = 64;
const CHALLENGE_BYTES = 32;

export interface SetupKey {
  readonly credentialId: string;
  /** SPKI, in base64url. */
  readonly publicKey: string;
}

export interface SetupKeyRegistration extends SetupKey {
  /** Over the creation challenge, in base64url. */
  readonly signature: string;
}

/** The key, after it proved that it can sign. Never throws. */
export function verifySetupKeyRegistration(
  { credentialId, publicKey, signature }: SetupKeyRegistration,
  challenge: string,
): Promise<Judgement<{ readonly setupKey: SetupKey }>> {
  return judged(() => {
    requireThat(typeof credentialId === 'string' && SETUP_KEY_ID.test(credentialId), 'credential_id_not_allowed');
    checkSignature(publicKey, challenge, signature);
    return { setupKey: { credentialId, publicKey } };
  }, 'malformed');
}

/**
 * Verifies an approval by the setup key. `clientData` is the challenge itself, and `authenticatorData` is empty: no authenticator
 * takes part. Never throws.
 */
export function verifySetupKeyApproval(
  { kind, credentialAssertion }: Fido2Approval,
  challenge: string,
  setupKey: SetupKey,
): Promise<Judgement<{ readonly setupKey: SetupKey }>> {
  return judged(() => {
    const { credId, clientData, signature, authenticatorData } = credentialAssertion;
    requireThat(kind === 'Fido2' && authenticatorData === '', 'malformed');
    requireThat(SETUP_KEY_ID.test(setupKey.credentialId), 'credential_id_not_allowed');
    requireThat(typeof credId === 'string' && credId === setupKey.credentialId, 'credential_mismatch');
    decodeBase64url(clientData, CHALLENGE_BYTES);
    requireThat(isSame(clientData, challenge), 'challenge_mismatch');
    checkSignature(setupKey.publicKey, challenge, signature);
    return { setupKey };
  }, 'malformed');
}

function checkSignature(publicKey: string, challenge: string, signature: string): void {
  const signed = decodeBase64url(challenge, CHALLENGE_BYTES);
  const bytes = decodeBase64url(signature, SIGNATURE_BYTES);
  requireThat(bytes.length === SIGNATURE_BYTES, 'malformed');
  const key = keyOf(decodeBase64url(publicKey, SPKI_BYTES));
  requireThat(verify('sha256', signed, { key, dsaEncoding: 'ieee-p1363' }, bytes), 'signature_invalid');
}

function keyOf(spki: Buffer): KeyObject {
  const isP256 = spki.length === SPKI_BYTES && spki.subarray(0, SPKI_START.length).equals(SPKI_START);
  requireThat(isP256, 'algorithm_not_allowed');
  try {
    return createPublicKey({ key: spki, format: 'der', type: 'spki' });
  } catch {
    // The point is not on the curve.
    throw new CeremonyRejected('algorithm_not_allowed');
  }
}
