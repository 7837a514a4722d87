import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bps, EpochMs, PriceAtoms } from '#units/money.ts';
import type { IndexLimits, IndexMemory } from './index-guard.ts';
import { indexStatusAt, NO_INDEX, observeIndex } from './index-guard.ts';

/** Age up to 10 seconds, jumps up to 5 %, two confirmations. */
const LIMITS: IndexLimits = { maxIndexAgeMs: 10_000, maxIndexJumpBps: 500 as Bps, indexConfirmations: 2 };

/** The index of a market: `observe` returns the verdict on an observation, and the accepted price and the status after it. */
class Watch {
  memory: IndexMemory = NO_INDEX;
  now = 1_000_000;

  observe(price: number, { after = 1_000, age = 0 } = {}): string {
    this.now += after;
    const observation = { priceAtoms: price as PriceAtoms, observedAtEpochMs: (this.now - age) as EpochMs };
    const { verdict, memory } = observeIndex(this.memory, observation, this.now as EpochMs, LIMITS);
    this.memory = memory;
    return `${verdict}: ${memory.acceptedPriceAtoms} ${this.status}`;
  }

  get status(): string {
    return indexStatusAt(this.memory, this.now as EpochMs, LIMITS);
  }
}

function watchAt(price: number): Watch {
  const watch = new Watch();
  watch.observe(price);
  return watch;
}

describe('age', () => {
  test('is stale before the first price, and accepts any first price', () => {
    const watch = new Watch();
    expect(watch.status).toBe('stale');
    expect(watch.observe(10_000)).toBe('accepted: 10000 current');
  });

  test('keeps a price current until its maximum age, to the millisecond', () => {
    const watch = watchAt(10_000);
    watch.now += 10_000;
    expect(watch.status).toBe('current');
    watch.now += 1;
    expect(watch.status).toBe('stale');
    expect(watch.observe(10_100)).toBe('accepted: 10100 current');
  });

  test('ignores an observation that is too old when it arrives', () => {
    expect(new Watch().observe(10_000, { age: 10_001 })).toBe('ignored: 0 stale');
    const watch = watchAt(10_000);
    expect(watch.observe(10_010, { after: 60_000, age: 10_001 })).toBe('ignored: 10000 stale');
    expect(watch.observe(10_010, { age: 10_000 })).toBe('accepted: 10010 current');
  });

  test('ignores an observation that is not newer than the accepted one', () => {
    const watch = watchAt(10_000);
    expect(watch.observe(10_010, { after: 0, age: 1 })).toBe('ignored: 10000 current');
    expect(watch.observe(10_010, { after: 0 })).toBe('ignored: 10000 current');
    expect(watch.observe(10_010, { after: 1 })).toBe('accepted: 10010 current');
  });

  test('treats an observation from the future as made now, so that it blocks no later one', () => {
    const watch = watchAt(10_000);
    expect(watch.observe(10_010, { age: -86_400_000 })).toBe('accepted: 10010 current');
    expect(watch.observe(10_020)).toBe('accepted: 10020 current');
    watch.now += 10_001;
    expect(watch.status).toBe('stale');
  });
});

describe('a jump', () => {
  test('is pending from one tick beyond the limit', () => {
    expect(watchAt(10_000).observe(10_500)).toBe('accepted: 10500 current');
    expect(watchAt(10_000).observe(9_500)).toBe('accepted: 9500 current');
    expect(watchAt(10_000).observe(10_501)).toBe('pending: 10000 unconfirmed');
    expect(watchAt(10_000).observe(9_499)).toBe('pending: 10000 unconfirmed');
  });

  test('is accepted at the newest price after enough confirmations, each near the previous price', () => {
    const watch = watchAt(10_000);
    expect(watch.observe(12_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(12_600)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(13_230)).toBe('accepted: 13230 current');
    expect(watch.observe(13_240)).toBe('accepted: 13240 current');
  });

  test('is not confirmed by a repeated observation or an earlier one', () => {
    const watch = watchAt(10_000);
    watch.observe(12_000);
    expect(watch.observe(12_000, { after: 0 })).toBe('ignored: 10000 unconfirmed');
    expect(watch.observe(12_000, { after: 500, age: 600 })).toBe('ignored: 10000 unconfirmed');
    expect(watch.observe(12_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(12_000)).toBe('accepted: 12000 current');
  });

  test('ends when the price returns to the accepted one', () => {
    const watch = watchAt(10_000);
    watch.observe(12_000);
    watch.observe(12_000);
    expect(watch.observe(10_400)).toBe('accepted: 10400 current');
    expect(watch.observe(12_000)).toBe('pending: 10400 unconfirmed');
    expect(watch.observe(12_000)).toBe('pending: 10400 unconfirmed');
  });

  test('restarts when the price jumps again', () => {
    const watch = watchAt(10_000);
    watch.observe(12_000);
    watch.observe(12_000);
    expect(watch.observe(14_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(14_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(14_000)).toBe('accepted: 14000 current');
  });

  test('expires like any other price, and then restarts', () => {
    const watch = watchAt(10_000);
    watch.observe(12_000);
    watch.observe(12_000, { after: 10_000 });
    expect(watch.status).toBe('unconfirmed');
    watch.now += 10_001;
    expect(watch.status).toBe('stale');
    expect(watch.observe(12_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(12_000)).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(12_000)).toBe('accepted: 12000 current');
  });

  test('is detected after a gap too', () => {
    const watch = watchAt(10_000);
    expect(watch.observe(1, { after: 3_600_000 })).toBe('pending: 10000 unconfirmed');
    expect(watch.observe(10_000)).toBe('accepted: 10000 current');
  });
});

test('moves the accepted price beyond the limit only with enough confirmations, for any observations', () => {
  const observation = fc.record({
    price: fc.oneof(
      fc.constantFrom(10_000, 12_000, 12_500, 12_700),
      fc.integer({ min: 9_000, max: 11_000 }),
      fc.integer({ min: 1, max: 30_000 }),
    ),
    after: fc.oneof(fc.nat(3_000), fc.nat(30_000)),
    age: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 15_000 })),
  });
  fc.assert(
    fc.property(fc.array(observation, { maxLength: 60 }), (observations) => {
      const watch = watchAt(10_000);
      let pending: { price: number; at: number }[] = [];
      for (const { price, after, age } of observations) {
        const before = watch.memory;
        const verdict = watch.observe(price, { after, age });
        const at = Math.min(watch.now, watch.now - age);
        if (verdict.startsWith('pending'))
          pending = watch.memory.confirmations === 0 ? [{ price, at }] : [...pending, { price, at }];
        if (verdict.startsWith('accepted') && Math.abs(price - before.acceptedPriceAtoms) * 20 > before.acceptedPriceAtoms) {
          // The newest three are in order of time, and each is near the previous one.
          const last = [...pending.slice(-2), { price, at }];
          expect(last).toHaveLength(3);
          for (const index of [1, 2]) {
            const [from, to] = [last[index - 1]!, last[index]!];
            expect(Math.abs(to.price - from.price) * 20).toBeLessThanOrEqual(from.price);
            expect(to.at).toBeGreaterThan(from.at);
          }
        }
        if (verdict.startsWith('accepted')) pending = [];
        if (watch.status === 'current') {
          expect(watch.now - watch.memory.acceptedAtEpochMs).toBeLessThanOrEqual(10_000);
          expect(watch.memory.pendingPriceAtoms).toBe(0);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
