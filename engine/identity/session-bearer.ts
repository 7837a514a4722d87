/**
 * The bearer of an owner's session: `ops_<sessionId>_<secret>`. Its prefix distinguishes it from an API key, the sessionId finds
 * the session, the secret proves it. It is shown once; only the SHA-256 digest of the whole is stored.
 */
import { hash, randomBytes } from 'node:crypto';

const SESSION_BEARER = /^ops_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export interface NewSessionBearer {
  readonly sessionId: string;
  /** Shown to its owner once. */
  readonly bearer: string;
  /** In hex. */
  readonly digest: string;
}

/** 64 random bits for the sessionId, 256 for the secret. */
export function createSessionBearer(): NewSessionBearer {
  const sessionId = randomBytes(8).toString('hex');
  const bearer = `ops_${sessionId}_${randomBytes(32).toString('base64url')}`;
  return { sessionId, bearer, digest: hash('sha256', bearer) };
}

/** The sessionId of a well-formed bearer, `undefined` for anything else. */
export function sessionIdOf(bearer: string): string | undefined {
  return SESSION_BEARER.exec(bearer)?.[1];
}
