import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { PositionOrdinal } from '#units/ids.ts';
import type { PriceAtoms } from '#units/money.ts';
import { adlIndicatorOf, adlScoreOf, compareByAdl } from './adl-score.ts';
import { exposure } from './testing/exposures.ts';

const score = (signedBase: number, entry: number, margin: number, mark: number) =>
  adlScoreOf(exposure(signedBase, entry, margin), mark as PriceAtoms, 1);

describe('score', () => {
  test('is profit ÷ entry × leverage for a profit', () => {
    // Long 10 at 1,000 with margin 500: at 1,100 the profit is 10 %, the notional 11,000, the equity 1,500.
    expect(score(10, 10_000, 500, 1_100)).toBe(733_333 + 1);
    // Short 10 at 1,000 with margin 500: at 900 the profit is 10 %, the notional 9,000, the equity 1,500.
    expect(score(-10, 10_000, 500, 900)).toBe(600_000 + 1);
  });

  test('is the negative of loss ÷ entry ÷ leverage for a loss', () => {
    // Long 10 at 1,000 with margin 2,000: at 900 the loss is 10 %, the notional 9,000, the equity 1,000.
    expect(score(10, 10_000, 2_000, 900)).toBe(-11_111);
    expect(score(10, 10_000, 2_000, 1_000)).toBe(0);
  });

  test('is zero for a loss without equity', () => {
    expect(score(10, 10_000, 1_000, 900)).toBe(0);
    expect(score(10, 10_000, 500, 900)).toBe(0);
  });

  test('is exact for extreme positions and prices', () => {
    expect(score(1, 1, 0, 2 ** 26)).toBe(2 ** 26 * 1_000_000 + 1);
    expect(score(2 ** 23, 2 ** 49, 2 ** 48 + 2 ** 47, 2 ** 25)).toBe(-250_000);
    // A fully paid long of 9.5 million lots, entered at 7.9 million each, at a price of 3.
    expect(score(9_508_430, 75_149_923_575_245, 75_157_437_567_445, 3)).toBe(-264_415_002);
    // A short whose entry was used up by funding, and which then received funding into its margin.
    expect(score(-1_000, 1, 2 ** 50, 2 ** 26)).toBe(-(2 ** 52));
  });

  test('does not depend on the size of the position', () => {
    // Shorts of 7 and of 11 lots at the same entry price and leverage: two roundings made the larger one rank first.
    expect(score(-700, 2_524_200, 126_210, 3_404)).toBe(498_783);
    expect(score(-1_100, 3_966_600, 198_330, 3_404)).toBe(498_783);
  });

  const winner = fc.record({
    size: fc.integer({ min: 1, max: 1_000 }),
    entry: fc.integer({ min: 2, max: 900 }),
    margin: fc.nat(100_000),
  });

  test('ranks any profit before any loss', () => {
    fc.assert(
      fc.property(winner, winner, (won, lost) => {
        // At a mark of 1,000, longs from below are in profit and longs from above are in loss.
        const first = score(won.size, won.size * won.entry, won.margin, 1_000);
        const second = score(lost.size, lost.size * (2_000 - lost.entry), lost.margin, 1_000);
        expect(first).toBeGreaterThan(second);
      }),
    );
  });

  test('is the exact ratio, rounded down once', () => {
    fc.assert(
      fc.property(winner, fc.boolean(), ({ size, entry, margin }, isLong) => {
        const lots = size * 1_000_000;
        // The mark is 1,000. The entry is below it for a long, and equally far above it for a short.
        const paid = lots * (isLong ? entry : 2_000 - entry);
        const pnl = BigInt(lots) * BigInt(1_000 - entry);
        const exact = (pnl * BigInt(lots) * 1_000n * 1_000_000n) / (BigInt(paid) * (BigInt(margin) + pnl));
        expect(BigInt(score(isLong ? lots : -lots, paid, margin, 1_000))).toBe(exact + 1n);
      }),
    );
  });
});

test('orders the queue by descending score, equal scores by episode age', () => {
  const queue = [
    { score: 5, ordinal: 3 as PositionOrdinal },
    { score: -2, ordinal: 1 as PositionOrdinal },
    { score: 5, ordinal: 2 as PositionOrdinal },
    { score: 9, ordinal: 4 as PositionOrdinal },
  ];
  expect(queue.sort(compareByAdl).map(({ ordinal }) => ordinal)).toEqual([4, 2, 3, 1]);
});

test('numbers the quintiles of the queue from 5 for the first to 1', () => {
  const indicators = (count: number) => Array.from({ length: count }, (_, place) => adlIndicatorOf(place + 1, count));
  expect(indicators(1)).toEqual([5]);
  expect(indicators(2)).toEqual([5, 3]);
  expect(indicators(5)).toEqual([5, 4, 3, 2, 1]);
  expect(indicators(10)).toEqual([5, 5, 4, 4, 3, 3, 2, 2, 1, 1]);
});
