/**
 * Generated prices, the default: seeded, the same for the same seed at the same time, lively from second to second and
 * tied to a base price over days. A venue that starts again goes on from the last index it knew: the distance to where
 * the seed would have it is carried along and wears off over hours.
 */
import type { EpochMs } from '#units/money.ts';
import { generatedNoise } from './generated-noise.ts';
import type { PriceObservation, PriceSource } from './price-source.ts';
import { noiseAt } from './value-noise.ts';

export interface GeneratedMarket {
  readonly marketId: string;
  /** Where the price keeps returning to. */
  readonly basePrice: number;
  /** Standard deviation of the move of one second, as a share of the price: 0.0001 is one basis point. */
  readonly volatilityPerSecond: number;
}

export interface GeneratedOptions {
  readonly seed: number;
  readonly markets: readonly GeneratedMarket[];
  /** The last index prices of the venue, by market id; a market without one begins where the seed has it. */
  readonly lastPrices: ReadonlyMap<string, number>;
  /** When the source begins. */
  readonly startedAtEpochMs: EpochMs;
}

/** Half of the distance carried over from an earlier run is gone after this time. */
const CARRY_HALF_LIFE_MS = 4 * 3_600_000;

export function generatedPrices(options: GeneratedOptions): PriceSource {
  const paths = options.markets.map((market) => pathOf(market, options));
  return {
    description: `generated (seed ${options.seed}) for ${options.markets.map(({ marketId }) => marketId).join(', ')}`,
    observe: (nowEpochMs) => paths.map((path) => path(nowEpochMs)),
  };
}

function pathOf(
  market: GeneratedMarket,
  { seed, lastPrices, startedAtEpochMs }: GeneratedOptions,
): (nowEpochMs: EpochMs) => PriceObservation {
  const shape = generatedNoise(seed, market.marketId, market.volatilityPerSecond);
  const last = lastPrices.get(market.marketId);
  const carried = last === undefined ? 0 : Math.log(last / market.basePrice) - noiseAt(shape, startedAtEpochMs);
  return (nowEpochMs) => {
    const left = carried * 0.5 ** ((nowEpochMs - startedAtEpochMs) / CARRY_HALF_LIFE_MS);
    return {
      marketId: market.marketId,
      price: market.basePrice * Math.exp(noiseAt(shape, nowEpochMs) + left),
      observedAtEpochMs: nowEpochMs,
    };
  };
}
