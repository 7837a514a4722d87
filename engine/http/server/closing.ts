/**
 * Lets a server end. A running request is answered, and a connection that waits for nothing ends at once; one that is
 * mute in the middle of a request, or does not read its answer, is cut after a grace. Nobody can hold the venue open.
 */
import type { FastifyInstance } from 'fastify';
import type { Timers } from '#time/timers.ts';

/** How long what is under way may take once the server closes. */
const GRACE_MS = 2_000;

export function endWithinGrace(server: FastifyInstance, timers: Timers): void {
  server.addHook('preClose', (done) => {
    const cutting = timers.setTimeout(() => server.server.closeAllConnections(), GRACE_MS);
    server.server.once('close', () => cutting.cancel());
    if (!server.server.listening) cutting.cancel();
    done();
  });
}
