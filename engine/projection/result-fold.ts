/** What an account gained and traded, day by day. A day keeps what there was before it: so any number of days is one difference. */
import type { AccountOrdinal } from '#units/ids.ts';
import type { EpochMs } from '#units/money.ts';
import { widePlus, ZERO_WIDE } from '#units/money.ts';
import type { DayOpeningRow, ResultRow } from './rows.ts';

export const DAY_MS = 86_400_000;

/** When the day of UTC began that a moment is in. */
export function dayOf(epochMs: number): EpochMs {
  return (epochMs - (epochMs % DAY_MS)) as EpochMs;
}

/** `before` is `undefined` for the first of an account. */
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
