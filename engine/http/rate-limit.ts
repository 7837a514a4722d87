/**
 * A token bucket per account: a burst at once, then a steady rate. Memory is bounded by the accounts that exist.
 */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import type { HttpLimits } from './ports.ts';
import { Refused } from './refused.ts';

interface Bucket {
  tokens: number;
  filledAtEpochMs: EpochMs;
}

/** Takes one token, or throws {@link Refused} `rate_limited` with the seconds until there is one. */
export type TakePlacement = (account: AccountOrdinal, now: EpochMs) => void;

export function placementLimit({ placementBurst, placementsPerSecond }: HttpLimits): TakePlacement {
  const buckets = new Map<AccountOrdinal, Bucket>();
  return (account, now) => {
    const bucket = buckets.get(account) ?? { tokens: placementBurst, filledAtEpochMs: now };
    buckets.set(account, bucket);
    const elapsedMs = Math.max(0, now - bucket.filledAtEpochMs);
    bucket.tokens = Math.min(placementBurst, bucket.tokens + (elapsedMs * placementsPerSecond) / 1_000);
    bucket.filledAtEpochMs = now;
    if (bucket.tokens < 1) {
      const seconds = Math.ceil((1 - bucket.tokens) / placementsPerSecond);
      throw new Refused('rate_limited', undefined, { headers: { 'retry-after': String(seconds) } });
    }
    bucket.tokens -= 1;
  };
}
