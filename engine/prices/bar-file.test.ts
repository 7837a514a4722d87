/** Files of candles as exact bars; the forms of files are tested in `candle-file.test.ts`. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { priceAtoms } from '#units/money.ts';
import { readBarFile } from './bar-file.ts';

const directory = mkdtempSync(join(tmpdir(), 'openperp-bars-'));
afterAll(() => rmSync(directory, { recursive: true }));
const path = join(directory, 'candles');

const MARKET = {
  marketId: 'ETH-USD-PERP',
  priceScale: 2,
  quantityScale: 3,
  minPriceAtoms: priceAtoms(100),
  maxPriceAtoms: priceAtoms(1_000_000),
};
const MINUTE = 1_618_951_320_000;

function barsOf(content: string) {
  writeFileSync(path, content);
  return readBarFile(path, MARKET);
}

test('rounds prices to the nearest tick and volumes to the nearest lot, from texts, numbers and exponents', () => {
  const bars = barsOf(`[[${MINUTE},"1.005",2.5,1,1.994,"0.0004999"],[${MINUTE + 60_000},2,2,2,2,5e-4]]`);
  expect(bars).toEqual([
    { openedAtEpochMs: MINUTE, openAtoms: 101, highAtoms: 250, lowAtoms: 100, closeAtoms: 199, volumeAtoms: 0 },
    { openedAtEpochMs: MINUTE + 60_000, openAtoms: 200, highAtoms: 200, lowAtoms: 200, closeAtoms: 200, volumeAtoms: 1 },
  ]);
  expect(barsOf(`time;open;high;low;close;volume\n${MINUTE};2;3;1;2;1.5e1`)).toEqual([
    { openedAtEpochMs: MINUTE, openAtoms: 200, highAtoms: 300, lowAtoms: 100, closeAtoms: 200, volumeAtoms: 15_000 },
  ]);
});

test.each([
  ['a price below those of the market', `${MINUTE},2,3,0.5,2,1`, /line 1 has a low of 0\.5, .* prices of ETH-USD-PERP/],
  ['a price above them', `${MINUTE},2,20000,1,2,1`, /line 1 has a high of 20000, /],
  ['a negative price', `${MINUTE},2,3,-1,2,1`, /line 1 has a low of "-1": expected a decimal/],
  ['a missing volume', `${MINUTE},2,3,1,2`, /line 1 has no volume: /],
  ['a volume that a day would not hold', `${MINUTE},2,3,1,2,99999999999`, /line 1 has a volume of 99999999999: it is too large/],
  ['a close outside of its range', `${MINUTE},2,3,1,4,1`, /line 1 has its open or close outside/],
  ['a time in seconds', '1618951320,2,3,1,2,1', /line 1 must start with its opening time in milliseconds/],
  ['rows out of order', `${MINUTE},2,3,1,2,1\n${MINUTE},2,3,1,2,1`, /line 2 is not later/],
])('refuses %s in one line that names file and row', (_, content, message) => {
  expect(() => barsOf(content)).toThrow(message);
  expect(() => barsOf(content)).toThrow(new RegExp(`^${path}: [^\\n]*$`));
});
