/**
 * Counters behind the rate limits: a port, and its implementation for one process. A token bucket is stored as one number: the
 * time at which it will be full again, on the steady clock.
 */
import type { Rate, RatePolicy } from '#contract/limits.ts';
import type { SteadyClock } from '#time/clock.ts';

export interface RateCounters {
  /** Opens the buckets of policies that are charged together. */
  open(policies: readonly RatePolicy[]): TakeTokens;
}

/**
 * Takes `cost` tokens from the bucket of each policy, or from no bucket if one has too few ({@link neededMs}). `who` names the
 * buckets, in the order of the policies; `before` is what the same request has taken already. A negative cost gives tokens
 * back; a bucket never has more than its burst.
 */
export type TakeTokens = (who: readonly (string | number)[], cost: number, before?: number) => TokensTaken | Promise<TokensTaken>;

export interface TokensTaken {
  readonly isTaken: boolean;
  /** The time until each bucket is full. */
  readonly fullInMs: readonly number[];
}

/** The time in which one token refills. */
export function intervalMs({ perSecond }: Rate): number {
  return 1_000 / perSecond;
}

/** The time in which an empty bucket refills. */
export function capacityMs(rate: Rate): number {
  return rate.burst * intervalMs(rate);
}

/**
 * How much of a bucket must be full for a cost, as refill time. A bucket that is full but for the request's own earlier tokens
 * always suffices: a batch larger than the burst is accepted, and its debt must refill.
 */
export function neededMs(rate: Rate, cost: number, before: number): number {
  return intervalMs(rate) * Math.min(cost, rate.burst - before);
}

/** Tolerance for rounding errors that fractions of a millisecond add up to. */
export const CLOCK_ERROR_MS = 1e-3;

const MAX_BUCKETS = 65_536;

/** Bounds memory by LRU eviction: an evicted bucket counts as full. */
export function countersInProcess(steadyClock: SteadyClock, maxBuckets = MAX_BUCKETS): RateCounters {
  return {
    open(policies) {
      const buckets = policies.map((policy) => new Buckets(policy, maxBuckets));
      return (who, cost, before = 0) => {
        const now = steadyClock.elapsedMs();
        const fullInMs = buckets.map((bucket, index) => bucket.fullInMs(who[index]!, now));
        const isTaken = buckets.every((bucket, index) => bucket.holds(cost, before, fullInMs[index]!));
        buckets.forEach((bucket, index) => {
          if (isTaken) fullInMs[index] = Math.max(0, fullInMs[index]! + cost * bucket.intervalMs);
          bucket.retain(who[index]!, now + fullInMs[index]!);
        });
        return { isTaken, fullInMs };
      };
    },
  };
}

class Buckets {
  readonly intervalMs: number;
  readonly #rate: Rate;
  readonly #capacityMs: number;
  readonly #maxBuckets: number;
  readonly #fullAtMs = new Map<string | number, number>();

  constructor(rate: Rate, maxBuckets: number) {
    this.#rate = rate;
    this.intervalMs = intervalMs(rate);
    this.#capacityMs = capacityMs(rate);
    this.#maxBuckets = maxBuckets;
  }

  fullInMs(who: string | number, now: number): number {
    const full = this.#fullAtMs.get(who);
    return full === undefined ? 0 : Math.max(0, full - now);
  }

  holds(cost: number, before: number, fullInMs: number): boolean {
    return fullInMs + neededMs(this.#rate, cost, before) <= this.#capacityMs + CLOCK_ERROR_MS;
  }

  /** Reinserting keeps the map in the order of last use. */
  retain(who: string | number, fullAtMs: number): void {
    this.#fullAtMs.delete(who);
    this.#fullAtMs.set(who, fullAtMs);
    if (this.#fullAtMs.size <= this.#maxBuckets) return;
    for (const oldest of this.#fullAtMs.keys()) if (this.#fullAtMs.delete(oldest)) break;
  }
}
