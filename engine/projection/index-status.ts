/** The status of a market's index at a time: that of its last observation, unless it became stale by time since. */
import type { EpochMs } from '#units/money.ts';
import type { IndexStatus, MarketSpecification } from '#venue/market/specification.ts';
import type { MarketActivityRow } from './rows.ts';

/**
 * A current price becomes stale by its observation time, an unconfirmed jump by the time of its event. No event reports this when no command
 * comes. Returns `undefined` before the first current price.
 */
export function indexStatusAt(
  { indexStatus, indexObservedAtEpochMs, pricedAtEpochMs }: MarketActivityRow,
  { maxIndexAgeMs }: MarketSpecification,
  nowEpochMs: EpochMs,
): IndexStatus | undefined {
  if (indexStatus === null || indexObservedAtEpochMs === null || pricedAtEpochMs === null) return undefined;
  const since = indexStatus === 'current' ? indexObservedAtEpochMs : pricedAtEpochMs;
  return nowEpochMs - since > maxIndexAgeMs ? 'stale' : indexStatus;
}
