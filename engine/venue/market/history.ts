/**
 * The terms of a market's synthetic past. The listing of the market carries them through the journal. They determine all past
 * prices and candles (`engine/prices/history.ts`). The core only checks them.
 */
import type { EpochMs, Ppb, PriceAtoms } from '#units/money.ts';
import type { MarketSpecification } from './specification.ts';

export interface MarketHistory {
  /** The seed of the generated prices. */
  readonly seed: number;
  /** When the venue started the market: the end of the past. */
  readonly startedAtEpochMs: EpochMs;
  /** The length of the past. */
  readonly lengthMs: number;
  /** The index price at `startedAtEpochMs`: the last price of the past. */
  readonly startPriceAtoms: PriceAtoms;
  /** Standard deviation of the price change in one second, as a share of the price. */
  readonly volatilityPpb: Ppb;
}

const MAX_HISTORY_SEED = 2 ** 31 - 1;
/** Ten years. */
const MAX_HISTORY_MS = 315_360_000_000;
/** 1 % of the price per second is more than any market moves. */
const MAX_VOLATILITY_PPB = 10_000_000;

/** Describes the first rule that the terms break; `undefined` if they are valid. A past may not end after `now`. */
export function historyFault(
  { seed, startedAtEpochMs, lengthMs, startPriceAtoms, volatilityPpb }: MarketHistory,
  { minPriceAtoms, maxPriceAtoms }: MarketSpecification,
  now: EpochMs,
): string | undefined {
  if (!isWithin(seed, 0, MAX_HISTORY_SEED)) return 'the seed of a history must be from 0 to 2147483647';
  if (!isWithin(startedAtEpochMs, 0, now)) return 'a history must end no later than its market is listed';
  if (!isWithin(lengthMs, 1, MAX_HISTORY_MS)) return 'a history must be from 1 ms to ten years long';
  if (!isWithin(startPriceAtoms, minPriceAtoms, maxPriceAtoms))
    return 'the start price of a history must be within the price bounds';
  if (!isWithin(volatilityPpb, 0, MAX_VOLATILITY_PPB)) return 'the volatility of a history must be from 0 to 10000000';
  return undefined;
}

function isWithin(value: number, lowest: number, highest: number): boolean {
  return Number.isSafeInteger(value) && value >= lowest && value <= highest;
}
