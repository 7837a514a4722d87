/**
 * A second verifier of assertions, written from WebAuthn Level 2, section 7.2, step by step, with node:crypto. It shares no code
 * with the venue's, and says only yes or no.
 */
import { createHash, type KeyObject, verify } from 'node:crypto';
import type { Fido2Approval } from '#identity/webauthn/passkey.ts';

export interface NaiveExpectation {
  readonly credentialId: Buffer;
  readonly publicKey: KeyObject;
  readonly challenge: string;
  readonly origins: readonly string[];
  readonly rpId: string;
  readonly storedCount: number;
}

export function naivelyAccepts({ credentialAssertion }: Fido2Approval, expected: NaiveExpectation): boolean {
  const [id, cData, sig, aData] = [
    credentialAssertion.credId,
    credentialAssertion.clientData,
    credentialAssertion.signature,
    credentialAssertion.authenticatorData,
  ].map(bytesOf);
  if (id === null || cData === null || sig === null || aData === null) return false;
  if (id === undefined || cData === undefined || sig === undefined || aData === undefined) return false;
  // Steps 6 and 7: the credential is the user's.
  if (!id.equals(expected.credentialId)) return false;
  // Steps 9 and 10.
  let C: Record<string, unknown>;
  try {
    C = JSON.parse(cData.toString('utf8'));
  } catch {
    return false;
  }
  if (C === null || typeof C !== 'object') return false;
  // Steps 11 to 13, and the venue's own rule about frames of other sites.
  if (C.type !== 'webauthn.get' || C.challenge !== expected.challenge) return false;
  if (!expected.origins.some((origin) => origin === C.origin)) return false;
  if ((C.crossOrigin ?? false) !== false || 'topOrigin' in C) return false;
  // Step 15: of 37 bytes, or more if the flags say so. The venue requests no extension.
  if (aData.length < 37) return false;
  const rpIdHash = createHash('sha256').update(expected.rpId).digest();
  if (Buffer.compare(aData.subarray(0, 32), rpIdHash) !== 0) return false;
  const flags = aData.readUInt8(32);
  // Steps 16 and 17: UP, UV.
  if (flags % 2 === 0 || Math.floor(flags / 4) % 2 === 0) return false;
  // No attested credential in an assertion; nothing follows without the extension flag; no backup of what cannot be backed up.
  if ((flags & 0b0100_0000) > 0) return false;
  if ((flags & 0b1000_0000) > 0 !== aData.length > 37) return false;
  if ((flags & 0b0001_1000) === 0b0001_0000) return false;
  // Steps 19 and 20.
  const signed = Buffer.concat([aData, createHash('sha256').update(cData).digest()]);
  const algorithm = expected.publicKey.asymmetricKeyType === 'ed25519' ? null : 'sha256';
  if (!verify(algorithm, signed, expected.publicKey, sig)) return false;
  // Step 21.
  const signCount = aData.readUInt32BE(33);
  return (signCount === 0 && expected.storedCount === 0) || signCount > expected.storedCount;
}

/** `null` for text that is not canonical base64url. */
function bytesOf(text: string): Buffer | null {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return null;
  const bytes = Buffer.from(text, 'base64url');
  return bytes.toString('base64url') === text ? bytes : null;
}
