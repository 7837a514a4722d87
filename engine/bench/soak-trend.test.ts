import { expect, test } from 'vitest';
import { byMinute, type SoakSample, slopeOf, trendOf } from './soak-trend.ts';

const MIB = 1 << 20;

/** Six samples a minute with the memory and latency of their time. */
function samples(minutes: number, mebibytesAt: (minute: number) => number, p99At: (minute: number) => number): SoakSample[] {
  return Array.from({ length: minutes * 6 }, (_, index) => {
    const minute = (index + 1) / 6;
    const residentBytes = mebibytesAt(minute) * MIB;
    return { minutes: minute, residentBytes, p50Ms: 1, p99Ms: p99At(minute), commandsPerSecond: 1_000 };
  });
}

test('computes the slope by least squares', () => {
  expect(
    slopeOf([
      [1, 5],
      [2, 7],
      [3, 9],
    ]),
  ).toBeCloseTo(2);
  // By hand: mean (1.5, 2), sum of products 4, sum of squares 5.
  expect(
    slopeOf([
      [0, 1],
      [1, 1],
      [2, 3],
      [3, 3],
    ]),
  ).toBeCloseTo(0.8);
});

test('reports growth after the first minutes only', () => {
  const warmUp = (minute: number) => (minute < 3 ? 100 * minute : 300);
  const flat = trendOf(
    samples(10, warmUp, () => 4),
    3,
  );
  expect(flat).toMatchObject({ isMemoryFlat: true, isP99Flat: true, p99Growth: 1 });
  expect(flat.residentMibPerMinute).toBeCloseTo(0);
  const leaking = trendOf(
    samples(
      10,
      (minute) => warmUp(minute) + 1.5 * minute,
      () => 4,
    ),
    3,
  );
  expect(leaking.residentMibPerMinute).toBeCloseTo(1.5);
  expect(leaking.isMemoryFlat).toBe(false);
  expect(
    trendOf(
      samples(
        10,
        (minute) => 300 + 0.9 * minute,
        () => 4,
      ),
      3,
    ).isMemoryFlat,
  ).toBe(true);
});

test('reports a growing p99, unless it is tiny', () => {
  expect(
    trendOf(
      samples(
        10,
        () => 300,
        (minute) => 2 + 0.3 * minute,
      ),
      3,
    ),
  ).toMatchObject({ isP99Flat: false });
  expect(
    trendOf(
      samples(
        10,
        () => 300,
        (minute) => 20 - minute,
      ),
      3,
    ),
  ).toMatchObject({ isP99Flat: true });
  expect(
    trendOf(
      samples(
        10,
        () => 300,
        (minute) => 0.1 + 0.01 * minute,
      ),
      3,
    ),
  ).toMatchObject({ isP99Flat: true });
});

test('refuses a trend of two samples', () => {
  expect(() =>
    trendOf(
      samples(
        1,
        () => 1,
        () => 1,
      ),
      0.8,
    ),
  ).toThrow('2 samples');
});

test('summarizes minutes by their median sample', () => {
  const rows = byMinute(
    samples(
      2,
      (minute) => 100 * minute,
      () => 1,
    ),
  );
  expect(rows.map(({ minutes }) => minutes)).toEqual([1, 2]);
  expect(rows[0]!.residentBytes / MIB).toBeCloseTo(66.7, 1);
});
