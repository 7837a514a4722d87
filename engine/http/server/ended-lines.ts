/**
 * Lines that end with an answer. As long as a line stays open, what is left of a body behind its answer is read to its end: so the line
 * ends where that is not known, or too far. What follows there is not done, for nobody would hear what became of it.
 */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { MAX_BYTES_READ_PAST } from '#contract/request-limits.ts';
import type { OnInternalError } from './guarded-events.ts';
import { addSendHook } from './send-hooks.ts';

const ended = new WeakSet<Duplex>();

/** Nothing that comes on the line behind this request is done. */
export function endLineOf({ socket }: IncomingMessage): void {
  ended.add(socket);
}

/** To be called before anything else looks at requests. */
export function endLinesOfUnreadBodies(server: FastifyInstance, onInternalError: OnInternalError): void {
  server.addHook('onRequest', ({ raw }, reply, done) => {
    if (ended.has(raw.socket)) reply.hijack();
    else done();
  });
  addSendHook(server, onInternalError, ({ raw }, reply) => settleLine(raw, reply));
}

/** Says with an answer whether its line ends, and keeps to it. */
export function settleLine(request: IncomingMessage, reply: FastifyReply): void {
  if (!request.complete && !isEndNear(request)) reply.header('connection', 'close');
  else if (request.complete && isEndedByFramework(reply)) reply.header('connection', 'keep-alive');
  if (reply.getHeader('connection') === 'close') endLineOf(request);
}

/** Fastify ends the line of each body that cannot be parsed: behind one that came whole a line goes on, where the client wants it to. */
function isEndedByFramework(reply: FastifyReply): boolean {
  return reply.hasHeader('connection') && !reply.raw.hasHeader('connection') && reply.raw.shouldKeepAlive;
}

function isEndNear({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) <= MAX_BYTES_READ_PAST;
}
