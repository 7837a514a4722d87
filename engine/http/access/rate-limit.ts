/**
 * One rate limit of requests: counts them, reports the state in response headers (RateLimit header fields for HTTP, an IETF
 * draft), and refuses with the seconds to wait if no tokens are left.
 */
import type { FastifyReply } from 'fastify';
import { policiesOf, type Rate, type RateLimitName, type RatePolicy, renderPolicies } from '#contract/limits.ts';
import { Refused } from '#contract/refused.ts';
import {
  CLOCK_ERROR_MS,
  capacityMs,
  intervalMs,
  neededMs,
  type RateCounters,
  type TakeTokens,
  type TokensTaken,
} from './rate-counters.ts';

export class RateLimit {
  readonly #policies: readonly RatePolicy[];
  readonly #policyHeader: string;
  readonly #take: TakeTokens;

  constructor(name: RateLimitName, rate: Rate, counters: RateCounters) {
    this.#policies = policiesOf(name, rate);
    this.#policyHeader = renderPolicies(this.#policies);
    this.#take = counters.open(this.#policies);
  }

  /**
   * Charges a request to `who`, in the order of the limit's partitions. Throws {@link Refused} `rate_limited`, or rejects with it
   * if the counters are in another process.
   */
  take(reply: FastifyReply, who: readonly (string | number)[], cost: number): Promise<void> | undefined {
    return this.#count(reply, who, cost, 0);
  }

  /** Charges the rest of a request's cost, less the tokens taken before. Throws or rejects likewise. */
  takeMore(reply: FastifyReply, who: readonly (string | number)[], more: number, before: number): Promise<void> | undefined {
    return this.#count(reply, who, more, before);
  }

  /** Undoes {@link take}. */
  giveBack(who: readonly (string | number)[], cost: number): void {
    this.#take(who, -cost);
  }

  /**
   * Charges one token to a request that another limit has counted: the headers then have both. Rejects likewise. Resolves with the
   * function that undoes it.
   */
  async takeAlso(reply: FastifyReply, who: readonly (string | number)[]): Promise<() => Promise<void>> {
    const counted = reply.getHeader('ratelimit');
    await this.#count(reply, who, 1, 0, true);
    return async () => {
      const { fullInMs } = await this.#take(who, -1);
      reply.header('ratelimit', `${counted}, ${this.#left(fullInMs)}`);
    };
  }

  #count(
    reply: FastifyReply,
    who: readonly (string | number)[],
    cost: number,
    before: number,
    isAlso = false,
  ): Promise<void> | undefined {
    const taken = this.#take(who, cost, before);
    const report = (later: TokensTaken) => {
      this.#setHeaders(reply, later, isAlso);
      this.#demandTaken(later, cost, before);
    };
    if (taken instanceof Promise) return taken.then(report);
    report(taken);
    return undefined;
  }

  #setHeaders(reply: FastifyReply, { fullInMs }: TokensTaken, isAlso: boolean): void {
    const headers = { 'ratelimit-policy': this.#policyHeader, ratelimit: this.#left(fullInMs) };
    for (const [name, own] of Object.entries(headers)) reply.header(name, isAlso ? `${reply.getHeader(name)}, ${own}` : own);
  }

  #demandTaken({ isTaken, fullInMs }: TokensTaken, cost: number, before: number): void {
    if (isTaken) return;
    throw new Refused('rate_limited', undefined, { headers: { 'retry-after': this.#waitSeconds(fullInMs, cost, before) } });
  }

  /** The available tokens of each policy, and the seconds until it is full. */
  #left(fullInMs: readonly number[]): string {
    let text = '';
    for (let index = 0; index < this.#policies.length; index += 1) {
      const policy = this.#policies[index]!;
      // Negative after a token was given back that had refilled meanwhile.
      const full = Math.max(0, fullInMs[index]!);
      const left = Math.max(0, Math.floor((capacityMs(policy) - full + CLOCK_ERROR_MS) / intervalMs(policy)));
      text += `${index === 0 ? '' : ', '}"${policy.name}";r=${left};t=${Math.ceil(full / 1_000)}`;
    }
    return text;
  }

  /** A repeated request takes its earlier tokens again. */
  #waitSeconds(fullInMs: readonly number[], cost: number, before: number): string {
    const waits = this.#policies.map((policy, index) => {
      const needed = neededMs(policy, cost, before) + before * intervalMs(policy);
      return fullInMs[index]! + needed - capacityMs(policy);
    });
    return String(Math.max(1, Math.ceil((Math.max(...waits) - CLOCK_ERROR_MS) / 1_000)));
  }
}
