/**
 * Hooks of the moment in which an answer is written. After an exception there the framework would write an answer of its own, with the message of
 * the exception: the connection is closed instead.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { OnInternalError } from './guarded-events.ts';

export function addSendHook(
  server: FastifyInstance,
  onInternalError: OnInternalError,
  run: (request: FastifyRequest, reply: FastifyReply) => void,
): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    if (orClose(onInternalError, request, reply, () => run(request, reply))) done();
  });
}

/** To be called once all hooks are added: what comes after the last of them is the writing itself. */
export function closeWhatCannotBeWritten(server: FastifyInstance, onInternalError: OnInternalError): void {
  server.addHook('onSend', (request, reply, _payload, done) => {
    orClose(onInternalError, request, reply, done);
  });
}

function orClose(onInternalError: OnInternalError, request: FastifyRequest, reply: FastifyReply, run: () => void): boolean {
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
