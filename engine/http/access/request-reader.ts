/** The reader of a request: its account, or its network. */
import type { FastifyRequest } from 'fastify';
import type { Reader } from '#reads/reader.ts';

/** `networkOf` is called if there is no key. */
export function readerOf(
  request: FastifyRequest,
  { cost, form }: Pick<Reader, 'cost' | 'form'>,
  networkOf: (request: FastifyRequest) => string,
): Reader {
  const { principal, method, raw } = request;
  const client = principal === undefined ? `network ${networkOf(request)}` : `account ${principal.account}`;
  // A cancel is carried out even if its connection has closed.
  return { client, cost, form, isClosed: () => method === 'GET' && raw.socket.destroyed };
}
