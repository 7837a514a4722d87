/**
 * API keys: `opk_<keyId>_<secret>`. People and scanners recognise the prefix, the keyId finds the key, the secret proves it. A
 * key is shown once, when it is made; the venue stores the SHA-256 digest of the whole key.
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';

const API_KEY = /^opk_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export interface NewApiKey {
  readonly keyId: string;
  /** The key itself: shown to its owner once. */
  readonly key: string;
  /** The digest for `IssueApiKey`, in hex. */
  readonly digest: string;
}

/** A new key: 64 random bits for the keyId, 256 for the secret. */
export function createApiKey(): NewApiKey {
  const keyId = randomBytes(8).toString('hex');
  const key = `opk_${keyId}_${randomBytes(32).toString('base64url')}`;
  return { keyId, key, digest: digestOf(key).toString('hex') };
}

/** The keyId of a well-formed key, `undefined` for anything else. */
export function keyIdOf(key: string): string | undefined {
  return API_KEY.exec(key)?.[1];
}

/** Whether a key has this digest, in constant time. */
export function hasDigest(key: string, digest: string): boolean {
  const expected = Buffer.from(digest, 'hex');
  const actual = digestOf(key);
  return expected.length === actual.length && timingSafeEqual(actual, expected);
}

function digestOf(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}
