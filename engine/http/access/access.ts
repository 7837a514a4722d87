/**
 * Authorization. The bearer is checked before a body is read, so that an unauthenticated request costs nothing more. An account
 * in a path or body must be the key's own; for any other the response is 403, whether it exists or not.
 */
import type { IncomingMessage } from 'node:http';
import type { ApiKeyRejection } from '#contract/error-envelope.ts';
import { type Access, scopesFor } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import type { FindApiKey, Principal } from '#identity/directory.ts';
import { displayKey, identify } from '#identity/directory.ts';
import type { AccountOrdinal } from '#units/ids.ts';
import { parseAccountId, renderAccountId } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';

const REJECTION_MESSAGES: Record<ApiKeyRejection, string> = {
  missing: 'This operation needs an API key: send the header Authorization: Bearer <API key>.',
  malformed:
    'The Authorization header is not Bearer followed by an API key as the venue issued it: send Authorization: Bearer <API key>.',
  unknown: 'The venue does not know this API key. Check that it is complete and belongs to this venue.',
  revoked: 'This API key was revoked. Use another one.',
  expired: 'This API key has expired. Use another one.',
};

const AUTHORIZATION = 'authorization';
const TWICE = 'The request has more than one Authorization header: send one, with one API key.';

/** The principal of a request's bearer, or the refusal. */
export function bearerOf({ headers, rawHeaders }: IncomingMessage, findApiKey: FindApiKey, now: EpochMs): Principal | Refused {
  if (isAuthorizedTwice(rawHeaders)) return unauthorized('malformed', TWICE);
  const identified = identify(headers.authorization, findApiKey, now);
  return 'principal' in identified ? identified.principal : unauthorized(identified.rejection);
}

/**
 * For a process that does not know the keys. Throws {@link Refused} `unauthorized` if the bearer is malformed, missing or
 * ambiguous.
 */
export function demandBearer({ headers, rawHeaders }: IncomingMessage): void {
  if (isAuthorizedTwice(rawHeaders)) throw unauthorized('malformed', TWICE);
  const shown = displayKey(headers.authorization);
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

/** Throws {@link Refused} `insufficient_scope`. */
export function demandScope(access: Access, principal: Principal): void {
  const scopes = scopesFor(access);
  if (scopes.length === 0 || hasOneOf(principal, scopes)) return;
  throw new Refused('insufficient_scope', `This operation needs an API key with the scope ${scopes.join(' or ')}.`);
}

/** Whether the key may read its account. */
export function mayRead(principal: Principal): boolean {
  return hasOneOf(principal, scopesFor('bearer:read'));
}

function hasOneOf({ scopes }: Principal, sufficient: readonly string[]): boolean {
  return scopes.some((scope) => sufficient.includes(scope));
}

/** Parses an account id that must be the principal's own. Throws {@link Refused} `account_forbidden`. */
export function ownAccount(principal: Principal, accountId: string): AccountOrdinal {
  if (parseAccountId(accountId) === principal.account) return principal.account;
  throw new Refused(
    'account_forbidden',
    `The API key belongs to ${renderAccountId(principal.account)}: it can use no other account.`,
  );
}
