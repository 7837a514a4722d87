/**
 * Public keys of passkeys: COSE keys of the three allowed algorithms, each on the curve or in the sizes that WebAuthn Level 2,
 * section 5.8.5, prescribes. Stricter than the library, which accepts any key of an allowed algorithm until it is first used.
 */
import { createPublicKey, type JsonWebKey } from 'node:crypto';
import { decodeCredentialPublicKey } from '@simplewebauthn/server/helpers';
import { CeremonyRejected, requireThat } from './rejection.ts';

export const ES256 = -7;
export const EDDSA = -8;
export const RS256 = -257;
export const ALLOWED_ALGORITHMS = [ES256, EDDSA, RS256] as const;
export type Algorithm = (typeof ALLOWED_ALGORITHMS)[number];

/** Labels of a COSE key (RFC 9053, RFC 8230). */
const LABELS = { kty: 1, alg: 3, crv: -1, x: -2, y: -3, n: -1, e: -2 } as const;
/** WebAuthn Level 2, section 6.5.1: a key has no optional parameters. The venue stores it for good. */
const LABEL_COUNTS: Readonly<Record<Algorithm, number>> = { [ES256]: 5, [EDDSA]: 4, [RS256]: 4 };
const MIN_RSA_BYTES = 256;
const MAX_RSA_BYTES = 512;
const MAX_EXPONENT_BYTES = 4;

/** Throws `CeremonyRejected` for any other algorithm, curve, size or label, and for a point that is not on the curve. */
export function checkPublicKey(cose: Uint8Array<ArrayBuffer>): Algorithm {
  const key: ReadonlyMap<number, unknown> = new Map(decodeCredentialPublicKey(cose) as unknown as Map<number, unknown>);
  const algorithm = ALLOWED_ALGORITHMS.find((it) => it === key.get(LABELS.alg));
  if (algorithm === undefined || key.size !== LABEL_COUNTS[algorithm]) throw new CeremonyRejected('algorithm_not_allowed');
  try {
    createPublicKey({ key: WEB_KEYS[algorithm](key), format: 'jwk' });
  } catch {
    throw new CeremonyRejected('algorithm_not_allowed');
  }
  return algorithm;
}

const WEB_KEYS: { readonly [Each in Algorithm]: (key: ReadonlyMap<number, unknown>) => JsonWebKey } = {
  [ES256]: (key) => {
    requireThat(key.get(LABELS.kty) === 2 && key.get(LABELS.crv) === 1, 'algorithm_not_allowed');
    return { kty: 'EC', crv: 'P-256', x: part(key.get(LABELS.x), 32, 32), y: part(key.get(LABELS.y), 32, 32) };
  },
  [EDDSA]: (key) => {
    requireThat(key.get(LABELS.kty) === 1 && key.get(LABELS.crv) === 6, 'algorithm_not_allowed');
    return { kty: 'OKP', crv: 'Ed25519', x: part(key.get(LABELS.x), 32, 32) };
  },
  [RS256]: (key) => {
    requireThat(key.get(LABELS.kty) === 3, 'algorithm_not_allowed');
    const n = part(key.get(LABELS.n), MIN_RSA_BYTES, MAX_RSA_BYTES);
    return { kty: 'RSA', n, e: part(key.get(LABELS.e), 1, MAX_EXPONENT_BYTES) };
  },
};

function part(value: unknown, minBytes: number, maxBytes: number): string {
  requireThat(value instanceof Uint8Array && value.length >= minBytes && value.length <= maxBytes, 'algorithm_not_allowed');
  return Buffer.from(value as Uint8Array).toString('base64url');
}
