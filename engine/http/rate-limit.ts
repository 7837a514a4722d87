/**
 * Token buckets: a burst at once, then a steady rate, for each account or address. Memory is bounded: of too many the
 * one that was silent for longest is forgotten, which does it good and nobody harm.
 */
import type { EpochMs } from '#units/money.ts';
import type { Rate } from './ports.ts';
import { Refused } from './refused.ts';

interface Bucket {
  tokens: number;
  filledAtEpochMs: EpochMs;
}

/**
 * Takes tokens of whoever it is, one where nothing else is said, or throws {@link Refused} `rate_limited` with the seconds
 * until there are as many. What costs more than a whole burst takes a full bucket, and is paid off before the next.
 */
export type TakeTokens<Who> = (who: Who, now: EpochMs, cost?: number) => void;

const MOST_BUCKETS = 65_536;

export function rateLimit<Who>({ burst, perSecond }: Rate, mostBuckets = MOST_BUCKETS): TakeTokens<Who> {
  const buckets = new Map<Who, Bucket>();
  return (who, now, cost = 1) => {
    const bucket = buckets.get(who) ?? { tokens: burst, filledAtEpochMs: now };
    // Taken out and put in again, the map is in the order of their last request.
    buckets.delete(who);
    buckets.set(who, bucket);
    if (buckets.size > mostBuckets) for (const oldest of buckets.keys()) if (buckets.delete(oldest)) break;
    const elapsedMs = Math.max(0, now - bucket.filledAtEpochMs);
    bucket.tokens = Math.min(burst, bucket.tokens + (elapsedMs * perSecond) / 1_000);
    bucket.filledAtEpochMs = now;
    const needed = Math.min(cost, burst);
    if (bucket.tokens < needed) {
      const seconds = Math.ceil((needed - bucket.tokens) / perSecond);
      throw new Refused('rate_limited', undefined, { headers: { 'retry-after': String(seconds) } });
    }
    bucket.tokens -= cost;
  };
}
