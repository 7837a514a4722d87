/** Whom a read is made for: reads wait for their turn by client. */
import type { FastifyRequest } from 'fastify';
import type { Ask } from './answers.ts';

export interface Reader {
  /** An account with all of its keys, a network, or the venue itself. */
  readonly client: string;
  /** In tokens of its rate limit: what it may cost at most. */
  readonly cost: number;
  /** How lists are shown: as /v1 does, or entry by entry as /v2 does. */
  readonly form: 'native' | 'unified';
  /** Nobody waits for the answer. */
  readonly isGone: () => boolean;
}

export type AskAs = (reader: Reader) => Ask;

/** What the venue itself reads: at its start, for metrics, for its operator. */
export const VENUE_READER: Reader = { client: 'venue', cost: 1, form: 'native', isGone: () => false };

/** `networkOf` is called where there is no key. */
export function readerOf(
  request: FastifyRequest,
  { cost, form }: Pick<Reader, 'cost' | 'form'>,
  networkOf: (request: FastifyRequest) => string,
): Reader {
  const { principal, method, raw } = request;
  const client = principal === undefined ? `network ${networkOf(request)}` : `account ${principal.account}`;
  // A cancel is carried out although nobody waits for what became of it.
  return { client, cost, form, isGone: () => method === 'GET' && raw.socket.destroyed };
}
