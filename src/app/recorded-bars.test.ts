import { expect, test } from 'vitest';
import type { MarketOrdinal } from '#units/ids.ts';
import { recordedBars } from './recorded-bars.ts';

const MINUTE_MS = 60_000;
const SERIES = { market: 1 as MarketOrdinal, timeframeMs: MINUTE_MS };

/** A source whose candles open at these minutes, as of a time. */
function source(minutes: readonly number[], asOfEpochMs: number, volume = '0.25') {
  const candles = minutes.map((minute) => ({
    openTimeEpochMs: minute * MINUTE_MS,
    ...{ open: '10.5', high: '12', low: '9.99', close: '11', volume },
  }));
  const body = JSON.stringify({ candles, asOfEpochMs });
  return recordedBars({ candles: async () => body as never }, async () => ({ priceScale: 2, quantityScale: 3 }));
}

test('has the bars that have closed, in atoms, and not the current one', async () => {
  const page = await source([2, 4, 5], 5 * MINUTE_MS + 1).barsSince(SERIES, 0, 10);
  expect(page.closedUntilEpochMs).toBe(5 * MINUTE_MS);
  expect(page.bars.map(({ openTimeEpochMs }) => openTimeEpochMs / MINUTE_MS)).toEqual([2, 4]);
  const amounts = { openAtoms: 1_050, highAtoms: 1_200, lowAtoms: 999, closeAtoms: 1_100, volumeAtoms: 250 };
  expect(page.bars[0]).toEqual({ openTimeEpochMs: 2 * MINUTE_MS, ...amounts });
});

test('has a bar from the moment of its end on', async () => {
  for (const [asOfEpochMs, count] of [
    [5 * MINUTE_MS - 1, 0],
    [5 * MINUTE_MS, 1],
  ] as const)
    expect((await source([4], asOfEpochMs).barsSince(SERIES, 0, 10)).bars).toHaveLength(count);
});

test('cuts a volume beyond the safe integers, and refuses a damaged one', async () => {
  const { bars } = await source([1], 9 * MINUTE_MS, '99999999999999999').barsSince(SERIES, 0, 10);
  expect(bars[0]?.volumeAtoms).toBe(Number.MAX_SAFE_INTEGER);
  await expect(source([1], 9 * MINUTE_MS, 'x').barsSince(SERIES, 0, 10)).rejects.toThrow('a candle has the amount x');
});
