/**
 * Identifies the holder of a bearer, an API key or an owner's session. Looks it up through a port and returns a principal or the
 * reason for its rejection. Only the holder learns that it was revoked or has expired: without its secret it is unknown.
 */
import type { ApiKeyRejection } from '#contract/error-envelope.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { SCOPES, type Scope } from '#venue/command.ts';
import { hasDigest, keyIdOf } from './api-key.ts';
import { sessionIdOf } from './session-bearer.ts';
import { isOfOwner, type SessionOwners } from './session-owner.ts';
import type { Session, Sessions } from './sessions.ts';

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

/** The caller: one account, with the scopes of its key. A session has all scopes. */
export interface Principal {
  readonly account: AccountOrdinal;
  /** Of a session, {@link holderIdOf} it. Not a secret. */
  readonly keyId: string;
  readonly scopes: readonly Scope[];
  readonly label: string;
  readonly issuedAtEpochMs: EpochMs;
  /** 0 for never. */
  readonly expiresAtEpochMs: EpochMs;
  /** If the bearer is a session instead of an API key. */
  readonly session?: Session;
}

/** What identification reads. */
export interface BearerPorts {
  readonly findApiKey: FindApiKey;
  readonly sessions: Pick<Sessions, 'identify'>;
  /** A session ends with its passkey, and with an account that becomes legacy. */
  readonly owners: SessionOwners;
}

export type Identification = { readonly principal: Principal } | { readonly rejection: ApiKeyRejection };

/** A digest that no key has: an unknown keyId costs the same comparison as a known one. */
const NO_DIGEST = '0'.repeat(64);

const BEARER = /^Bearer +(\S+)$/i;

/** Looks a session up, or rejects without doing so. */
export type GuardSession = (bearer: string, lookUp: () => Promise<Identification>) => Promise<Identification>;

/**
 * Reads an `Authorization` header. Synchronous for an API key. Rejects if the guard refuses the lookup of a session, or if it cannot be
 * made now.
 */
export function identify(
  authorization: string | undefined,
  ports: BearerPorts,
  now: EpochMs,
  guard: GuardSession = (_, lookUp) => lookUp(),
): Identification | Promise<Identification> {
  const shown = displayBearer(authorization);
  if ('rejection' in shown) return shown;
  const { bearer } = shown;
  return 'keyId' in shown ? identifyKey(bearer, ports.findApiKey, now) : guard(bearer, () => identifySession(bearer, ports));
}

/** A key is valid until just before it expires. */
export function identifyKey(key: string, findApiKey: FindApiKey, now: EpochMs): Identification {
  const keyId = keyIdOf(key);
  if (keyId === undefined) return { rejection: 'malformed' };
  const stored = findApiKey(keyId);
  const isProven = hasDigest(key, stored?.digest ?? NO_DIGEST);
  if (stored === undefined || !isProven) return { rejection: 'unknown' };
  const { account, scopes, label, issuedAtEpochMs, expiresAtEpochMs } = stored;
  // The venue revokes expired keys: their owner gets the earlier reason.
  if (expiresAtEpochMs !== 0 && expiresAtEpochMs <= now) return { rejection: 'expired' };
  if (stored.isRevoked) return { rejection: 'revoked' };
  return { principal: { account, keyId, scopes, label, issuedAtEpochMs, expiresAtEpochMs } };
}

async function identifySession(bearer: string, { sessions, owners }: BearerPorts): Promise<Identification> {
  const identified = await sessions.identify(bearer);
  if ('rejection' in identified) return identified;
  const { session } = identified;
  if (!isOfOwner(session, owners)) return { rejection: 'revoked' };
  const { account, sessionId, createdAtEpochMs: issuedAtEpochMs, expiresAtEpochMs } = session;
  return {
    principal: { account, keyId: holderIdOf(sessionId), scopes: SCOPES, label: '', issuedAtEpochMs, expiresAtEpochMs, session },
  };
}

const HOLDER = /^session-([0-9a-f]{16})$/;

/** Names a session where a keyId names an API key: in rate limits, tickets and logs. No keyId has this form. */
export function holderIdOf(sessionId: string): string {
  return `session-${sessionId}`;
}

/** The sessionId that {@link holderIdOf} has named; `undefined` for an API key. */
export function sessionOfHolder(holderId: string): string | undefined {
  return HOLDER.exec(holderId)?.[1];
}

export type ShownBearer =
  | { readonly bearer: string; readonly keyId: string }
  | { readonly bearer: string; readonly sessionId: string }
  | { readonly rejection: 'missing' | 'malformed' };

/** The well-formed but unverified bearer in an `Authorization` header. */
export function displayBearer(authorization: string | undefined): ShownBearer {
  if (authorization === undefined || authorization === '') return { rejection: 'missing' };
  const bearer = BEARER.exec(authorization)?.[1];
  if (bearer === undefined) return { rejection: 'malformed' };
  const keyId = keyIdOf(bearer);
  if (keyId !== undefined) return { bearer, keyId };
  const sessionId = sessionIdOf(bearer);
  return sessionId === undefined ? { rejection: 'malformed' } : { bearer, sessionId };
}
