/**
 * Rate limits that several processes count together: the buckets of `engine/http/access/rate-counters.ts` in Redis, by the clock
 * of Redis. While Redis is unavailable each process counts for itself: limits are then looser, and clients can still trade.
 */
import type { RatePolicy } from '#contract/limits.ts';
import {
  CLOCK_ERROR_MS,
  capacityMs,
  intervalMs,
  neededMs,
  type RateCounters,
  type TakeTokens,
  type TokensTaken,
} from '#http/access/rate-counters.ts';
import { StoreUnavailable } from '#identity/store-unavailable.ts';
import { type RedisLink, script } from './redis-link.ts';

/**
 * KEYS: the buckets. ARGV, three of each, in milliseconds: the cost, the required level, and the capacity. A bucket stores
 * how far it is from full, and when that was. The clock of Redis can be set back, or a replica with another clock takes over: a
 * bucket from the future then counts as one of now, and is stored as such even if the request is refused, so that it refills from
 * here. A full bucket is deleted.
 */
const TAKE = script(`
local time = redis.call('TIME')
local now = time[1] * 1000 + time[2] / 1000
local isTaken, full, isAhead = 1, {}, {}
for i = 1, #KEYS do
  local needed, capacity = tonumber(ARGV[3 * i - 1]), tonumber(ARGV[3 * i])
  local left, at = string.match(redis.call('GET', KEYS[i]) or '0@0', '^(.*)@(.*)$')
  left, at = tonumber(left), tonumber(at)
  full[i] = math.max(0, left - math.max(0, now - at))
  isAhead[i] = at > now
  if full[i] + needed > capacity + ${CLOCK_ERROR_MS} then isTaken = 0 end
end
local answer = { isTaken }
for i = 1, #KEYS do
  if isTaken == 1 then full[i] = math.max(0, full[i] + tonumber(ARGV[3 * i - 2])) end
  if isTaken == 1 or isAhead[i] then
    redis.call('SET', KEYS[i], string.format('%.3f@%.3f', full[i], now), 'PX', math.max(1, math.ceil(full[i])))
  end
  answer[i + 1] = string.format('%.3f', full[i])
end
return answer`);

/** `inProcess` counts while Redis is unavailable. */
export function countersInRedis(redis: RedisLink, inProcess: RateCounters): RateCounters {
  return {
    open(policies) {
      const takeHere = inProcess.open(policies);
      const amounts = (cost: number, before: number) =>
        policies.flatMap((policy) => [cost * intervalMs(policy), neededMs(policy, cost, before), capacityMs(policy)]);
      return async (who, cost, before = 0) => {
        if (!redis.isUp) return takeHere(who, cost, before);
        try {
          return resultOf(
            (await redis.run(TAKE, bucketsOf(policies, who), amounts(cost, before))) as readonly (number | string)[],
          );
        } catch (error) {
          if (error instanceof StoreUnavailable) return takeHere(who, cost, before);
          throw error;
        }
      };
    },
  };
}

function bucketsOf(policies: readonly RatePolicy[], who: Parameters<TakeTokens>[0]): readonly string[] {
  return policies.map(({ name }, index) => `bucket:${name}:${who[index]}`);
}

function resultOf([isTaken, ...full]: readonly (number | string)[]): TokensTaken {
  return { isTaken: isTaken === 1, fullInMs: full.map(Number) };
}
