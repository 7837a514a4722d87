import { describe, expect, test } from 'vitest';
import type { AccountOrdinal } from '#units/ids.ts';
import { epochMs } from '#units/money.ts';
import { DEFAULT_HTTP_LIMITS } from './ports.ts';
import { placementLimit } from './rate-limit.ts';
import { Refused } from './refused.ts';

const account = 1 as AccountOrdinal;
const other = 2 as AccountOrdinal;

function limit(placementBurst: number, placementsPerSecond: number) {
  const take = placementLimit({ ...DEFAULT_HTTP_LIMITS, placementBurst, placementsPerSecond });
  return (at: number, who = account) => {
    try {
      take(who, epochMs(at));
      return 'taken';
    } catch (thrown) {
      return thrown instanceof Refused ? thrown.details.headers?.['retry-after'] : thrown;
    }
  };
}

describe('the placement limit', () => {
  test('takes a burst, then the steady rate', () => {
    const take = limit(3, 2);
    expect([take(0), take(0), take(0), take(0)]).toEqual(['taken', 'taken', 'taken', '1']);
    expect([take(499), take(500), take(500)]).toEqual(['1', 'taken', '1']);
    expect([take(10_000), take(10_000), take(10_000), take(10_000)]).toEqual(['taken', 'taken', 'taken', '1']);
  });

  test('is counted per account', () => {
    const take = limit(1, 1);
    expect([take(0), take(0), take(0, other)]).toEqual(['taken', '1', 'taken']);
  });

  test('says how long to wait and survives a clock that steps back', () => {
    const take = limit(1, 0.1);
    expect([take(5_000), take(5_000), take(1_000), take(11_000)]).toEqual(['taken', '10', '10', 'taken']);
  });
});
