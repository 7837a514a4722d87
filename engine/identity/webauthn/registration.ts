/**
 * Verifies the registration of a passkey, and maps it to what the venue stores. The venue requests no attestation; a statement
 * about the authenticator's maker is rejected before the library reads it, because it would fetch addresses in certificates.
 */
import { verifyRegistrationResponse } from '@simplewebauthn/server';
import { decodeAttestationObject, isoCBOR, parseAuthenticatorData } from '@simplewebauthn/server/helpers';
import { CEREMONY_BYTES, SETUP_KEY_PREFIX } from '#contract/signing.ts';
import { checkAuthenticatorData } from './authenticator-data.ts';
import { decodeBase64url } from './bounded-base64url.ts';
import { checkClientData, isSame } from './client-data.ts';
import type { Passkey } from './passkey.ts';
import { ALLOWED_ALGORITHMS, checkPublicKey } from './public-key.ts';
import { CeremonyRejected, type Judgement, judged, requireThat } from './rejection.ts';
import type { RelyingParty } from './relying-party.ts';

/** In authenticator data: after the fixed start (37 bytes), the AAGUID (16) and the length of the id (2). */
const ID_START = 55;

export interface RegistrationRequest {
  /** All fields are base64url. */
  readonly registration: {
    readonly credId: string;
    readonly clientData: string;
    readonly attestationObject: string;
  };
  /** The consumed challenge, in base64url. */
  readonly challenge: string;
  readonly relyingParty: RelyingParty;
}

/** Never throws. The caller rejects a credential id that is already registered. */
export function verifyRegistration(request: RegistrationRequest): Promise<Judgement<{ readonly passkey: Passkey }>> {
  return judged(async () => ({ passkey: await verify(request) }), 'malformed');
}

async function verify({ registration, challenge, relyingParty }: RegistrationRequest): Promise<Passkey> {
  const { credId, clientData, attestationObject } = registration;
  requireThat(decodeBase64url(credId, CEREMONY_BYTES.credentialId).length > 0, 'malformed');
  requireThat(!credId.startsWith(SETUP_KEY_PREFIX), 'credential_id_not_allowed');
  const clientDataBytes = decodeBase64url(clientData, CEREMONY_BYTES.clientData);
  const attestationBytes = decodeBase64url(attestationObject, CEREMONY_BYTES.attestationObject);
  checkClientData(clientDataBytes, { type: 'webauthn.create', challenge, relyingParty });
  const { credentialId, publicKey } = credentialIn(attestationBytes, relyingParty);
  requireThat(isSame(credentialId, credId), 'credential_mismatch');
  const algorithm = checkPublicKey(publicKey);
  const { verified, registrationInfo } = await verifyRegistrationResponse({
    response: {
      id: credId,
      rawId: credId,
      type: 'public-key',
      response: { clientDataJSON: clientData, attestationObject },
      clientExtensionResults: {},
    },
    expectedChallenge: (signed) => isSame(signed, challenge),
    expectedOrigin: [...relyingParty.origins],
    expectedRPID: relyingParty.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: [...ALLOWED_ALGORITHMS],
  });
  if (!verified) throw new CeremonyRejected('signature_invalid');
  return {
    credentialId,
    publicKey: Buffer.from(publicKey).toString('base64url'),
    algorithm,
    signatureCount: registrationInfo.credential.counter,
    relyingPartyId: relyingParty.id,
  };
}

/** Throws `CeremonyRejected` unless the authenticator data is right and its only proof is the new key itself, or none. */
function credentialIn(
  attestationObject: Buffer,
  relyingParty: RelyingParty,
): { readonly credentialId: string; readonly publicKey: Uint8Array<ArrayBuffer> } {
  const decoded = decodeAttestationObject(new Uint8Array(attestationObject));
  // The decoder accepts bytes after the object, and contents that are shorter than their declared length.
  requireThat(attestationObject.equals(isoCBOR.encode(decoded as never)), 'malformed');
  const format = decoded.get('fmt');
  const statement = decoded.get('attStmt');
  const isSelfSigned = format === 'packed' && !(statement as Map<string, unknown>).has('x5c');
  requireThat(format === 'none' || isSelfSigned, 'attestation_not_allowed');
  const data = decoded.get('authData');
  checkAuthenticatorData(Buffer.from(data), relyingParty, 'registration');
  const { credentialID, credentialPublicKey } = parseAuthenticatorData(data);
  if (credentialID === undefined || credentialPublicKey === undefined) throw new CeremonyRejected('malformed');
  // Likewise in the key, which follows the id.
  const keyStart = ID_START + credentialID.length;
  const keyBytes = Buffer.from(data).subarray(keyStart, keyStart + credentialPublicKey.length);
  requireThat(keyBytes.equals(credentialPublicKey), 'malformed');
  return { credentialId: Buffer.from(credentialID).toString('base64url'), publicKey: credentialPublicKey };
}
