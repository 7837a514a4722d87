import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeAtLeast, wholeAtMost } from './share.ts';

test('finds the smallest whole with at least the share and the largest with at most the share', () => {
  const part = fc.oneof(fc.nat(100_000), fc.nat(2 ** 50));
  fc.assert(
    fc.property(part, fc.integer({ min: 5_000, max: 15_000 }), (amount, bps) => {
      const excess = (whole: number) => BigInt(whole) * BigInt(bps) - BigInt(amount) * 10_000n;
      const least = wholeAtLeast(amount, bps);
      expect(excess(least) >= 0n).toBe(true);
      expect(least === 0 || excess(least - 1) < 0n).toBe(true);
      const most = wholeAtMost(amount, bps);
      expect(excess(most) <= 0n).toBe(true);
      expect(excess(most + 1) > 0n).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
