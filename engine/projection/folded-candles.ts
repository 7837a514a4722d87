/** Folds stored candles to those of a longer timeframe. */
import type { PriceAtoms } from '#units/money.ts';
import { widePlus } from '#units/money.ts';
import { spanStart } from './candle-spans.ts';
import type { CandleRow } from './rows.ts';

/** Oldest first, as the rows. Rows of the span itself are returned unchanged. */
export function foldedCandles(rows: readonly CandleRow[], spanMs: number): readonly CandleRow[] {
  if (rows[0] === undefined || rows[0].spanMs === spanMs) return rows;
  const folded: CandleRow[] = [];
  for (const row of rows) {
    const openTimeEpochMs = spanStart(row.openTimeEpochMs, spanMs);
    const last = folded.at(-1);
    if (last?.openTimeEpochMs === openTimeEpochMs) folded[folded.length - 1] = joined(last, row);
    else folded.push({ ...row, spanMs, openTimeEpochMs });
  }
  return folded;
}

function joined(before: CandleRow, then: CandleRow): CandleRow {
  return {
    ...before,
    highAtoms: Math.max(before.highAtoms, then.highAtoms) as PriceAtoms,
    lowAtoms: Math.min(before.lowAtoms, then.lowAtoms) as PriceAtoms,
    closeAtoms: then.closeAtoms,
    volumeAtoms: widePlus(before.volumeAtoms, then.volumeAtoms),
    notionalAtoms: widePlus(before.notionalAtoms, then.notionalAtoms),
  };
}
