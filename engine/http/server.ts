/**
 * The HTTP server of the venue: every declared operation bound to its handler, and one envelope for everything that is
 * refused. It is returned without listening; whoever composes the venue chooses the address.
 */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { fastify } from 'fastify';
import { ERRORS } from '#contract/errors.ts';
import type { OperationId } from '#contract/operations.ts';
import { OPERATIONS } from '#contract/operations.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import { bearerOf } from './access.ts';
import { Admission } from './admission.ts';
import { ANSWER_HEADERS } from './answer-headers.ts';
import type { Handlers } from './binding.ts';
import { bind, sendJson } from './binding.ts';
import { endWithinGrace } from './closing.ts';
import { limitConnections } from './connections.ts';
import { bindDocuments, type DocumentId } from './documents.ts';
import { refusalOf } from './error-reply.ts';
import { bindExplorer } from './explorer.ts';
import { accountHistoryHandlers } from './handlers/account-history.ts';
import { accountHandlers } from './handlers/accounts.ts';
import { favoriteHandlers } from './handlers/favorites.ts';
import { marketHandlers } from './handlers/markets.ts';
import { orderHandlers } from './handlers/orders.ts';
import { realtimeHandlers } from './handlers/realtime.ts';
import { systemHandlers } from './handlers/system.ts';
import { acceptJsonOnly } from './json-body.ts';
import { observeAnswers } from './observation.ts';
import type { HttpPorts } from './ports.ts';
import { clientErrorRefusals, refuseTunnelsAndExpectations } from './raw-refusals.ts';
import { Refused, renderEnvelope } from './refused.ts';
import { requestIdOf } from './request-id.ts';
import { TrustedProxies } from './trusted-proxies.ts';
import { answerUnrouted } from './unrouted.ts';

/** `listen({ host, port })` opens it, `close()` ends it once running requests are answered. */
export function createHttpServer(ports: HttpPorts): FastifyInstance {
  const { limits, clock } = ports;
  const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => answerThrown(ports, thrown, request, reply);
  const bearer = ({ raw: message }: FastifyRequest) => bearerOf(message, (keyId) => ports.directory.apiKey(keyId), clock.now());
  const proxies = new TrustedProxies(ports.trustedProxies ?? []);
  const admission = new Admission(bearer, limits.rates, ports.rateCounters, proxies);
  const raw = { clock, proxies, observeAnswer: ports.observe('malformed') };
  const clientErrors = clientErrorRefusals(raw);
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
        refuse(thrown, request, reply);
        const { id, method, refusal } = request;
        raw.observeAnswer(reply.statusCode, 0, refusal, { id, method, clientAddress: proxies.clientOf(request.raw) });
      };
      const counted = (async () => admission.countStranger(request, reply))();
      void counted.then(() => answer(error), answer);
    },
    clientErrorHandler: (error, socket) => clientErrors.refuse(error, socket),
  });
  limitConnections(server.server, limits, proxies);
  endWithinGrace(server);
  clientErrors.watch(server.server);
  refuseTunnelsAndExpectations(server.server, raw);
  acceptJsonOnly(server);
  observeAnswers(server, ports.observe, proxies);
  const unrouted = answerUnrouted((request, reply) => admission.countStranger(request, reply));
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id });
    if (request.is404) unrouted(request, reply, done);
    else done();
  });
  server.setErrorHandler(refuse);
  const handlers: Omit<Handlers, DocumentId> = {
    ...systemHandlers(ports),
    ...marketHandlers(ports),
    ...orderHandlers(ports),
    ...accountHandlers(ports),
    ...accountHistoryHandlers(ports),
    ...favoriteHandlers(ports),
    ...realtimeHandlers(ports),
  };
  for (const id of Object.keys(handlers) as Exclude<OperationId, DocumentId>[]) {
    bind(server, OPERATIONS[id], handlers[id] as (call: unknown) => unknown, admission, ports.observe);
  }
  bindDocuments(server, ports, admission, ports.observe);
  bindExplorer(server, admission.to(OPERATIONS.getOpenApi), ports.observe);
  return server;
}

function answerThrown(ports: HttpPorts, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = refusalOf(thrown);
  if (refusal === undefined) ports.reportDefect(thrown, request.id);
  const refused = refusal ?? new Refused('internal_error');
  request.refusal = refused.code;
  reply.headers({ ...ANSWER_HEADERS, 'x-request-id': request.id, ...refused.details.headers });
  return sendJson(reply, ERRORS[refused.code].status, renderEnvelope(refused, request.id, ports.clock.now()));
}
