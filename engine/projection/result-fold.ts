/** The profit and volume of an account by day. Each day stores the totals before it, so any range of days is one difference. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { widePlus, ZERO_WIDE } from '#units/money.ts';
import type { DayOpeningRow, ResultRow } from './account-rows.ts';

export const DAY_MS = 86_400_000;

/** The start of the UTC day that contains a time. */
export function dayOf(epochMs: number): EpochMs {
  return (epochMs - (epochMs % DAY_MS)) as EpochMs;
}

/** `before` is `undefined` for the first result of an account. */
export function changedResult(
  before: ResultRow | undefined,
  account: AccountOrdinal,
  pnl: number,
  volume: number,
  dayEpochMs: EpochMs,
): ResultRow {
  return {
    account,
    pnlAtoms: widePlus(before?.pnlAtoms ?? ZERO_WIDE, pnl),
    volumeAtoms: widePlus(before?.volumeAtoms ?? ZERO_WIDE, volume),
    dayEpochMs,
  };
}

export function dayOpening(before: ResultRow | undefined, account: AccountOrdinal, dayEpochMs: EpochMs): DayOpeningRow {
  const { pnlAtoms, volumeAtoms } = before ?? { pnlAtoms: ZERO_WIDE, volumeAtoms: ZERO_WIDE };
  return { account, dayEpochMs, pnlAtoms, volumeAtoms };
}
