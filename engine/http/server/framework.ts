/**
 * The common server of all HTTP services: limits of all input, one shape of all refusals, a close within a grace period. The
 * caller binds the operations; it is returned without listening.
 */
import { createServer, type Server } from 'node:http';
import type { FastifyInstance, FastifyReply, FastifyRequest, FastifyServerFactoryHandler } from 'fastify';
import { fastify } from 'fastify';
import { Refused } from '#contract/refused.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import type { Time } from '#time/time.ts';
import { sendJson } from './binding.ts';
import { endWithinGrace } from './closing.ts';
import { COMMON_HEADERS } from './common-headers.ts';
import { closeConnectionsOfUnreadBodies, scheduleClose } from './connection-close.ts';
import { limitConnections } from './connections.ts';
import { mapToRefusal } from './error-reply.ts';
import { guarded, type OnInternalError } from './guarded-events.ts';
import { acceptJsonOnly } from './json-body.ts';
import { type Observe, observeResponses, reporting } from './observation.ts';
import type { HttpLimits } from './ports.ts';
import { rawRefusals } from './raw-refusals.ts';
import { refusalBody } from './refusal-body.ts';
import { requestIdOf } from './request-id.ts';
import { closeOnWriteFailure } from './send-hooks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';
import { type Routes, replyToUnrouted } from './unrouted.ts';

export interface FrameworkParts extends Time {
  readonly limits: Omit<HttpLimits, 'rates'>;
  readonly proxies: TrustedProxies;
  readonly observe: Observe;
  readonly onInternalError: OnInternalError;
  /** Counts a request without a bearer or without an operation. Throws {@link Refused} `rate_limited`, or rejects with it. */
  readonly countAnonymous: (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;
  /** All paths and methods. */
  readonly routes: Routes;
}

/** How long an idle connection stays open between requests. */
const KEEP_ALIVE_MS = 72_000;

/** `listen({ host, port })` opens it; `close()` closes it after running requests got their responses. */
export function openFramework(parts: FrameworkParts): FastifyInstance {
  const { limits, clock, steadyClock, timers, proxies, observe, countAnonymous, onInternalError } = parts;
  const refuse = (thrown: unknown, request: FastifyRequest, reply: FastifyReply) => replyToThrown(parts, thrown, request, reply);
  const raw = { clock, timers, proxies, onInternalError, observeResponse: reporting(observe('malformed'), onInternalError) };
  const refusals = rawRefusals(raw);
  const server = fastify({
    bodyLimit: REQUEST_LIMITS.bodyBytes,
    serverFactory: (handle) => guardedServer(parts, handle),
    // Longer than any URL within the header limit: the schemas check the length of ids.
    routerOptions: { maxParamLength: REQUEST_LIMITS.headerBytes },
    // Requests during the close still get responses; the writer refuses what it no longer accepts.
    return503OnClosing: false,
    genReqId: requestIdOf,
    // Framework errors skip all hooks.
    frameworkErrors: (error, request, reply) => {
      const response = (thrown: unknown) =>
        guarded(onInternalError, () => {
          scheduleClose(request.raw, reply);
          refuse(thrown, request, reply);
          const { id, method, refusal } = request;
          raw.observeResponse(reply.statusCode, 0, refusal, { id, method, clientAddress: proxies.clientOf(request.raw) });
        })(request.raw);
      const counted = (async () => countAnonymous(request, reply))();
      void counted.then(() => response(error), response);
    },
    clientErrorHandler: (error, socket) => refusals.refuse(socket, error),
  });
  limitConnections(server.server, limits, proxies, parts, onInternalError);
  endWithinGrace(server, timers);
  refusals.watch(server.server);
  acceptJsonOnly(server);
  closeConnectionsOfUnreadBodies(server, onInternalError);
  observeResponses(server, observe, proxies, steadyClock, onInternalError);
  closeOnWriteFailure(server, onInternalError);
  const unrouted = replyToUnrouted(countAnonymous, parts.routes);
  server.addHook('onRequest', (request, reply, done) => {
    reply.headers({ ...COMMON_HEADERS, 'x-request-id': request.id });
    if (request.is404) unrouted(request, reply, done);
    else done();
  });
  server.setErrorHandler(refuse);
  return server;
}

/** Catches exceptions of the framework before its first hook. */
function guardedServer({ limits, onInternalError }: FrameworkParts, handle: FastifyServerFactoryHandler): Server {
  return createServer(
    {
      maxHeaderSize: REQUEST_LIMITS.headerBytes,
      headersTimeout: limits.requestTimeoutMs,
      requestTimeout: limits.requestTimeoutMs,
      connectionsCheckingInterval: 1_000,
      keepAliveTimeout: KEEP_ALIVE_MS,
      // Otherwise Node responds to a missing Host header itself, without an envelope.
      requireHostHeader: false,
    },
    guarded(onInternalError, handle),
  );
}

/** Reports an internal error and responds 500. Closes the connection if even that cannot be written. */
function replyToThrown(parts: FrameworkParts, thrown: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  const refusal = mapToRefusal(thrown);
  try {
    if (refusal !== undefined) return replyToRefused(parts, refusal, request, reply);
    parts.onInternalError(thrown, `request ${request.id}`);
    // A header may be the cause.
    for (const name of Object.keys(reply.getHeaders())) reply.removeHeader(name);
    return replyToRefused(parts, new Refused('internal_error'), request, reply);
  } catch (error) {
    if (refusal !== undefined) return replyToThrown(parts, error, request, reply);
    parts.onInternalError(error, `the refusal of request ${request.id}`);
    reply.hijack();
    request.raw.socket.destroy();
    return reply;
  }
}

function replyToRefused({ clock }: FrameworkParts, refused: Refused, request: FastifyRequest, reply: FastifyReply): FastifyReply {
  request.refusal = refused.code;
  reply.headers({ ...COMMON_HEADERS, 'x-request-id': request.id, ...refused.details.headers });
  return sendJson(reply, refused.status, refusalBody(refused, request.id, clock.now(), request.url));
}
