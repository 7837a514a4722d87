/**
 * Pins the synthetic past of existing markets, which is recomputed on every read: these prices must never change. A change of the
 * noise that changes them is only for new markets, by a new term in the journal.
 */
import { expect, test } from 'vitest';
import { DEVNET_MARKETS } from '#devnet/markets.ts';
import type { EpochMs, Ppb, PriceAtoms, QuoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { MarketPast } from './history.ts';

const START = 1_800_000_012_345;
/** Times before the start, the last of them a month. */
const AGO_MS = [1, 1_000, 2_500, 60_000, 3_600_000, 7_777_777, 86_400_000, 432_000_000, 1_209_600_000, 2_592_000_000];
const MINUTE = START - (START % 60_000) - 86_400_000;

/** All that the past uses of the specification, fixed here whatever the devnet's markets become. */
const SPECIFICATION = {
  ...DEVNET_MARKETS[0]!.specification,
  marketId: 'BTC-USD-PERP',
  priceScale: 1,
  quantityScale: 5,
  minPriceAtoms: 1 as PriceAtoms,
  maxPriceAtoms: 10_000_000 as PriceAtoms,
  impactNotionalAtoms: 1_000_000_000 as QuoteAtoms,
} satisfies MarketSpecification;

function pastOf(seed: number): MarketPast {
  const history = {
    seed,
    startedAtEpochMs: START as EpochMs,
    lengthMs: 30 * 86_400_000,
    startPriceAtoms: 650_000 as PriceAtoms,
    volatilityPpb: 60_000 as Ppb,
  };
  return new MarketPast(history, SPECIFICATION);
}

test.each([
  [1, [650000, 649948, 649878, 650273, 648638, 650547, 642529, 651938, 647061, 660510]],
  [7, [650000, 650001, 649986, 649775, 653412, 654717, 645606, 657615, 635750, 639659]],
])('keeps the index prices of seed %i', (seed, prices) => {
  expect(AGO_MS.map((agoMs) => pastOf(seed).indexPriceAt(START - agoMs))).toEqual(prices);
});

test('keeps a minute of trades and a premium', () => {
  expect(pastOf(1).minute('trade', MINUTE)).toEqual({
    openAtoms: 642435,
    highAtoms: 643505,
    lowAtoms: 642435,
    closeAtoms: 643505,
    volumeAtoms: 5379,
    notionalAtoms: 3458065233,
  });
  expect(pastOf(1).premiumAt(MINUTE)).toBe(151767);
});
