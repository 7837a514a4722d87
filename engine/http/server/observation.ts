/** Reports every response to an observer: once, when it is handed over for sending, at minimal cost. */
import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '#contract/errors.ts';
import type { Principal } from '#identity/directory.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { OnInternalError } from './guarded-events.ts';
import { addSendHook } from './send-hooks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** The facts of a request for observers, without any text of the client. */
export interface ObservedRequest {
  readonly id: string;
  readonly method: string;
  /** The client's address, as far as it is known. */
  readonly clientAddress: string;
  readonly principal?: Principal | undefined;
}

export type ObserveResponse = (
  status: number,
  elapsedMs: number,
  refusal: ErrorCode | undefined,
  request: ObservedRequest,
) => void;

/**
 * Creates the observer of an operation by its id, or of requests without one: `explorer`, `owner_page`, `preflight`, `unrouted`
 * (unknown path or method), `malformed` (not a request).
 */
export type Observe = (operation: string) => ObserveResponse;

declare module 'fastify' {
  interface FastifyRequest {
    /** See {@link TrustedProxies}. A getter, because few requests need it: most are counted by their key. */
    readonly clientAddress: string;
    startedAtMs: number;
    observeResponse: ObserveResponse;
    principal: Principal | undefined;
    refusal: ErrorCode | undefined;
  }
}

/** The request has been carried out by then: its response is sent even if it cannot be counted or logged. */
export function reporting(observeResponse: ObserveResponse, onInternalError: OnInternalError): ObserveResponse {
  return (status, elapsedMs, refusal, request) => {
    try {
      observeResponse(status, elapsedMs, refusal, request);
    } catch (error) {
      onInternalError(error, `the observer of request ${request.id}`);
    }
  };
}

/** Call it before routes are bound, which set the observer of their operation. */
export function observeResponses(
  server: FastifyInstance,
  observe: Observe,
  proxies: TrustedProxies,
  steadyClock: SteadyClock,
  onInternalError: OnInternalError,
): void {
  const [unrouted, preflight] = [observe('unrouted'), observe('preflight')];
  server.decorateRequest('clientAddress', {
    getter() {
      return proxies.clientOf(this.raw);
    },
  });
  server.decorateRequest('startedAtMs', 0);
  server.decorateRequest('observeResponse', unrouted);
  server.decorateRequest('principal', undefined);
  server.decorateRequest('refusal', undefined);
  server.addHook('onRequest', (request, _reply, done) => {
    request.startedAtMs = steadyClock.elapsedMs();
    if (request.is404 && request.method === 'OPTIONS') request.observeResponse = preflight;
    done();
  });
  addSendHook(server, onInternalError, (request, reply) => {
    const observeResponse = reporting(request.observeResponse, onInternalError);
    observeResponse(reply.statusCode, steadyClock.elapsedMs() - request.startedAtMs, request.refusal, request);
  });
}
