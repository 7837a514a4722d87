/** The synthetic past is a function of its terms and the time, and the venue's prices continue it. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { MarketHistory } from '#venue/market/history.ts';
import { quoteAtomsPerTickLot } from '#venue/market/specification.ts';
import { generatedPrices } from './generated.ts';
import { MarketPast, type PastCandle, type PastSeries } from './history.ts';

const START = 1_800_000_012_345 as EpochMs;
const START_MINUTE = 1_800_000_000_000;
const MINUTE_MS = 60_000;
const { specification, basePrice, volatilityPerSecond } = DEVNET_MARKETS[0]!;
const { marketId, priceScale } = specification;
const TICK = 10 ** priceScale;
const SERIES: readonly PastSeries[] = ['index', 'trade'];

function generated(seed: number) {
  const markets = [{ marketId, basePrice, volatilityPerSecond }];
  const source = generatedPrices({ seed, markets, lastPrices: new Map(), startedAtEpochMs: START });
  return (epochMs: number) => source.observe(epochMs as EpochMs)[0]!.price * TICK;
}

function termsOf(seed: number): MarketHistory {
  return {
    seed,
    startedAtEpochMs: START,
    lengthMs: 30 * 86_400_000,
    startPriceAtoms: Math.round(generated(seed)(START)) as PriceAtoms,
    volatilityPpb: Math.round(volatilityPerSecond * 1e9) as Ppb,
  };
}

const pastOf = (seed: number) => new MarketPast(termsOf(seed), specification);

/** Some minutes of the past, including the newest. */
const MINUTES = Array.from({ length: 400 }, (_, count) => START_MINUTE - MINUTE_MS * Math.floor(count ** 1.7));

test('is the same for the same terms in any order of reads, and differs by seed and market', () => {
  const forward = pastOf(3);
  const backward = pastOf(3);
  for (const series of SERIES) {
    const seen = MINUTES.map((minute) => forward.minute(series, minute));
    expect([...MINUTES].reverse().map((minute) => backward.minute(series, minute))).toEqual(seen.reverse());
    expect(MINUTES.map((minute) => pastOf(4).minute(series, minute))).not.toEqual(seen);
  }
  const other = new MarketPast(termsOf(3), { ...specification, marketId: 'OTHER-USD-PERP' });
  expect(other.minute('index', MINUTES[9]!)).not.toEqual(forward.minute('index', MINUTES[9]!));
});

test('equals the generated prices, and ends at their first', () => {
  fc.assert(
    fc.property(fc.nat(2 ** 31 - 1), fc.nat(30 * 86_400_000), (seed, agoMs) => {
      const past = pastOf(seed);
      // The start price is rounded to the tick: the error is half a tick, scaled by the price change since.
      expect(Math.abs(past.indexPriceAt(START - agoMs) - generated(seed)(START - agoMs))).toBeLessThan(1.5);
      expect(past.indexPriceAt(START)).toBe(past.history.startPriceAtoms);
      expect(past.minute('index', START_MINUTE)?.closeAtoms).toBe(past.history.startPriceAtoms);
    }),
  );
});

test('has no minute after the start', () => {
  for (const series of SERIES) {
    expect(pastOf(1).minute(series, START_MINUTE)).toBeDefined();
    expect(pastOf(1).minute(series, START_MINUTE + MINUTE_MS)).toBeUndefined();
    const onTheMinute = new MarketPast({ ...termsOf(1), startedAtEpochMs: START_MINUTE as EpochMs }, specification);
    expect(onTheMinute.minute(series, START_MINUTE)).toBeUndefined();
    expect(onTheMinute.minute(series, START_MINUTE - MINUTE_MS)).toBeDefined();
  }
});

test('has no jump from minute to minute', () => {
  for (const series of SERIES) {
    for (let count = 0; count < 5_000; count += 1) {
      const before = pastMinute(series, count + 1);
      const after = pastMinute(series, count);
      expect(Math.abs(after.openAtoms / before.closeAtoms - 1)).toBeLessThan(0.002);
    }
  }
});

const shared = pastOf(5);
function pastMinute(series: PastSeries, ago: number): PastCandle {
  return shared.minute(series, START_MINUTE - ago * MINUTE_MS)!;
}

test('has candles whose prices, volume and notional agree', () => {
  const tickLotAtoms = quoteAtomsPerTickLot(specification);
  for (const minute of MINUTES) {
    const trade = shared.minute('trade', minute)!;
    const index = shared.minute('index', minute)!;
    for (const { openAtoms, highAtoms, lowAtoms, closeAtoms } of [trade, index]) {
      expect(lowAtoms).toBeLessThanOrEqual(Math.min(openAtoms, closeAtoms));
      expect(highAtoms).toBeGreaterThanOrEqual(Math.max(openAtoms, closeAtoms));
    }
    expect(index).toMatchObject({ volumeAtoms: 0, notionalAtoms: 0 });
    expect(trade.volumeAtoms).toBeGreaterThan(0);
    expect(trade.notionalAtoms).toBeGreaterThanOrEqual(trade.volumeAtoms * trade.lowAtoms * tickLotAtoms);
    expect(trade.notionalAtoms).toBeLessThanOrEqual(trade.volumeAtoms * trade.highAtoms * tickLotAtoms);
    // Trades are near the market makers' quotes.
    expect(Math.abs(trade.closeAtoms / index.closeAtoms - 1)).toBeLessThan(0.000_3);
  }
});

test('stays within the price bounds of the market', () => {
  const { startPriceAtoms } = termsOf(2);
  const narrow = { ...specification, minPriceAtoms: startPriceAtoms, maxPriceAtoms: (startPriceAtoms + 10) as PriceAtoms };
  const past = new MarketPast(termsOf(2), narrow);
  const prices = MINUTES.map((minute) => past.indexPriceAt(minute));
  expect(Math.min(...prices)).toBe(startPriceAtoms);
  expect(Math.max(...prices)).toBe(startPriceAtoms + 10);
});

test('has premiums of some hundredths of a percent', () => {
  const premiums = Array.from({ length: 720 }, (_, hours) => shared.premiumAt(START - hours * 3_600_000));
  const deviation = Math.sqrt(premiums.reduce((sum, premium) => sum + premium ** 2, 0) / premiums.length);
  expect(deviation).toBeGreaterThan(100_000);
  expect(deviation).toBeLessThan(1_000_000);
});
