/** Tells an observer of every answer: once, when it is handed over to be sent, and with as little as can be. */
import type { FastifyInstance } from 'fastify';
import type { ErrorCode } from '#contract/errors.ts';
import type { Principal } from '#identity/directory.ts';
import type { SteadyClock } from '#time/clock.ts';
import type { OnInternalError } from './guarded-events.ts';
import { addSendHook } from './send-hooks.ts';
import type { TrustedProxies } from './trusted-proxies.ts';

/** What an observer may know of a request. What the client wrote is not part of it. */
export interface ObservedRequest {
  readonly id: string;
  readonly method: string;
  /** Whom it is from, as far as that can be known. */
  readonly clientAddress: string;
  readonly principal?: Principal | undefined;
}

export type ObserveAnswer = (status: number, elapsedMs: number, refusal: ErrorCode | undefined, request: ObservedRequest) => void;

/**
 * Of an operation by its id, or of what came to none: `explorer`, `preflight`, `unrouted` (no such path or method), `malformed` (no
 * request at all).
 */
export type Observe = (operation: string) => ObserveAnswer;

declare module 'fastify' {
  interface FastifyRequest {
    /** See {@link TrustedProxies}. Asked for by few: most are counted by their key. */
    readonly clientAddress: string;
    beganAtMs: number;
    observeAnswer: ObserveAnswer;
    principal: Principal | undefined;
    refusal: ErrorCode | undefined;
  }
}

/** What the client asked for is done by then: an answer is not withheld because it cannot be counted or logged. */
export function reporting(observeAnswer: ObserveAnswer, onInternalError: OnInternalError): ObserveAnswer {
  return (status, elapsedMs, refusal, request) => {
    try {
      observeAnswer(status, elapsedMs, refusal, request);
    } catch (error) {
      onInternalError(error, `the observer of request ${request.id}`);
    }
  };
}

/** To be called before routes are bound, which name the observer of their operation. */
export function observeAnswers(
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
  server.decorateRequest('beganAtMs', 0);
  server.decorateRequest('observeAnswer', unrouted);
  server.decorateRequest('principal', undefined);
  server.decorateRequest('refusal', undefined);
  server.addHook('onRequest', (request, _reply, done) => {
    request.beganAtMs = steadyClock.elapsedMs();
    if (request.is404 && request.method === 'OPTIONS') request.observeAnswer = preflight;
    done();
  });
  addSendHook(server, onInternalError, (request, reply) => {
    const observeAnswer = reporting(request.observeAnswer, onInternalError);
    observeAnswer(reply.statusCode, steadyClock.elapsedMs() - request.beganAtMs, request.refusal, request);
  });
}
