/**
 * Rate limits that several processes count together: the buckets of `engine/http/rate-counters.ts` in Redis, by its own
 * clock. While Redis is away each process counts for itself: a limit is then looser, and nobody is kept from trading.
 */
import type { RatePolicy } from '#contract/limits.ts';
import {
  CLOCK_ERROR_MS,
  capacityMs,
  intervalMs,
  mostMs,
  neededMs,
  type RateCounters,
  type Taken,
  type TakeRate,
} from '#http/rate-counters.ts';
import { StoreAway } from '#identity/store-away.ts';
import { type RedisLink, script } from './redis-link.ts';

/**
 * KEYS: the buckets. ARGV, four of each, in milliseconds: what is taken, what must be there, the capacity, and the most that a
 * bucket can be from full. A bucket goes when it is full.
 */
const TAKE = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local isTaken, full = 1, {}
for i = 1, #KEYS do
  local needed, capacity, most = tonumber(ARGV[4 * i - 2]), tonumber(ARGV[4 * i - 1]), tonumber(ARGV[4 * i])
  local kept = tonumber(redis.call('GET', KEYS[i]) or now)
  full[i] = math.min(math.max(0, kept - now), most)
  if full[i] + needed > capacity + ${CLOCK_ERROR_MS} then isTaken = 0 end
end
local answer = { isTaken }
for i = 1, #KEYS do
  if isTaken == 1 then
    full[i] = full[i] + tonumber(ARGV[4 * i - 3])
    redis.call('SET', KEYS[i], string.format('%.3f', now + full[i]), 'PX', math.max(1, math.ceil(full[i])))
  end
  answer[i + 1] = string.format('%.3f', full[i])
end
return answer`);

/** `inProcess` counts while Redis is away. */
export function countersInRedis(redis: RedisLink, inProcess: RateCounters): RateCounters {
  return {
    open(policies) {
      const takeHere = inProcess.open(policies);
      const amounts = (cost: number, before: number) =>
        policies.flatMap((policy) => [
          cost * intervalMs(policy),
          neededMs(policy, cost, before),
          capacityMs(policy),
          mostMs(policy),
        ]);
      return async (who, cost, before = 0) => {
        if (!redis.isUp) return takeHere(who, cost, before);
        try {
          return takenOf(
            (await redis.run(TAKE, bucketsOf(policies, who), amounts(cost, before))) as readonly (number | string)[],
          );
        } catch (error) {
          if (error instanceof StoreAway) return takeHere(who, cost, before);
          throw error;
        }
      };
    },
  };
}

function bucketsOf(policies: readonly RatePolicy[], who: Parameters<TakeRate>[0]): readonly string[] {
  return policies.map(({ name }, index) => `rate:${name}:${who[index]}`);
}

function takenOf([isTaken, ...full]: readonly (number | string)[]): Taken {
  return { isTaken: isTaken === 1, fullInMs: full.map(Number) };
}
