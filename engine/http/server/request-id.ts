/** The id that a request and its response share: in the header, in a refusal's envelope, in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const LOGGABLE = /^[A-Za-z0-9._-]{1,64}$/;
/**
 * Matches API keys, sessions, device codes and sign-in attempts, user codes, and any text as long as a ticket, a challenge or a
 * key's secret: ids are logged, secrets must not be.
 */
const SECRET_LIKE = /op[kdrs]_|^[BCDFGHJKLMNPQRSTVWXZ]{4}-?[BCDFGHJKLMNPQRSTVWXZ]{4}$|^[A-Za-z0-9_-]{43}$/i;

/** The caller's own id if it can be logged safely, else a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  const isFit = typeof given === 'string' && LOGGABLE.test(given) && !SECRET_LIKE.test(given);
  return isFit ? given : randomUUID();
}
