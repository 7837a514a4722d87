/** Base64url fields of a ceremony, decoded strictly: one text per value, and its size is checked before anything is decoded. */
import { requireThat } from './rejection.ts';

/** In bytes. Real ceremonies need less than a quarter of each. */
export const MAX_BYTES = {
  clientData: 4_096,
  authenticatorData: 2_048,
  signature: 1_024,
  attestationObject: 16_384,
  /** WebAuthn Level 2, section 7.1 */
  credentialId: 1_023,
} as const;

/** No padding, no other alphabet, no unused bits set. Throws `CeremonyRejected`. */
export function decodeBase64url(text: unknown, maxBytes: number): Buffer {
  requireThat(typeof text === 'string', 'malformed');
  const encoded = text as string;
  requireThat(encoded.length <= Math.ceil((maxBytes * 4) / 3), 'oversized');
  const bytes = Buffer.from(encoded, 'base64url');
  requireThat(bytes.toString('base64url') === encoded, 'malformed');
  return bytes;
}
