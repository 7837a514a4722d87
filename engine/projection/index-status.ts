/** Whether a market's index can be relied on at a moment: as its last observation left it, unless time has passed it by since. */
import type { EpochMs } from '#units/money.ts';
import type { IndexStatus, MarketSpecification } from '#venue/market/specification.ts';
import type { MarketActivityRow } from './rows.ts';

/**
 * A price that holds grows stale by the time it was observed at, a jump that nothing confirms by the time it was told of:
 * where no command comes, no event says so. `undefined` before the first price that holds.
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
