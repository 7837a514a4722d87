/**
 * Bounds what bearers that are no sessions cost the store of sessions, which may be another process: their lookups count for the network
 * here, before they are made. A bearer that was accepted before is always looked up, so that other clients of its network cannot lock it out.
 */
import { hash } from 'node:crypto';
import type { FastifyReply } from 'fastify';
import type { Identification } from '#identity/directory.ts';
import type { RateLimit } from './rate-limit.ts';

/** Beyond it, the bearer that was not used for longest counts again. */
const MAX_ACCEPTED = 65_536;

export class SessionGuard {
  /** Must count in this process. */
  readonly #limit: RateLimit;
  readonly #maxAccepted: number;
  /** SHA-256 of bearers, in the order of their last use. */
  readonly #accepted = new Set<string>();

  constructor(limit: RateLimit, maxAccepted = MAX_ACCEPTED) {
    this.#limit = limit;
    this.#maxAccepted = maxAccepted;
  }

  /** Rejects with a refusal, and makes no lookup, if the network has made too many that failed. */
  async run(
    reply: FastifyReply,
    network: readonly string[],
    bearer: string,
    lookUp: () => Promise<Identification>,
  ): Promise<Identification> {
    const digest = hash('sha256', bearer);
    const isCounted = !this.#accepted.has(digest);
    if (isCounted) await this.#limit.take(reply, network, 1);
    let isSession = true;
    try {
      const identified = await lookUp();
      isSession = 'principal' in identified;
      // Not before the lookup: other requests with the bearer may run meanwhile.
      this.#accepted.delete(digest);
      if (isSession) this.#accept(digest);
      return identified;
    } finally {
      // A lookup that failed for another reason is not the client's fault.
      if (isCounted && isSession) this.#limit.giveBack(network, 1);
    }
  }

  #accept(digest: string): void {
    this.#accepted.add(digest);
    if (this.#accepted.size <= this.#maxAccepted) return;
    for (const oldest of this.#accepted) if (this.#accepted.delete(oldest)) break;
  }
}
