/**
 * A server as every service here has it: limits on all that arrives, one shape for everything that is refused, an end within a grace.
 * Operations are bound to it by whoever opens it; it is returned without listening.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import { Refused } from '#contract/refused.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import type { Time } from '#time/time.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import { sendJson } from './binding.ts';
import { endWithinGrace } from './closing.ts';
import { limitConnections } from './connections.ts';
import { endLinesOfUnreadBodies, settleLine } from './ended-lines.ts';
import { refusalOf } from './error-reply.ts';
import { acceptJsonOnly } from './json-body.ts';
import { type Observe, observeAnswers } from './observation.ts';
import type { HttpLimits } from './ports.ts';
import { rawRefusals } from './raw-refusals.ts';
import { refusalBody } from './refusal-body.ts';
import { requestIdOf } from './request-id.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import { answerUnrouted, type Routes } from './unrouted.ts';

export interface FrameworkParts extends Time {
  readonly limits: Omit<HttpLimits, 'rates'>;
  readonly proxies: TrustedProxies;
  readonly observe: Observe;
  readonly reportDefect: (defect: unknown, requestId: string) => void;
  /** Counts a request that is of nobody, or for nothing. Throws {@link Refused} `rate_limited`, or rejects with it. */
  readonly countStranger: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
  /** What can be asked. */
  readonly routes: Routes;
}

/** `listen({ host, port })` opens it, `close()` ends it once running requests are answered. */
export function openFramework(parts: FrameworkParts): FastifyInstance {
  const { limits, clock, steadyClock, timers, proxies, observe, countStranger } = parts;
  const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => answerThrown(parts, thrown, request, reply);
  const raw = { clock, timers, proxies, observeAnswer: observe('malformed') };
  const refusals = rawRefusals(raw);
  const server = fastify({
    bodyLimit: REQUEST_LIMITS.bodyBytes,
    requestTimeout: limits.requestTimeoutMs,
    http: {
      maxHeaderSize: REQUEST_LIMITS.headerBytes,
      headersTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      // Without it Node answers a missing Host header on its own, and not with an envelope.
      requireHostHeader: false,
    },
    // Longer than any address that the header limit lets in: the length of an id is for its schema to judge.
    routerOptions: { maxParamLength: REQUEST_LIMITS.headerBytes },
    // While closing, requests are still answered; what the writer no longer takes is refused by it.
    return503OnClosing: false,
    genReqId: requestIdOf,
    // These meet no hook.
    frameworkErrors: (error, request, reply) => {
      const answer = (thrown: unknown) => {
        settleLine(request.raw, reply);
        refuse(thrown, request, reply);
        const { id, method, refusal } = request;
        raw.observeAnswer(reply.statusCode, 0, refusal, { id, method, clientAddress: proxies.clientOf(request.raw) });
      };
      const counted = (async () => countStranger(request, reply))();
      void counted.then(() => answer(error), answer);
    },
    clientErrorHandler: (error, socket) => refusals.refuse(error, socket),
  });
  limitConnections(server.server, limits, proxies, parts);
  endWithinGrace(server, timers);
  refusals.watch(server.server);
  acceptJsonOnly(server);
  endLinesOfUnreadBodies(server);
  observeAnswers(server, observe, proxies, steadyClock);
  const unrouted = answerUnrouted(countStranger, parts.routes);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id });
    if (request.is404) unrouted(request, reply, done);
    else done();
  });
  server.setErrorHandler(refuse);
  return server;
}

function answerThrown(
  { reportDefect, clock }: FrameworkParts,
  thrown: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): FastifyReply {
  const refusal = refusalOf(thrown);
  if (refusal === undefined) reportDefect(thrown, request.id);
  const refused = refusal ?? new Refused('internal_error');
  request.refusal = refused.code;
  reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id, ...refused.details.headers });
  return sendJson(reply, refused.status, refusalBody(refused, request.id, clock.now(), request.url));
}
