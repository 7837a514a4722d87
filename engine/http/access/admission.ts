/**
 * Admits a request before its body is read: authentication, rate limits, scope. A request without a valid bearer is counted by
 * its network; one with a key or a session is counted by that and its account.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { largestBodyOf, tokensOfBody } from '#contract/largest-body.ts';
import { RATE_LIMIT_NAMES, type RateLimitName, type Rates } from '#contract/limits.ts';
import { hasVaryingCost, isPublic, type Operation, rateLimitOf, tokensOf } from '#contract/operation.ts';
import { Refused } from '#contract/refused.ts';
import { REQUEST_LIMITS } from '#contract/request-limits.ts';
import { remoteNetwork } from '#http/server/remote-network.ts';
import type { TrustedProxies } from '#http/server/trusted-proxies.ts';
import type { Principal } from '#identity/directory.ts';
import { siteOf } from '#units/network-site.ts';
import { type BearerOf, demandAccess } from './access.ts';
import { ledgerStepCharge, type StartLedgerStep } from './ledger-step-charge.ts';
import type { RateCounters } from './rate-counters.ts';
import { RateLimit } from './rate-limit.ts';
import { SessionGuard } from './session-guard.ts';

/**
 * Takes the tokens that a parsed request costs in addition to those for its body. Throws {@link Refused} `rate_limited`, or rejects with
 * it.
 */
export type Charge = (
  request: FastifyRequest,
  reply: FastifyReply,
  parsed: { readonly query: unknown; readonly body: unknown },
) => Promise<void> | undefined;

/**
 * Throws {@link Refused}, or rejects with it. Sets the request's principal as soon as its bearer is accepted, even if it is
 * refused afterwards.
 */
export type Admit = (request: FastifyRequest, reply: FastifyReply) => Promise<void> | undefined;

export interface AdmissionParts {
  readonly bearerOf: BearerOf;
  readonly rates: Rates;
  readonly counters: RateCounters;
  /** Those of this process only. */
  readonly countersHere: RateCounters;
  readonly proxies: TrustedProxies;
}

export class Admission {
  readonly #bearerOf: BearerOf;
  readonly #limits: Readonly<Record<RateLimitName, RateLimit>>;
  readonly #proxies: TrustedProxies;
  readonly #sessionGuard: SessionGuard;

  constructor({ bearerOf, rates, counters, countersHere, proxies }: AdmissionParts) {
    this.#bearerOf = bearerOf;
    this.#proxies = proxies;
    this.#sessionGuard = new SessionGuard(new RateLimit('public', rates.public, countersHere));
    this.#limits = Object.fromEntries(
      RATE_LIMIT_NAMES.map((name) => [name, new RateLimit(name, rates[name], counters)]),
    ) as Record<RateLimitName, RateLimit>;
  }

  /** Counts a request by its network. Throws {@link Refused} `rate_limited`, or rejects with it. */
  countAnonymous(request: FastifyRequest, reply: FastifyReply, limit = this.#limits.public): Promise<void> | undefined {
    const cost = tokensOfBody(request.headers, REQUEST_LIMITS.bodyBytes);
    return limit.take(reply, this.#anonymousOf(request), cost);
  }

  to(operation: Operation): Admit {
    const { access } = operation;
    const name = rateLimitOf(operation);
    if (name === undefined) return () => undefined;
    const limit = this.#limits[name];
    const largestBody = largestBodyOf(operation);
    if (access === 'none') return (request, reply) => this.countAnonymous(request, reply, limit);
    const isOptional = access === 'none-or-bearer';
    const admit = (request: FastifyRequest, reply: FastifyReply, bearer: Principal | Refused) => {
      if (bearer instanceof Refused) {
        const isAbsent = isOptional && bearer.details.apiKeyRejection === 'missing';
        return after(this.countAnonymous(request, reply), () => (isAbsent ? undefined : refuse(bearer)));
      }
      request.principal = bearer;
      const counted = (isOptional ? this.#limits.reads : limit).take(
        reply,
        [bearer.keyId, bearer.account],
        tokensOfBody(request.headers, largestBody),
      );
      return isOptional ? counted : after(counted, () => demandAccess(access, bearer));
    };
    return (request, reply) => {
      const bearer = this.#bearerOf(request.raw, (text, lookUp) =>
        this.#sessionGuard.run(reply, this.#anonymousOf(request), text, lookUp),
      );
      if (!(bearer instanceof Promise)) return admit(request, reply, bearer);
      return bearer.then(
        (later) => admit(request, reply, later),
        // The guard has counted it, or the session could not be looked up.
        (error: unknown) =>
          error instanceof Refused ? refuse(error) : after(this.countAnonymous(request, reply), () => refuse(error)),
      );
    };
  }

  /** Charges the steps that the request starts on the external ledger. The request must be admitted. */
  ledgerSteps(request: FastifyRequest, reply: FastifyReply): StartLedgerStep {
    const { keyId, account } = request.principal!;
    return ledgerStepCharge(() => this.#limits.ledgerSteps.takeAlso(reply, [keyId, account]));
  }

  /** `undefined` if every request costs one token of one limit. */
  chargeFor(operation: Operation): Charge | undefined {
    const name = rateLimitOf(operation);
    if (!hasVaryingCost(operation) || name === undefined) return undefined;
    const limit = this.#limits[name];
    const largestBody = largestBodyOf(operation);
    return (request, reply, parsed) => {
      const before = tokensOfBody(request.headers, largestBody);
      const more = tokensOf(operation, parsed) - before;
      if (more <= 0) return undefined;
      const { principal } = request;
      if (principal === undefined) return limit.takeMore(reply, this.#anonymousOf(request), more, before);
      const keyed = isPublic(operation.access) ? this.#limits.reads : limit;
      return keyed.takeMore(reply, [principal.keyId, principal.account], more, before);
    };
  }

  #anonymousOf(request: FastifyRequest): readonly string[] {
    const network = this.networkOf(request);
    return [network, siteOf(network)];
  }

  /** The network that the request comes from. */
  networkOf(request: FastifyRequest): string {
    return remoteNetwork(this.#proxies.clientOf(request.raw));
  }
}

/** Synchronous if nothing is pending. */
function after(counted: Promise<void> | undefined, then: () => void): Promise<void> | undefined {
  if (counted !== undefined) return counted.then(then);
  then();
  return undefined;
}

function refuse(refusal: unknown): never {
  throw refusal;
}
