/** Rate limits of requests, with counters in this process; the counters have a test of their own. */
import type { FastifyReply } from 'fastify';
import { describe, expect, test } from 'vitest';
import { Refused } from '#contract/refused.ts';
import { countersInProcess } from './rate-counters.ts';
import { RateLimit } from './rate-limit.ts';

function limit(burst: number, perSecond: number, maxBuckets?: number) {
  let now = 0;
  const counters = countersInProcess({ elapsedMs: () => now }, maxBuckets);
  const orders = new RateLimit('orders', { burst, perSecond }, counters);
  const headers: Record<string, unknown> = {};
  const reply = { header: (name: string, value: unknown) => Object.assign(headers, { [name]: value }) };
  const take = (at: number, key = 'key', account = 1, cost = 1) => {
    now = at;
    try {
      orders.take(reply as unknown as FastifyReply, [key, account], 1);
      if (cost > 1) orders.takeMore(reply as unknown as FastifyReply, [key, account], cost - 1, 1);
      return 'taken';
    } catch (thrown) {
      return thrown instanceof Refused ? thrown.details.headers?.['retry-after'] : thrown;
    }
  };
  return { take, headers };
}

describe('a rate limit', () => {
  test('admits a burst, then the steady rate', () => {
    const { take } = limit(3, 2);
    expect([take(0), take(0), take(0), take(0)]).toEqual(['taken', 'taken', 'taken', '1']);
    expect([take(499), take(500), take(500)]).toEqual(['1', 'taken', '1']);
    expect([take(10_000), take(10_000), take(10_000), take(10_000)]).toEqual(['taken', 'taken', 'taken', '1']);
  });

  test('counts per key, and per account over all its keys', () => {
    const { take } = limit(2, 1);
    expect([take(0), take(0), take(0)]).toEqual(['taken', 'taken', '1']);
    expect([take(0, 'second'), take(0, 'second')]).toEqual(['taken', 'taken']);
    expect([take(0, 'third'), take(0, 'fourth', 2)]).toEqual(['1', 'taken']);
  });

  test('takes nothing from the key if the account has no tokens left', () => {
    const { take, headers } = limit(2, 1);
    for (const key of ['a', 'a', 'b', 'b', 'c', 'c', 'c']) take(0, key);
    expect(headers.ratelimit).toBe('"orders-per-key";r=2;t=0, "orders-per-account";r=0;t=2');
  });

  test('reports the policy, the remaining tokens and the time until full', () => {
    const { take, headers } = limit(3, 2);
    take(0);
    take(0);
    expect(headers).toEqual({
      'ratelimit-policy': '"orders-per-key";q=3;w=2, "orders-per-account";q=6;w=2',
      ratelimit: '"orders-per-key";r=1;t=1, "orders-per-account";r=4;t=1',
    });
    take(400);
    expect(headers.ratelimit).toBe('"orders-per-key";r=0;t=2, "orders-per-account";r=4;t=1');
  });

  test('reports a full bucket when a token is given back after the bucket had begun to refill', async () => {
    let now = 0;
    const counters = countersInProcess({ elapsedMs: () => now });
    const steps = new RateLimit('ledgerSteps', { burst: 3, perSecond: 0.1 }, counters);
    const headers = new Map<string, unknown>([['ratelimit', '"signing-per-key";r=9;t=0']]);
    const reply = { header: (name: string, value: unknown) => headers.set(name, value), getHeader: headers.get.bind(headers) };
    const giveBack = await steps.takeAlso(reply as unknown as FastifyReply, ['key', 1]);
    now = 2_000;
    await giveBack();
    expect(headers.get('ratelimit')).toBe(
      '"signing-per-key";r=9;t=0, "ledgerSteps-per-key";r=3;t=0, "ledgerSteps-per-account";r=6;t=0',
    );
  });

  test('takes all tokens of a cost, or no tokens', () => {
    const { take, headers } = limit(5, 1);
    // A refused batch still costs the one token of the request.
    expect([take(0, 'a', 1, 3), take(0, 'a', 1, 3), take(0, 'a', 1)]).toEqual(['taken', '2', 'taken']);
    expect(headers.ratelimit).toBe('"orders-per-key";r=0;t=5, "orders-per-account";r=5;t=3');
    expect([take(0, 'a', 1, 4), take(4_000, 'a', 1, 4)]).toEqual(['1', 'taken']);
  });

  test('admits a cost larger than the burst, and lets the debt refill', () => {
    const { take } = limit(2, 1);
    expect([take(0, 'key', 1, 32), take(0), take(30_500), take(31_000)]).toEqual(['taken', '31', '1', 'taken']);
  });

  test.each([1, 2, 3, 7, 10, 100])('with a burst of %i admits any batch that is repeated after its Retry-After', (burst) => {
    for (let before = 0; before <= burst; before += 1) {
      for (const cost of [1, 2, 3, 5, 9, 10, 11, 32, 200]) {
        const { take } = limit(burst, 0.7);
        for (let count = 0; count < before; count += 1) take(0);
        let [response, at, refusals] = [take(0, 'key', 1, cost), 0, 0];
        for (; response !== 'taken' && refusals < 3; refusals += 1) {
          at += Number(response) * 1_000;
          response = take(at, 'key', 1, cost);
        }
        // Before its body is read, a request is not known to be a batch.
        expect(refusals, `${cost} after ${before}`).toBeLessThanOrEqual(before === burst && cost > 1 ? 2 : 1);
      }
    }
  });

  test('evicts the least recently used bucket if there are too many', () => {
    const { take } = limit(1, 0.001, 2);
    expect([take(0, 'a', 1), take(1, 'b', 2), take(2, 'a', 1), take(3, 'c', 3)]).toEqual([
      'taken',
      'taken',
      expect.stringMatching(/^[0-9]+$/),
      'taken',
    ]);
    expect([take(4, 'a', 1), take(5, 'b', 2)]).toEqual([expect.stringMatching(/^[0-9]+$/), 'taken']);
  });

  test('reports how long to wait', () => {
    const { take } = limit(1, 0.1);
    expect([take(5_000), take(5_000), take(14_000), take(15_000)]).toEqual(['taken', '10', '1', 'taken']);
  });

  test('loses nothing to fractions of a millisecond', () => {
    const { take } = limit(3, 3);
    const moments = Array.from({ length: 30_000 }, (_, index) => Math.floor(index / 3) * 1_000);
    expect(moments.map((at) => take(at)).filter((response) => response !== 'taken')).toEqual([]);
    expect(take(9_999_000)).toBe('1');
  });
});
