/**
 * Identifies the owner of a bearer token. Looks up a key by its id through a port and returns a principal or the reason for its
 * rejection. Only the holder learns that a key was revoked or has expired: without its secret it is unknown.
 */
import type { ApiKeyRejection } from '#contract/error-envelope.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { Scope } from '#venue/command.ts';
import { hasDigest, keyIdOf } from './api-key.ts';

/** A stored API key: its digest, never the key. */
export interface StoredApiKey {
  readonly keyId: string;
  readonly account: AccountOrdinal;
  /** SHA-256 of the whole key, in hex. */
  readonly digest: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly isRevoked: boolean;
  readonly issuedAtEpochMs: EpochMs;
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
}

/** Finds a stored key by its id; `undefined` if there is no such key. */
export type FindApiKey = (keyId: string) => StoredApiKey | undefined;

/** The caller: one account, with the scopes of its key. */
export interface Principal {
  readonly account: AccountOrdinal;
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly issuedAtEpochMs: EpochMs;
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
}

export type Identified = { readonly principal: Principal } | { readonly rejection: ApiKeyRejection };

/** A digest that no key has: an unknown keyId costs the same comparison as a known one. */
const NO_DIGEST = '0'.repeat(64);

const BEARER = /^Bearer +(\S+)$/i;

/** Reads an `Authorization` header. A key is valid until just before it expires. */
export function identify(authorization: string | undefined, findApiKey: FindApiKey, now: EpochMs): Identified {
  const shown = displayKey(authorization);
  if ('rejection' in shown) return shown;
  const { key, keyId } = shown;
  const stored = findApiKey(keyId);
  const isProven = hasDigest(key, stored?.digest ?? NO_DIGEST);
  if (stored === undefined || !isProven) return { rejection: 'unknown' };
  const { account, scopes, label, issuedAtEpochMs, expiresAtEpochMs } = stored;
  // The venue revokes expired keys: their owner gets the earlier reason.
  if (expiresAtEpochMs !== 0 && expiresAtEpochMs <= now) return { rejection: 'expired' };
  if (stored.isRevoked) return { rejection: 'revoked' };
  return { principal: { account, keyId, scopes, label, issuedAtEpochMs, expiresAtEpochMs } };
}

/** The well-formed but unverified key in an `Authorization` header. */
export function displayKey(
  authorization: string | undefined,
): { readonly key: string; readonly keyId: string } | { readonly rejection: 'missing' | 'malformed' } {
  if (authorization === undefined || authorization === '') return { rejection: 'missing' };
  const key = BEARER.exec(authorization)?.[1];
  const keyId = key === undefined ? undefined : keyIdOf(key);
  return key === undefined || keyId === undefined ? { rejection: 'malformed' } : { key, keyId };
}
