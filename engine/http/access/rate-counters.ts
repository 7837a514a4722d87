/**
 * The counts behind rate limits: a port, and its implementation for one process. A bucket holds a burst and fills at a
 * steady rate; it is kept as one number, the time at which it will be full again, on a clock that cannot be set.
 */
import type { Rate, RatePolicy } from '#contract/limits.ts';
import type { SteadyClock } from '#time/clock.ts';

export interface RateCounters {
  /** Opens the buckets of policies that are taken from together. */
  open(policies: readonly RatePolicy[]): TakeRate;
}

/**
 * Takes so many out of the bucket of each policy, or out of none where one of them holds less ({@link neededMs}). `who`
 * names the buckets, in the order of the policies; `before` is what the same request has taken already.
 */
export type TakeRate = (who: readonly (string | number)[], cost: number, before?: number) => Taken | Promise<Taken>;

export interface Taken {
  readonly isTaken: boolean;
  /** Of each bucket, how long until it is full. */
  readonly fullInMs: readonly number[];
}

/** What one request takes, as the time in which it comes back. */
export function intervalMs({ perSecond }: Rate): number {
  return 1_000 / perSecond;
}

/** How long a bucket that is empty takes to be full. */
export function capacityMs(rate: Rate): number {
  return rate.burst * intervalMs(rate);
}

/**
 * How much of a bucket must be there to take so many, as the time in which it comes. What a full one has left beyond what the
 * request took before will do: a batch larger than a burst is let through, and owes the rest.
 */
export function neededMs(rate: Rate, cost: number, before: number): number {
  return intervalMs(rate) * Math.min(cost, rate.burst - before);
}

/** Fractions of a millisecond add up with an error: far less than anyone can wait. */
export const CLOCK_ERROR_MS = 1e-3;

const MOST_BUCKETS = 65_536;

/** Memory is bounded: of too many the one that was silent for longest is forgotten, which does it good and nobody harm. */
export function countersInProcess(steadyClock: SteadyClock, mostBuckets = MOST_BUCKETS): RateCounters {
  return {
    open(policies) {
      const buckets = policies.map((policy) => new Buckets(policy, mostBuckets));
      return (who, cost, before = 0) => {
        const now = steadyClock.elapsedMs();
        const fullInMs = buckets.map((bucket, index) => bucket.fullInMs(who[index]!, now));
        const isTaken = buckets.every((bucket, index) => bucket.holds(cost, before, fullInMs[index]!));
        buckets.forEach((bucket, index) => {
          if (isTaken) fullInMs[index]! += cost * bucket.intervalMs;
          bucket.keep(who[index]!, now + fullInMs[index]!);
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
  readonly #most: number;
  readonly #fullAtMs = new Map<string | number, number>();

  constructor(rate: Rate, most: number) {
    this.#rate = rate;
    this.intervalMs = intervalMs(rate);
    this.#capacityMs = capacityMs(rate);
    this.#most = most;
  }

  fullInMs(who: string | number, now: number): number {
    const full = this.#fullAtMs.get(who);
    return full === undefined ? 0 : Math.max(0, full - now);
  }

  holds(cost: number, before: number, fullInMs: number): boolean {
    return fullInMs + neededMs(this.#rate, cost, before) <= this.#capacityMs + CLOCK_ERROR_MS;
  }

  /** Taken out and put in again, the map is in the order of their last request. */
  keep(who: string | number, fullAtMs: number): void {
    this.#fullAtMs.delete(who);
    this.#fullAtMs.set(who, fullAtMs);
    if (this.#fullAtMs.size <= this.#most) return;
    for (const oldest of this.#fullAtMs.keys()) if (this.#fullAtMs.delete(oldest)) break;
  }
}
