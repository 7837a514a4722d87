import { expect, test } from 'vitest';
import type { TimedBar } from './backtest-terms.ts';
import { timeframeBars } from './timeframe-bars.ts';

const HOUR = 3_600_000;
const MINUTE = 60_000;
const START = 100 * HOUR;

/** A minute bar whose prices follow from its number. */
function minute(number: number): TimedBar {
  const openedAtEpochMs = START + number * MINUTE;
  return {
    openedAtEpochMs,
    openAtoms: number,
    highAtoms: number + 5,
    lowAtoms: number - 5,
    closeAtoms: number + 1,
    volumeAtoms: 2,
  };
}

const minutes = (from: number, to: number) => Array.from({ length: to - from }, (_, index) => minute(from + index));

test('builds bars of a timeframe', () => {
  expect(timeframeBars(minutes(0, 120), HOUR)).toEqual({
    bars: [
      { openedAtEpochMs: START, openAtoms: 0, highAtoms: 64, lowAtoms: -5, closeAtoms: 60, volumeAtoms: 120 },
      { openedAtEpochMs: START + HOUR, openAtoms: 60, highAtoms: 124, lowAtoms: 55, closeAtoms: 120, volumeAtoms: 120 },
    ],
    inputSpanMs: MINUTE,
    missingBars: 0,
  });
  expect(timeframeBars(minutes(0, 3), MINUTE)).toMatchObject({ bars: minutes(0, 3) });
});

test('leaves out the bars that the input starts and ends inside of', () => {
  const openTimes = (input: readonly TimedBar[]) => {
    const built = timeframeBars(input, HOUR);
    return 'fault' in built ? built : built.bars.map(({ openedAtEpochMs }) => (openedAtEpochMs - START) / HOUR);
  };
  expect(openTimes(minutes(1, 180))).toEqual([1, 2]);
  expect(openTimes(minutes(0, 179))).toEqual([0, 1]);
  expect(openTimes(minutes(1, 59))).toEqual([]);
});

test('counts spans without a bar, and does not invent them', () => {
  expect(timeframeBars([...minutes(0, 60), ...minutes(200, 300)], HOUR)).toMatchObject({
    bars: [{ openedAtEpochMs: START }, { openedAtEpochMs: START + 3 * HOUR, openAtoms: 200 }, { openAtoms: 240 }],
    missingBars: 2,
  });
});

test('refuses input that is coarser than the timeframe or not aligned', () => {
  const fiveMinutes = minutes(0, 60).filter((_, index) => index % 5 === 0);
  expect(timeframeBars(fiveMinutes, MINUTE)).toEqual({ fault: 'coarser', inputSpanMs: 5 * MINUTE });
  const shifted = { ...minute(9), openedAtEpochMs: START + 9 * MINUTE + 30_000 };
  expect(timeframeBars([...minutes(0, 9), shifted], HOUR)).toEqual({
    fault: 'unaligned',
    inputSpanMs: MINUTE,
    openedAtEpochMs: shifted.openedAtEpochMs,
  });
});
