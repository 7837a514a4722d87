import fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCK_BITS, PriceSet } from './price-set.ts';

const HIGHEST = 70_000;

test('finds the same neighbours as a sorted list, near and far', () => {
  const tick = fc.oneof(
    fc.integer({ min: 1, max: HIGHEST }),
    fc.integer({ min: 1, max: 70 }),
    fc.constantFrom(31, 32, 33, 1023, 1024, 32_767, 32_768),
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.boolean(), tick), { maxLength: 200 }), tick, (changes, from) => {
      const set = new PriceSet(HIGHEST);
      const naive = new Set<number>();
      for (const [isAdded, price] of changes) {
        if (isAdded) {
          set.add(price);
          naive.add(price);
        } else if (naive.delete(price)) {
          const isBlockLeft = [...naive].some((other) => other >>> BLOCK_BITS === price >>> BLOCK_BITS);
          expect(set.remove(price)).toBe(!isBlockLeft);
        }
        expect(set.above(from)).toBe(
          Math.min(...[...naive].filter((other) => other > from), Number.POSITIVE_INFINITY) % Number.POSITIVE_INFINITY || 0,
        );
        expect(set.below(from)).toBe(Math.max(...[...naive].filter((other) => other < from), 0));
      }
    }),
  );
});

test('an empty set has no neighbours', () => {
  const set = new PriceSet(HIGHEST);
  expect([set.above(0), set.below(HIGHEST)]).toEqual([0, 0]);
});
