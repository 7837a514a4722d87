import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type EpochMs, epochMs } from '#units/money.ts';
import { generatedPrices } from './generated.ts';
import type { PriceSource } from './price-source.ts';

const START = epochMs(1_800_000_000_000);
const DAY_MS = 86_400_000;
const markets = [
  { marketId: 'BTC-USD-PERP', basePrice: 65_000, volatilityPerSecond: 0.0001 },
  { marketId: 'SOL-USD-PERP', basePrice: 150, volatilityPerSecond: 0.00015 },
];

function source(seed: number, lastPrices = new Map<string, number>(), startedAtEpochMs: EpochMs = START): PriceSource {
  return generatedPrices({ seed, markets, lastPrices, startedAtEpochMs });
}

function priceAt(prices: PriceSource, atEpochMs: number, marketId = 'BTC-USD-PERP'): number {
  const seen = prices.observe(epochMs(atEpochMs)).find((observation) => observation.marketId === marketId);
  return seen?.price ?? Number.NaN;
}

describe('generated prices', () => {
  test('are the same for the same seed and time, in any order of reads', () => {
    fc.assert(
      fc.property(fc.integer(), fc.array(fc.nat(30 * DAY_MS), { minLength: 1 }), (seed, offsets) => {
        const forward = offsets.map((offset) => priceAt(source(seed), START + offset));
        const again = source(seed);
        const backward = [...offsets].reverse().map((offset) => priceAt(again, START + offset));
        expect(backward.reverse()).toEqual(forward);
      }),
    );
  });

  test('differ by seed and by market', () => {
    const at = START + 3_600_000;
    expect(priceAt(source(1), at)).not.toBe(priceAt(source(2), at));
    expect(priceAt(source(1), at) / 65_000).not.toBe(priceAt(source(1), at, 'SOL-USD-PERP') / 150);
  });

  test('move within a minute and stay within a third of the base over months', () => {
    for (const seed of [1, 2, 3, 4, 5]) {
      const prices = source(seed);
      let stillMinutes = 0;
      for (let minute = 0; minute < 60 * 24 * 90; minute += 7) {
        const price = priceAt(prices, START + minute * 60_000);
        expect(Math.abs(price / 65_000 - 1)).toBeLessThan(1 / 3);
        if (Math.abs(priceAt(prices, START + minute * 60_000 + 30_000) / price - 1) < 0.000_01) stillMinutes += 1;
      }
      expect(stillMinutes / ((60 * 24 * 90) / 7)).toBeLessThan(0.05);
    }
  });

  test('change in small steps from one half second to the next', () => {
    const prices = source(9);
    for (let step = 0; step < 20_000; step++) {
      const from = priceAt(prices, START + step * 500);
      expect(Math.abs(priceAt(prices, START + (step + 1) * 500) / from - 1)).toBeLessThan(0.001);
    }
  });

  test('have the configured volatility, within a factor of two', () => {
    const prices = source(4);
    let squares = 0;
    const steps = 5_000;
    for (let step = 0; step < steps; step++) {
      squares += Math.log(priceAt(prices, START + (step + 1) * 60_000) / priceAt(prices, START + step * 60_000)) ** 2;
    }
    const perMinute = Math.sqrt(squares / steps);
    expect(perMinute).toBeGreaterThan((0.0001 * Math.sqrt(60)) / 2);
    expect(perMinute).toBeLessThan(0.0001 * Math.sqrt(60) * 2);
  });

  test('start at the last index of an earlier run, and return to the path of the seed', () => {
    const resumed = source(7, new Map([['BTC-USD-PERP', 41_000]]));
    expect(priceAt(resumed, START)).toBeCloseTo(41_000, 6);
    expect(Math.abs(priceAt(resumed, START + 1_000) / 41_000 - 1)).toBeLessThan(0.001);
    const untouched = source(7);
    expect(priceAt(resumed, START + 4 * DAY_MS) / priceAt(untouched, START + 4 * DAY_MS)).toBeCloseTo(1, 4);
  });
});
