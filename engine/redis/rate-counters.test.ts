/** The counters of rate limits: one suite, over this process and over Redis; and what happens while Redis is unavailable. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { RatePolicy } from '#contract/limits.ts';
import type { Refused } from '#contract/refused.ts';
import { countersInProcess, type RateCounters } from '#http/access/rate-counters.ts';
import { RateLimit } from '#http/access/rate-limit.ts';
import { systemTime } from '#time/system-time.ts';
import { countersInRedis } from './rate-counters.ts';
import { RedisLink } from './redis-link.ts';
import { NO_REDIS, RedisProcess } from './testing/redis-process.ts';

interface Stage {
  readonly counters: RateCounters;
  /** Waits, or moves the clock. */
  readonly wait: (ms: number) => Promise<void>;
  readonly elapsedMs: () => number;
}

let redis: RedisProcess;
let link: RedisLink;
let now = 0;
let round = 0;
const clock = { elapsedMs: () => now };
const lines: string[] = [];

beforeAll(async () => {
  if (NO_REDIS !== undefined) return;
  redis = await RedisProcess.start();
  link = linked('test', (line) => lines.push(line));
  await link.settled();
});
afterAll(async () => {
  link?.close();
  await redis?.remove();
});
beforeEach(() => {
  round += 1;
});

function linked(prefix: string, log: (line: string) => void = () => {}): RedisLink {
  const onInternalError = (error: unknown) => {
    throw error;
  };
  return new RedisLink({ url: redis.url, prefix, steadyClock: systemTime.steadyClock, log, onInternalError });
}

function policy(name: string, burst: number, perSecond: number): RatePolicy {
  return { name: `${name}-${round}`, partition: 'key', burst, perSecond };
}

const inProcess = (): Stage => ({
  counters: countersInProcess(clock),
  wait: async (ms) => {
    now += ms;
  },
  elapsedMs: () => now,
});
const inRedis = (): Stage => ({
  counters: countersInRedis(link, neverQueried),
  wait: (ms) => sleep(ms),
  elapsedMs: () => performance.now(),
});
const neverQueried: RateCounters = {
  open: () => () => {
    throw new Error('Redis is available');
  },
};

/** A reply whose headers are not read. */
const IGNORED_REPLY = { header: () => {} } as unknown as FastifyReply;

const PLACES: [string, () => Stage, string | undefined][] = [
  ['in this process', inProcess, undefined],
  ['in Redis', inRedis, NO_REDIS],
];

for (const [place, make, missing] of PLACES) {
  describe.skipIf(missing !== undefined)(`buckets ${place}`, () => {
    test('contain a burst and fill at the steady rate', async () => {
      const { counters, wait, elapsedMs } = make();
      const take = counters.open([policy('a', 3, 20)]);
      const resultOf = async (cost: number) => {
        let count = 0;
        for (let left = cost; left > 0; left -= 1) count += Number((await take(['who'], 1)).isTaken);
        return count;
      };
      const startedAt = elapsedMs();
      expect(await resultOf(3)).toBe(3);
      // Nothing more can be taken until tokens are refilled.
      expect(await resultOf(5)).toBeLessThanOrEqual((elapsedMs() - startedAt) / 50);
      await wait(101);
      const taken = await resultOf(6);
      expect(taken).toBeGreaterThanOrEqual(2);
      expect(taken).toBeLessThanOrEqual((elapsedMs() - startedAt) / 50);
      await wait(200);
      expect(await resultOf(3)).toBe(3);
    });

    test('are separate by client and by policy', async () => {
      const { counters } = make();
      const [one, other] = [counters.open([policy('a', 1, 0.01)]), counters.open([policy('b', 1, 0.01)])];
      expect((await one(['who'], 1)).isTaken).toBe(true);
      expect((await one(['who'], 1)).isTaken).toBe(false);
      expect((await one([7], 1)).isTaken).toBe(true);
      expect((await other(['who'], 1)).isTaken).toBe(true);
    });

    test('are taken from together or not at all', async () => {
      const { counters } = make();
      const take = counters.open([policy('key', 2, 0.01), policy('account', 3, 0.01)]);
      const taken: boolean[] = [];
      for (const key of ['a', 'a', 'a', 'b', 'b', 'c']) taken.push((await take([key, 1], 1)).isTaken);
      expect(taken).toEqual([true, true, false, true, false, false]);
      // The account's bucket is empty, and nothing was taken from c's own bucket.
      const { fullInMs } = await take(['c', 1], 1);
      expect(fullInMs[0]).toBe(0);
      expect(fullInMs[1]).toBeGreaterThan(299_000);
      expect((await take(['c', 2], 1)).isTaken).toBe(true);
    });

    test('give several tokens or no token; tokens beyond the capacity are owed if more than one is taken', async () => {
      const { counters } = make();
      const take = counters.open([policy('a', 5, 0.1)]);
      const taken = async (cost: number) => (await take(['who'], cost)).isTaken;
      expect([await taken(3), await taken(3), await taken(2), await taken(1)]).toEqual([true, false, true, false]);
      const batch = counters.open([policy('b', 2, 0.1)]);
      await batch(['who'], 1);
      const { isTaken, fullInMs } = await batch(['who'], 31, 1);
      expect(isTaken).toBe(true);
      expect(fullInMs[0]).toBeGreaterThan(319_000);
      expect((await batch(['who'], 1)).isTaken).toBe(false);
    });

    test('hold no more than their burst when a token is given back after they have filled', async () => {
      const { counters, wait } = make();
      const take = counters.open([policy('a', 2, 100)]);
      await take(['who'], 1);
      await wait(50);
      expect(await take(['who'], -1)).toEqual({ isTaken: true, fullInMs: [0] });
    });

    test('accept a refused batch after its retry-after, counted as a whole request again', async () => {
      const { counters, wait } = make();
      const limit = new RateLimit('orders', { burst: 10, perSecond: 1 }, counters);
      const take = async (count: number) => {
        try {
          await limit.take(IGNORED_REPLY, [`${place} ${round}`, round], 1);
          if (count > 1) await limit.takeMore(IGNORED_REPLY, [`${place} ${round}`, round], count - 1, 1);
        } catch (thrown) {
          return Number((thrown as Refused).details.headers!['retry-after']);
        }
        return 'taken';
      };
      expect(await take(6)).toBe('taken');
      const waitSeconds = await take(5);
      expect(waitSeconds).toBe(2);
      await wait(2_000);
      expect(await take(5)).toBe('taken');
    });

    test('report how long they take to be full', async () => {
      const { counters } = make();
      const take = counters.open([policy('a', 10, 0.1)]);
      await take(['who'], 1);
      const { fullInMs } = await take(['who'], 1);
      expect(fullInMs).toHaveLength(1);
      expect(fullInMs[0]).toBeGreaterThan(19_000);
      expect(fullInMs[0]).toBeLessThanOrEqual(20_000);
    });

    test('admit exactly what they contain, however many requests come at once', async () => {
      const { counters } = make();
      const take = counters.open([policy('a', 25, 0.001)]);
      const taken = await Promise.all(Array.from({ length: 200 }, () => take(['who'], 1)));
      expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(25);
    });
  });
}

describe.skipIf(NO_REDIS !== undefined)('buckets in Redis', () => {
  test('are counted by several processes together', async () => {
    const other = linked('test');
    await other.settled();
    const policies = [policy('a', 10, 0.001)];
    const takes = [link, other].map((each) => countersInRedis(each, neverQueried).open(policies));
    const taken = await Promise.all(Array.from({ length: 40 }, (_, index) => takes[index % 2]!(['who'], 1)));
    expect(taken.filter(({ isTaken }) => isTaken)).toHaveLength(10);
    other.close();
  });

  test('belong to the venue of their prefix', async () => {
    const other = linked('other');
    await other.settled();
    const policies = [policy('a', 1, 0.001)];
    for (const each of [link, other])
      expect((await countersInRedis(each, neverQueried).open(policies)(['who'], 1)).isTaken).toBe(true);
    other.close();
  });

  test('are counted in this process while Redis is unavailable, without waiting, and in Redis afterwards', async () => {
    const take = countersInRedis(link, countersInProcess(clock)).open([policy('a', 3, 0.001)]);
    const taken = async () => (await take(['who'], 1)).isTaken;
    expect(await taken()).toBe(true);
    await redis.kill();
    await expect.poll(() => link.isUp).toBe(false);
    expect([await taken(), await taken(), await taken(), await taken()]).toEqual([true, true, true, false]);
    await redis.start();
    await expect.poll(() => link.isUp).toBe(true);
    expect([await taken(), await taken(), await taken(), await taken()]).toEqual([true, true, true, false]);
    expect(lines).toEqual([
      expect.stringMatching(/^redis: unavailable \(.+\): .+; tickets, sessions, challenges and device grants are refused; /),
      'redis: available again',
    ]);
  });

  test('are counted in this process while Redis hangs: only one call waits', async () => {
    const take = countersInRedis(link, countersInProcess(clock)).open([policy('a', 1_000, 0.001)]);
    await take(['who'], 1);
    await redis.hang();
    try {
      await take(['who'], 1);
      expect(link.isUp).toBe(false);
      const taken = await Promise.all(Array.from({ length: 500 }, () => take(['who'], 1)));
      expect(taken.every(({ isTaken }) => isTaken)).toBe(true);
    } finally {
      await redis.proceed();
    }
    await expect.poll(() => link.isUp).toBe(true);
  });

  test('refill from their state when the clock of Redis is set back an hour', async () => {
    const client = new Redis(redis.url);
    const take = countersInRedis(link, neverQueried).open([policy('set-back', 10, 5)]);
    for (let count = 0; count < 9; count += 1) await take(['who'], 1);
    const [key] = await client.keys('*set-back*');
    // As of a clock that was an hour ahead.
    const [left, at] = (await client.get(key!))!.split('@').map(Number) as [number, number];
    await client.set(key!, `${left}@${at + 3_600_000}`);
    const { isTaken, fullInMs } = await take(['who'], 5);
    expect(isTaken).toBe(false);
    expect(fullInMs[0]).toBeLessThanOrEqual(1_800);
    // The refusal has stored it: the bucket continues by the current clock.
    const [, writtenAt] = (await client.get(key!))!.split('@').map(Number) as [number, number];
    expect(writtenAt).toBeLessThan(at + 3_600_000);
    await expect.poll(async () => (await take(['who'], 5)).isTaken, { interval: 100 }).toBe(true);
    client.disconnect();
  });

  test('expire by themselves', async () => {
    const take = countersInRedis(link, neverQueried).open([policy('gone', 5, 100)]);
    await take(['who'], 1);
    const client = new Redis(redis.url);
    await expect.poll(() => client.keys('*gone*')).toEqual([]);
    client.disconnect();
  });
});
