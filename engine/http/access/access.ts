/**
 * Authorization. The bearer, an API key or a session, is checked before a body is read, so that an unauthenticated request costs
 * nothing more. An account in a path or body must be the bearer's own; for any other the response is 403, whether it exists or not.
 */
import type { IncomingMessage } from 'node:http';
import type { ApiKeyRejection } from '#contract/error-envelope.ts';
import { type Access, scopesFor } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import type { BearerPorts, GuardSession, Identification, Principal } from '#identity/directory.ts';
import { displayBearer, identify } from '#identity/directory.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

const REJECTION_MESSAGES: Record<ApiKeyRejection, string> = {
  missing: 'This operation needs a bearer: send the header Authorization: Bearer <API key or session>.',
  malformed:
    'The Authorization header is not Bearer followed by an API key or a session as the venue issued it: send Authorization: Bearer <API key or session>.',
  unknown: 'The venue does not know this API key. Check that it is complete and belongs to this venue.',
  revoked: 'This API key was revoked. Use another one.',
  expired: 'This API key has expired. Use another one.',
};
const SESSION_REJECTION_MESSAGES: Record<ApiKeyRejection, string> = {
  ...REJECTION_MESSAGES,
  unknown: 'The venue does not know this session: it is incomplete, belongs to another venue, or ended. Sign in again.',
  revoked: 'This session was ended. Sign in again.',
  expired: 'This session has expired. Sign in again.',
};

const AUTHORIZATION = 'authorization';
const TWICE = 'The request has more than one Authorization header: send one, with one bearer.';

/** The principal of a request's bearer, or the refusal. Rejects if the guard refuses the lookup of a session, or it cannot be made now. */
export type BearerOf = (message: IncomingMessage, guard: GuardSession) => Principal | Refused | Promise<Principal | Refused>;

export function bearerOf(
  { headers, rawHeaders }: IncomingMessage,
  ports: BearerPorts,
  now: EpochMs,
  guard: GuardSession,
): ReturnType<BearerOf> {
  if (isAuthorizedTwice(rawHeaders)) return unauthorized('malformed', TWICE);
  const identified = identify(headers.authorization, ports, now, guard);
  if (!(identified instanceof Promise)) return principalOf(identified, REJECTION_MESSAGES);
  return identified.then((later) => principalOf(later, SESSION_REJECTION_MESSAGES));
}

function principalOf(identified: Identification, messages: Record<ApiKeyRejection, string>): Principal | Refused {
  return 'principal' in identified ? identified.principal : unauthorized(identified.rejection, messages[identified.rejection]);
}

/**
 * For a process that does not know the bearers. Throws {@link Refused} `unauthorized` if the bearer is malformed, missing or
 * ambiguous.
 */
export function demandBearer({ headers, rawHeaders }: IncomingMessage): void {
  if (isAuthorizedTwice(rawHeaders)) throw unauthorized('malformed', TWICE);
  const shown = displayBearer(headers.authorization);
  if ('rejection' in shown) throw unauthorized(shown.rejection);
}

/** Of several such headers Node shows the first, and a proxy in front of the venue may have used another. */
function isAuthorizedTwice(rawHeaders: readonly string[]): boolean {
  let times = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]!;
    if (name.length === AUTHORIZATION.length && name.toLowerCase() === AUTHORIZATION) times += 1;
  }
  return times > 1;
}

function unauthorized(apiKeyRejection: ApiKeyRejection, message = REJECTION_MESSAGES[apiKeyRejection]): Refused {
  const challenge = apiKeyRejection === 'missing' ? 'Bearer realm="openperp"' : 'Bearer realm="openperp", error="invalid_token"';
  return new Refused('unauthorized', message, { apiKeyRejection, headers: { 'www-authenticate': challenge } });
}

/** Throws {@link Refused} `insufficient_scope`, `session_required` or `passkey_required`. */
export function demandAccess(access: Access, principal: Principal): void {
  const { session } = principal;
  if (access === 'session' && session === undefined) throw new Refused('session_required');
  if (access === 'session:passkey' && session?.signIn.by !== 'passkey') throw new Refused('passkey_required');
  const scopes = scopesFor(access);
  if (scopes.length === 0 || hasOneOf(principal, scopes)) return;
  throw new Refused('insufficient_scope', `This operation needs an API key with the scope ${scopes.join(' or ')}.`);
}

/** Whether the bearer may read its account. */
export function mayRead(principal: Principal): boolean {
  return hasOneOf(principal, scopesFor('bearer:read'));
}

function hasOneOf({ scopes }: Principal, sufficient: readonly string[]): boolean {
  return scopes.some((scope) => sufficient.includes(scope));
}

/** Parses an account id that must be the principal's own. Throws {@link Refused} `account_forbidden`. */
export function ownAccount(principal: Principal, accountId: string): AccountOrdinal {
  if (parseAccountId(accountId) === principal.account) return principal.account;
  const bearer = principal.session === undefined ? 'API key' : 'session';
  throw new Refused(
    'account_forbidden',
    `The ${bearer} belongs to ${renderAccountId(principal.account)}: it can use no other account.`,
  );
}
