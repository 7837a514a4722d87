/**
 * The terms of a market's synthetic past, as the listing of the market carries them through the journal. Prices and candles follow
 * from them alone (`engine/prices/history.ts`); the core checks them and uses them for nothing.
 */
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { MarketSpecification } from './specification.ts';

export interface MarketHistory {
  /** Of the generated prices. */
  readonly seed: number;
  /** When the venue started the market: the past ends there. */
  readonly startedAtEpochMs: EpochMs;
  /** How far the past reaches back. */
  readonly lengthMs: number;
  /** The index price at the start: the last price of the past. */
  readonly startPriceAtoms: PriceAtoms;
  /** Standard deviation of the move of one second, as a share of the price. */
  readonly volatilityPpb: Ppb;
}

const MAX_HISTORY_SEED = 2 ** 31 - 1;
/** Ten years. */
const MAX_HISTORY_MS = 315_360_000_000;
/** A hundredth of the price in a second is more than any market moves. */
const MAX_VOLATILITY_PPB = 10_000_000;

/** The first rule that the terms break, in words, or `undefined` if they are sound. A past does not end after `now`. */
export function historyFault(
  { seed, startedAtEpochMs, lengthMs, startPriceAtoms, volatilityPpb }: MarketHistory,
  { minPriceAtoms, maxPriceAtoms }: MarketSpecification,
  now: EpochMs,
): string | undefined {
  if (!isWithin(seed, 0, MAX_HISTORY_SEED)) return 'the seed of a history must be from 0 to 2147483647';
  if (!isWithin(startedAtEpochMs, 0, now)) return 'a history must end at or before the listing of its market';
  if (!isWithin(lengthMs, 1, MAX_HISTORY_MS)) return 'a history must be from 1 ms to ten years long';
  if (!isWithin(startPriceAtoms, minPriceAtoms, maxPriceAtoms))
    return 'the start price of a history must lie in the price bounds';
  if (!isWithin(volatilityPpb, 0, MAX_VOLATILITY_PPB)) return 'the volatility of a history must be from 0 to 10000000';
  return undefined;
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
