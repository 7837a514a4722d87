/** The shape of the noise of generated prices, shared by their synthetic past and their future. */
import { type NoiseShape, seedOf } from './value-noise.ts';

const MIN_PERIOD_MS = 2_000;
const MAX_PERIOD_MS = 36 * 3_600_000;

/** `volatilityPerSecond`: standard deviation of the price change in one second, as a share of the price. */
export function generatedNoise(seed: number, marketId: string, volatilityPerSecond: number): NoiseShape {
  return {
    seed: seedOf(`${seed} ${marketId}`),
    perSecond: volatilityPerSecond,
    shortestPeriodMs: MIN_PERIOD_MS,
    longestPeriodMs: MAX_PERIOD_MS,
  };
}
