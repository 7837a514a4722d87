/**
 * Closes connections after a response. On an open connection Node reads the rest of an unread body, so the connection closes if
 * the length of the rest is unknown or too large. Later requests on it are not processed, because their responses could not be
 * sent.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { MAX_BYTES_READ_PAST } from '#contract/request-limits.ts';
import type { OnInternalError } from './guarded-events.ts';
import { addSendHook } from './send-hooks.ts';

const ended = new WeakSet<Duplex>();

/** Marks the connection: later requests on it are not processed. */
export function closeAfterResponse({ socket }: IncomingMessage): void {
  ended.add(socket);
}

/** Call it before other `onRequest` hooks are added. */
export function closeConnectionsOfUnreadBodies(server: FastifyInstance, onInternalError: OnInternalError): void {
  server.addHook('onRequest', ({ raw }, reply, done) => {
    if (ended.has(raw.socket)) reply.hijack();
    else done();
  });
  addSendHook(server, onInternalError, ({ raw }, reply) => scheduleClose(raw, reply));
}

/** Sets the `connection` header of a response, and marks the connection if it closes. */
export function scheduleClose(request: IncomingMessage, reply: FastifyReply): void {
  if (!request.complete && !isEndNear(request)) reply.header('connection', 'close');
  else if (request.complete && isEndedByFramework(reply)) reply.header('connection', 'keep-alive');
  if (reply.getHeader('connection') === 'close') closeAfterResponse(request);
}

/**
 * Fastify closes the connection for each body that cannot be parsed. If the body arrived completely, the connection stays open,
 * unless the client wants it closed.
 */
function isEndedByFramework(reply: FastifyReply): boolean {
  return reply.hasHeader('connection') && !reply.raw.hasHeader('connection') && reply.raw.shouldKeepAlive;
}

function isEndNear({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_BYTES_READ_PAST;
}
