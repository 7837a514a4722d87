/**
 * `GET /metrics` on the port of the clients, for this machine alone: an operator's view, and no operation of the contract.
 * To anyone else there is no such path. What comes through a proxy, or from a page in a browser, is not of this machine.
 */
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Observe } from './observation.ts';
import type { Metrics } from './ports.ts';
import { Refused } from './refused.ts';

const LOOPBACK = /^(?:::ffff:)?127\.|^::1$/;
/** A page could have a name of its own resolve to this machine. */
const LOOPBACK_HOST = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::[0-9]+)?$/i;
const FROM_ELSEWHERE = ['origin', 'forwarded', 'x-forwarded-for', 'x-real-ip', 'via'] as const;

export function offerMetrics(server: FastifyInstance, metrics: Metrics, observe: Observe): void {
  const observeAnswer = observe('metrics');
  server.get('/metrics', { exposeHeadRoute: false }, async (request, reply) => {
    if (!isOfThisMachine(request)) throw new Refused('path_not_found');
    request.observeAnswer = observeAnswer;
    reply.removeHeader('access-control-allow-origin');
    return reply.type(metrics.contentType).send(await metrics.scrape());
  });
}

function isOfThisMachine({ ip, headers }: FastifyRequest): boolean {
  const isDirect = FROM_ELSEWHERE.every((name) => headers[name] === undefined);
  return isDirect && LOOPBACK.test(ip) && LOOPBACK_HOST.test(headers.host ?? '');
}
