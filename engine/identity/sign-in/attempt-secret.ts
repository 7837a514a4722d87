/**
 * The secret of one attempt to sign in with a provider: `opr_<attemptId>_<secret>`. Its client holds it; the venue stores its digest.
 * The values that the provider's answer must match are derived from it, so that none of them is stored either.
 */
import { createHmac, hash, randomBytes } from 'node:crypto';

const ATTEMPT = /^opr_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export interface NewAttemptSecret {
  readonly attemptId: string;
  /** Returned to its client. */
  readonly attempt: string;
  /** SHA-256, in hex. */
  readonly digest: string;
}

/** 64 random bits for the attemptId, 256 for the secret. */
export function createAttemptSecret(): NewAttemptSecret {
  const attemptId = randomBytes(8).toString('hex');
  const attempt = `opr_${attemptId}_${randomBytes(32).toString('base64url')}`;
  return { attemptId, attempt, digest: hash('sha256', attempt) };
}

/** The attemptId of a well-formed secret, `undefined` for anything else. */
export function attemptIdOf(attempt: string): string | undefined {
  return ATTEMPT.exec(attempt)?.[1];
}

/** What binds a provider's answer to the attempt: `state` and `nonce` of OpenID Connect, and the verifier of PKCE (RFC 7636). */
export interface FlowSecrets {
  readonly state: string;
  readonly nonce: string;
  /** Only the provider's token endpoint gets it. */
  readonly codeVerifier: string;
}

export function flowSecretsOf(attempt: string): FlowSecrets {
  const derived = (purpose: string) => createHmac('sha256', attempt).update(purpose).digest('base64url');
  return { state: derived('state'), nonce: derived('nonce'), codeVerifier: derived('code verifier') };
}
