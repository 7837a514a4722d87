/** The id that a request and its answer share: in the header, in the envelope of a refusal, in the log. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const FIT_FOR_A_LOG = /^[A-Za-z0-9._-]{1,64}$/;
/** An API key, and whatever is as long as a ticket or the secret of a key: ids are logged, and secrets never. */
const LIKE_A_SECRET = /opk_|^[A-Za-z0-9_-]{43}$/;

/** The caller's own id where it is fit for a log, a new one otherwise. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  const isFit = typeof given === 'string' && FIT_FOR_A_LOG.test(given) && !LIKE_A_SECRET.test(given);
  return isFit ? given : randomUUID();
}
