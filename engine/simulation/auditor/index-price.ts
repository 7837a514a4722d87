/**
 * Which observations of the index a market must use. It ignores old ones and ones out of order, and uses a jump only after enough
 * others confirm it.
 */
import type { IndexStatus } from '#venue/market/specification.ts';
import { fail } from './audit-failed.ts';
import type { Listing } from './listing.ts';

interface Observation {
  readonly price: number;
  readonly at: number;
}

export class IndexPrice {
  readonly #listing: Listing;
  #accepted: Observation | undefined;
  /** The observations since a jump, each near the one before. */
  #unconfirmed: Observation[] = [];

  constructor(listing: Listing) {
    this.#listing = listing;
  }

  /** The price in use; 0 before the first. */
  get price(): number {
    return this.#accepted?.price ?? 0;
  }

  get observedAt(): number {
    return this.#accepted?.at ?? 0;
  }

  /** Takes an observation that the source sent, at the time of its turn. Returns whether the market uses it from now on. */
  observe(price: number, observedAt: number, now: number): boolean {
    const { maxIndexAgeMs, indexConfirmations } = this.#listing.specification;
    const observation = { price, at: Math.min(observedAt, now) };
    const before = this.#unconfirmed.at(-1);
    const newest = Math.max(this.#accepted?.at ?? Number.NEGATIVE_INFINITY, before?.at ?? Number.NEGATIVE_INFINITY);
    if (observation.at <= newest || now - observation.at > maxIndexAgeMs) return false;
    if (this.#accepted === undefined || this.#isNear(price, this.#accepted.price)) return this.#accept(observation);
    const agrees = before !== undefined && observation.at - before.at <= maxIndexAgeMs && this.#isNear(price, before.price);
    this.#unconfirmed = agrees ? [...this.#unconfirmed, observation] : [observation];
    return this.#unconfirmed.length > Math.max(1, indexConfirmations) && this.#accept(observation);
  }

  statusAt(now: number): IndexStatus {
    const { maxIndexAgeMs } = this.#listing.specification;
    const last = this.#unconfirmed.at(-1);
    if (last !== undefined && now - last.at <= maxIndexAgeMs) return 'unconfirmed';
    return this.#accepted === undefined || now - this.#accepted.at > maxIndexAgeMs ? 'stale' : 'current';
  }

  /** Checks what an event says of the index. */
  check(price: number, observedAt: number, status: IndexStatus, now: number): void {
    const expected = this.statusAt(now);
    if (price === this.price && observedAt === this.observedAt && status === expected) return;
    fail(
      'index',
      `market ${this.#listing.market} uses an index of ${price} of ${observedAt} (${status}), its observations give ` +
        `${this.price} of ${this.observedAt} (${expected})`,
    );
  }

  #accept(observation: Observation): true {
    this.#accepted = observation;
    this.#unconfirmed = [];
    return true;
  }

  #isNear(price: number, from: number): boolean {
    return Math.abs(price - from) * 10_000 <= from * this.#listing.specification.maxIndexJumpBps;
  }
}
