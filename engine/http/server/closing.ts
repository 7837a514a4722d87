/**
 * Closes a server within a grace period. Running requests get their response and idle connections close at once. A connection
 * that is silent in the middle of a request, or does not read its response, is closed after the grace period.
 */
import type { FastifyInstance } from 'fastify';
import type { Timers } from '#time/timers.ts';

/** The grace period for running requests. */
const GRACE_MS = 2_000;

export function endWithinGrace(server: FastifyInstance, timers: Timers): void {
  server.addHook('preClose', (done) => {
    const cutting = timers.setTimeout(() => server.server.closeAllConnections(), GRACE_MS);
    server.server.once('close', () => cutting.cancel());
    if (!server.server.listening) cutting.cancel();
    done();
  });
}
