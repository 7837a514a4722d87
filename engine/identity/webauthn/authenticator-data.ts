/**
 * The fixed start of authenticator data, WebAuthn Level 2, section 6.1: SHA-256 of the relying party's id (32 bytes), flags (1),
 * signature counter (4, big-endian). The library parses what follows.
 */
import { hash } from 'node:crypto';
import { isSame } from './client-data.ts';
import { requireThat } from './rejection.ts';
import type { RelyingParty } from './relying-party.ts';

const FIXED_BYTES = 37;
const USER_PRESENT = 0x01;
const USER_VERIFIED = 0x04;
const ATTESTED_CREDENTIAL = 0x40;

/** Throws `CeremonyRejected`. Returns the signature counter. */
export function checkAuthenticatorData(
  bytes: Buffer,
  relyingParty: RelyingParty,
  ceremony: 'assertion' | 'registration',
): number {
  requireThat(bytes.length >= FIXED_BYTES, 'malformed');
  const flags = bytes[32]!;
  requireThat(isSame(bytes.subarray(0, 32), hash('sha256', relyingParty.id, 'buffer')), 'relying_party_mismatch');
  requireThat((flags & USER_PRESENT) !== 0, 'user_not_present');
  requireThat((flags & USER_VERIFIED) !== 0, 'user_not_verified');
  const hasCredential = (flags & ATTESTED_CREDENTIAL) !== 0;
  requireThat(hasCredential === (ceremony === 'registration'), 'malformed');
  return bytes.readUInt32BE(33);
}
