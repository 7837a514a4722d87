import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Bps, EpochMs, PriceAtoms } from '#units/money.ts';
import type { IndexLimits, IndexMemory } from './index-guard.ts';
import { indexStatusAt, NO_INDEX, observeIndex } from './index-guard.ts';

/** 10 seconds, 5 %, two others must agree. */
const LIMITS: IndexLimits = { maxIndexAgeMs: 10_000, maxIndexJumpBps: 500 as Bps, indexConfirmations: 2 };

/** A market's index as a client sees it: what was told of each observation, and the price and status after it. */
class Watch {
  memory: IndexMemory = NO_INDEX;
  now = 1_000_000;

  see(price: number, { after = 1_000, age = 0 } = {}): string {
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
  watch.see(price);
  return watch;
}

describe('age', () => {
  test('there is no index before the first price, and the first is taken as it is', () => {
    const watch = new Watch();
    expect(watch.status).toBe('stale');
    expect(watch.see(10_000)).toBe('accepted: 10000 current');
  });

  test('a price holds for as long as it may be old, to the millisecond', () => {
    const watch = watchAt(10_000);
    watch.now += 10_000;
    expect(watch.status).toBe('current');
    watch.now += 1;
    expect(watch.status).toBe('stale');
    expect(watch.see(10_100)).toBe('accepted: 10100 current');
  });

  test('an observation that is old when it arrives is not taken, neither first nor later', () => {
    expect(new Watch().see(10_000, { age: 10_001 })).toBe('ignored: 0 stale');
    const watch = watchAt(10_000);
    expect(watch.see(10_010, { after: 60_000, age: 10_001 })).toBe('ignored: 10000 stale');
    expect(watch.see(10_010, { age: 10_000 })).toBe('accepted: 10010 current');
  });

  test('one that was made before the one that holds is not taken; nor is another of the same moment', () => {
    const watch = watchAt(10_000);
    expect(watch.see(10_010, { after: 0, age: 1 })).toBe('ignored: 10000 current');
    expect(watch.see(10_010, { after: 0 })).toBe('ignored: 10000 current');
    expect(watch.see(10_010, { after: 1 })).toBe('accepted: 10010 current');
  });

  test('one from ahead of the time counts as made now, and shuts out nobody', () => {
    const watch = watchAt(10_000);
    expect(watch.see(10_010, { age: -86_400_000 })).toBe('accepted: 10010 current');
    expect(watch.see(10_020)).toBe('accepted: 10020 current');
    watch.now += 10_001;
    expect(watch.status).toBe('stale');
  });
});

describe('a jump', () => {
  test('of exactly the limit is none, one tick more is held back', () => {
    expect(watchAt(10_000).see(10_500)).toBe('accepted: 10500 current');
    expect(watchAt(10_000).see(9_500)).toBe('accepted: 9500 current');
    expect(watchAt(10_000).see(10_501)).toBe('held: 10000 unconfirmed');
    expect(watchAt(10_000).see(9_499)).toBe('held: 10000 unconfirmed');
  });

  test('holds once enough others have come, each near the one before, at the newest price', () => {
    const watch = watchAt(10_000);
    expect(watch.see(12_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(12_600)).toBe('held: 10000 unconfirmed');
    expect(watch.see(13_230)).toBe('accepted: 13230 current');
    expect(watch.see(13_240)).toBe('accepted: 13240 current');
  });

  test('is not confirmed by the same observation told again, nor by an earlier one', () => {
    const watch = watchAt(10_000);
    watch.see(12_000);
    expect(watch.see(12_000, { after: 0 })).toBe('ignored: 10000 unconfirmed');
    expect(watch.see(12_000, { after: 500, age: 600 })).toBe('ignored: 10000 unconfirmed');
    expect(watch.see(12_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(12_000)).toBe('accepted: 12000 current');
  });

  test('ends when the price is back where it was', () => {
    const watch = watchAt(10_000);
    watch.see(12_000);
    watch.see(12_000);
    expect(watch.see(10_400)).toBe('accepted: 10400 current');
    expect(watch.see(12_000)).toBe('held: 10400 unconfirmed');
    expect(watch.see(12_000)).toBe('held: 10400 unconfirmed');
  });

  test('begins anew where the next is elsewhere again', () => {
    const watch = watchAt(10_000);
    watch.see(12_000);
    watch.see(12_000);
    expect(watch.see(14_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(14_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(14_000)).toBe('accepted: 14000 current');
  });

  test('grows old like any other price, and begins anew after that', () => {
    const watch = watchAt(10_000);
    watch.see(12_000);
    watch.see(12_000, { after: 10_000 });
    expect(watch.status).toBe('unconfirmed');
    watch.now += 10_001;
    expect(watch.status).toBe('stale');
    expect(watch.see(12_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(12_000)).toBe('held: 10000 unconfirmed');
    expect(watch.see(12_000)).toBe('accepted: 12000 current');
  });

  test('over a gap is one too', () => {
    const watch = watchAt(10_000);
    expect(watch.see(1, { after: 3_600_000 })).toBe('held: 10000 unconfirmed');
    expect(watch.see(10_000)).toBe('accepted: 10000 current');
  });
});

test('however observations come, the price that holds never moves beyond the limit but with as many that agree', () => {
  const seen = fc.record({
    price: fc.oneof(
      fc.constantFrom(10_000, 12_000, 12_500, 12_700),
      fc.integer({ min: 9_000, max: 11_000 }),
      fc.integer({ min: 1, max: 30_000 }),
    ),
    after: fc.oneof(fc.nat(3_000), fc.nat(30_000)),
    age: fc.oneof(fc.constant(0), fc.integer({ min: -5_000, max: 15_000 })),
  });
  fc.assert(
    fc.property(fc.array(seen, { maxLength: 60 }), (observations) => {
      const watch = watchAt(10_000);
      let pending: { price: number; at: number }[] = [];
      for (const { price, after, age } of observations) {
        const before = watch.memory;
        const verdict = watch.see(price, { after, age });
        const at = Math.min(watch.now, watch.now - age);
        if (verdict.startsWith('held'))
          pending = watch.memory.confirmations === 0 ? [{ price, at }] : [...pending, { price, at }];
        if (verdict.startsWith('accepted') && Math.abs(price - before.acceptedPriceAtoms) * 20 > before.acceptedPriceAtoms) {
          // The newest three are in order, and each near the one before.
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
          expect(watch.memory.heldPriceAtoms).toBe(0);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
