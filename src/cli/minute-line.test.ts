/** The line that `start` prints every minute, with time that the test controls. */
import { beforeEach, expect, test } from 'vitest';
import { ManualTime } from '#time/testing/manual-time.ts';
import type { VenueCounts } from '#venue/venue.ts';
import { VenueHalted, WriterBusy } from '#writer/port/submit.ts';
import { type MinuteLineOptions, startMinuteLine } from './minute-line.ts';

const MINUTE = 60_000;

let time: ManualTime;
let lines: string[];
let errors: unknown[];
let counts: VenueCounts;
let stats: { marketId: string; markPrice: string | null }[];
let reads: number;
/** What the next read waits for, or fails with. */
let outcome: () => Promise<unknown>;

beforeEach(() => {
  time = new ManualTime();
  lines = [];
  errors = [];
  counts = { trades: 10, accounts: 1 };
  stats = [
    { marketId: 'BTC-USD-PERP', markPrice: '65001.5' },
    { marketId: 'ETH-USD-PERP', markPrice: null },
  ];
  reads = 0;
  outcome = async () => {};
});

function started() {
  const marketStatsList = async () => {
    reads += 1;
    await outcome();
    return JSON.stringify({ stats });
  };
  return startMinuteLine({
    timers: time,
    reads: { marketStatsList } as unknown as MinuteLineOptions['reads'],
    counts: () => counts,
    print: (line) => lines.push(line),
    onInternalError: (error) => errors.push(error),
  });
}

test('prints prices, trades and accounts once a minute, in one line', async () => {
  started();
  await time.advance(MINUTE - 1);
  expect(lines).toEqual([]);
  counts = { trades: 11, accounts: 1 };
  await time.advance(1);
  expect(lines).toEqual([
    'openperp: BTC-USD-PERP 65001.5; ETH-USD-PERP without a price; 1 trade since the last line, 11 in all; 1 account',
  ]);
  stats[1]!.markPrice = '3200';
  counts = { trades: 45, accounts: 6 };
  await time.advance(MINUTE);
  await time.advance(MINUTE);
  expect(lines.slice(1)).toEqual([
    'openperp: BTC-USD-PERP 65001.5; ETH-USD-PERP 3200; 34 trades since the last line, 45 in all; 6 accounts',
    'openperp: BTC-USD-PERP 65001.5; ETH-USD-PERP 3200; 0 trades since the last line, 45 in all; 6 accounts',
  ]);
});

test('skips a minute without successful reads, and reports only internal errors', async () => {
  started();
  for (const refusal of [new WriterBusy('busy'), new VenueHalted({} as never)]) {
    outcome = () => Promise.reject(refusal);
    await time.advance(MINUTE);
  }
  expect([lines, errors]).toEqual([[], []]);
  const error = new Error('planted');
  outcome = () => Promise.reject(error);
  await time.advance(MINUTE);
  expect([lines, errors]).toEqual([[], [error]]);
  outcome = async () => {};
  counts = { trades: 20, accounts: 1 };
  await time.advance(MINUTE);
  expect(lines).toEqual([expect.stringContaining('10 trades since the last line')]);
});

test('reads once at a time, and prints nothing after it was cancelled', async () => {
  const line = started();
  const { promise, resolve } = Promise.withResolvers<void>();
  outcome = () => promise;
  await time.advance(5 * MINUTE);
  expect([reads, lines]).toEqual([1, []]);
  line.cancel();
  resolve();
  await time.advance(5 * MINUTE);
  expect([reads, lines, time.timerCount]).toEqual([1, [], 0]);
});
