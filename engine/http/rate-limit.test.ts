import { describe, expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import { rateLimit } from './rate-limit.ts';
import { Refused } from './refused.ts';

const account = 1 as AccountOrdinal;
const other = 2 as AccountOrdinal;

function limit(burst: number, perSecond: number, mostBuckets?: number) {
  const take = rateLimit<AccountOrdinal>({ burst, perSecond }, mostBuckets);
  return (at: number, who = account, cost = 1) => {
    try {
      take(who, epochMs(at), cost);
      return 'taken';
    } catch (thrown) {
      return thrown instanceof Refused ? thrown.details.headers?.['retry-after'] : thrown;
    }
  };
}

describe('a rate limit', () => {
  test('takes a burst, then the steady rate', () => {
    const take = limit(3, 2);
    expect([take(0), take(0), take(0), take(0)]).toEqual(['taken', 'taken', 'taken', '1']);
    expect([take(499), take(500), take(500)]).toEqual(['1', 'taken', '1']);
    expect([take(10_000), take(10_000), take(10_000), take(10_000)]).toEqual(['taken', 'taken', 'taken', '1']);
  });

  test('takes as many as are asked for at once, or none', () => {
    const take = limit(5, 1);
    expect([take(0, account, 3), take(0, account, 3), take(0, account, 2)]).toEqual(['taken', '1', 'taken']);
    expect([take(0, account, 4), take(4_000, account, 4)]).toEqual(['4', 'taken']);
  });

  test('lets what costs more than a burst through, and has it paid off', () => {
    const take = limit(2, 1);
    expect([take(0, account, 32), take(0), take(30_500), take(31_000)]).toEqual(['taken', '31', '1', 'taken']);
    expect([take(31_000, account, 32), take(33_000, account, 32)]).toEqual(['2', 'taken']);
  });

  test('is counted per account', () => {
    const take = limit(1, 1);
    expect([take(0), take(0), take(0, other)]).toEqual(['taken', '1', 'taken']);
  });

  test('forgets whoever was silent for longest, where there are too many', () => {
    const take = limit(1, 0.001, 2);
    const third = 3 as AccountOrdinal;
    expect([take(0), take(1, other), take(2), take(3, third)]).toEqual([
      'taken',
      'taken',
      expect.stringMatching(/^[0-9]+$/),
      'taken',
    ]);
    expect([take(4), take(5, other)]).toEqual([expect.stringMatching(/^[0-9]+$/), 'taken']);
  });

  test('says how long to wait and survives a clock that steps back', () => {
    const take = limit(1, 0.1);
    expect([take(5_000), take(5_000), take(1_000), take(11_000)]).toEqual(['taken', '10', '10', 'taken']);
  });
});
