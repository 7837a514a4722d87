/** Base64url fields of a ceremony, decoded strictly: one text per value, and its size is checked before anything is decoded. */
import { requireThat } from './rejection.ts';

/** No padding, no other alphabet, no unused bits set. Throws `CeremonyRejected`. */
export function decodeBase64url(text: unknown, maxBytes: number): Buffer {
  requireThat(typeof text === 'string', 'malformed');
  const encoded = text as string;
  requireThat(encoded.length <= Math.ceil((maxBytes * 4) / 3), 'oversized');
  const bytes = Buffer.from(encoded, 'base64url');
  requireThat(bytes.toString('base64url') === encoded, 'malformed');
  return bytes;
}
