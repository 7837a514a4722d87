import fc from 'fast-check';
import { expect, test } from 'vitest';
import { wholeAtLeast, wholeAtMost } from './share.ts';

test('the smallest whole whose share is at least the part, and the largest whose share is at most it', () => {
  const part = fc.oneof(fc.nat(100_000), fc.nat(2 ** 50));
  fc.assert(
    fc.property(part, fc.integer({ min: 5_000, max: 15_000 }), (amount, bps) => {
      const holds = (whole: number) => BigInt(whole) * BigInt(bps) - BigInt(amount) * 10_000n;
      const least = wholeAtLeast(amount, bps);
      expect(holds(least) >= 0n).toBe(true);
      expect(least === 0 || holds(least - 1) < 0n).toBe(true);
      const most = wholeAtMost(amount, bps);
      expect(holds(most) <= 0n).toBe(true);
      expect(holds(most + 1) > 0n).toBe(true);
    }),
    { numRuns: 2_000 },
  );
});
