/**
 * The identity of an owner: a digest of who signed in where. The venue stores only this digest, and no name, address or subject.
 * An authenticator gets a handle of it, under which it groups the passkeys of one owner.
 */
import { hash } from 'node:crypto';

/** SHA-256, in hex. Each part is a JSON string, so no two triples have the same text. */
export function identityDigestOf(provider: string, issuer: string, subject: string): string {
  return hash('sha256', JSON.stringify([provider, issuer, subject]));
}

/** WebAuthn Level 2, section 5.4.3: 32 bytes without personal data, in base64url. */
export function userHandleOf(identityDigest: string): string {
  return hash('sha256', `openperp user handle ${identityDigest}`, 'buffer').toString('base64url');
}
