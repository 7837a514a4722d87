/**
 * Hooks that run when a response is written. After an exception there the framework would send a response with the exception's
 * message: instead the connection is closed.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OnInternalError } from './guarded-events.ts';

export function addSendHook(
  server: FastifyInstance,
  onInternalError: OnInternalError,
  run: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (closeOnThrow(onInternalError, request, reply, () => run(request, reply))) done();
  });
}

/** Call it after all other hooks are added, so that it covers the write itself. */
export function closeOnWriteFailure(server: FastifyInstance, onInternalError: OnInternalError): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    closeOnThrow(onInternalError, request, reply, done);
  });
}

function closeOnThrow(onInternalError: OnInternalError, request: FastifyRequest, reply: FastifyReply, run: () => void): boolean {
  try {
    run();
    return true;
  } catch (error) {
    onInternalError(error, `the answer to request ${request.id}`);
    reply.hijack();
    request.raw.socket.destroy();
    return false;
  }
}
