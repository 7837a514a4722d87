/**
 * A second verifier of registrations, written from WebAuthn Level 2, section 7.1, and RFC 8949, with node:crypto. It shares no code
 * with the venue's, and knows only attestation `none` and keys of the three allowed algorithms.
 */
import { createHash, createPublicKey } from 'node:crypto';
import type { RegistrationRequest } from '#identity/webauthn/registration.ts';

export interface NaiveSite {
  readonly challenge: string;
  readonly origins: readonly string[];
  readonly rpId: string;
}

/** The credential's id and counter, or `null` if the registration is rejected. */
export function naivelyRegistered(
  sent: RegistrationRequest['registration'],
  { challenge, origins, rpId }: NaiveSite,
): { readonly id: string; readonly counter: number } | null {
  try {
    const C = JSON.parse(strict(sent.clientData).toString('utf8'));
    // Steps 7 to 9, and the venue's own rule about frames of other sites.
    demand(C.type === 'webauthn.create' && C.challenge === challenge && origins.includes(C.origin));
    demand((C.crossOrigin ?? false) === false && !('topOrigin' in C));
    // Steps 12 to 15.
    const [object, end] = item(strict(sent.attestationObject), 0);
    demand(end === strict(sent.attestationObject).length && object instanceof Map && object.size === 3);
    const { fmt, attStmt, authData } = Object.fromEntries(object as Map<string, unknown>) as Record<string, unknown>;
    demand(fmt === 'none' && attStmt instanceof Map && attStmt.size === 0 && authData instanceof Buffer);
    const data = authData as Buffer;
    demand(data.subarray(0, 32).equals(createHash('sha256').update(rpId).digest()));
    const flags = data.readUInt8(32);
    demand((flags & 0b1) > 0 && (flags & 0b100) > 0 && (flags & 0b100_0000) > 0 && (flags & 0b1_1000) !== 0b1_0000);
    // Section 6.5.1: AAGUID, length, id, COSE key; then extensions if there are any.
    const idEnd = 55 + data.readUInt16BE(53);
    const id = data.subarray(55, idEnd);
    demand(id.length === idEnd - 55 && id.length > 0 && id.equals(strict(sent.credId)));
    const [key, keyEnd] = item(data, idEnd);
    const hasExtensions = (flags & 0b1000_0000) > 0;
    demand((hasExtensions ? item(data, keyEnd)[1] : keyEnd) === data.length);
    checkKey(key as Map<unknown, unknown>);
    return { id: id.toString('base64url'), counter: data.readUInt32BE(33) };
  } catch {
    return null;
  }
}

/** Step 16, and RFC 9053: throws for any other key, also for a point that is not on the curve. */
function checkKey(key: Map<unknown, unknown>): void {
  const text = (label: number) => (key.get(label) as Buffer).toString('base64url');
  const kind = [key.get(1), key.get(3)].join(' ');
  if (kind === '2 -7') {
    demand(key.get(-1) === 1);
    createPublicKey({ key: { kty: 'EC', crv: 'P-256', x: text(-2), y: text(-3) }, format: 'jwk' });
  } else if (kind === '1 -8') {
    demand(key.get(-1) === 6);
    createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: text(-2) }, format: 'jwk' });
  } else {
    // The venue's own rule: exponents of at most four bytes.
    demand(kind === '3 -257' && (key.get(-2) as Buffer).length <= 4);
    const made = createPublicKey({ key: { kty: 'RSA', n: text(-1), e: text(-2) }, format: 'jwk' });
    const { modulusLength = 0 } = made.asymmetricKeyDetails!;
    demand(modulusLength >= 2_048 && modulusLength <= 4_096);
  }
}

/** One data item and where it ends. */
function item(bytes: Buffer, start: number): [value: unknown, end: number] {
  const type = bytes.readUInt8(start) >> 5;
  const short = bytes.readUInt8(start) & 31;
  demand(short <= 25);
  const size = Math.max(0, short - 23);
  const argument = size === 0 ? short : bytes.readUIntBE(start + 1, size);
  let at = start + 1 + size;
  if (type === 0) return [argument, at];
  if (type === 1) return [-1 - argument, at];
  if (type === 2 || type === 3) {
    demand(at + argument <= bytes.length);
    const content = bytes.subarray(at, at + argument);
    return [type === 2 ? content : content.toString('utf8'), at + argument];
  }
  demand(type === 5);
  const map = new Map<unknown, unknown>();
  for (let count = 0; count < argument; count += 1) {
    const [key, afterKey] = item(bytes, at);
    const [value, afterValue] = item(bytes, afterKey);
    map.set(key, value);
    at = afterValue;
  }
  return [map, at];
}

function strict(text: string): Buffer {
  const bytes = Buffer.from(text, 'base64url');
  demand(bytes.toString('base64url') === text);
  return bytes;
}

function demand(isMet: boolean): void {
  if (!isMet) throw new Error('rejected');
}
