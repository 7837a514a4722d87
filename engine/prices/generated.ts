/**
 * Generated prices, the default: the same for the same seed and time, changing every second and tied to a base price over days.
 * After a restart they continue at the last index: the distance to the path of the seed decays over hours.
 */
import type { EpochMs } from '#units/money.ts';
import { generatedNoise } from './generated-noise.ts';
import type { PriceObservation, PriceSource } from './price-source.ts';
import { noiseAt } from './value-noise.ts';

export interface GeneratedMarket {
  readonly marketId: string;
  /** The price that the path returns to. */
  readonly basePrice: number;
  /** Standard deviation of the price change in one second, as a share of the price: 0.0001 is one basis point. */
  readonly volatilityPerSecond: number;
}

export interface GeneratedOptions {
  readonly seed: number;
  readonly markets: readonly GeneratedMarket[];
  /** The last index prices of the venue, by market id; a market without one starts on the path of the seed. */
  readonly lastPrices: ReadonlyMap<string, number>;
  /** When the source starts. */
  readonly startedAtEpochMs: EpochMs;
}

/** Half of the distance from an earlier run has decayed after this time. */
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
