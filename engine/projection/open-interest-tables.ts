/** The history of open interest: the newest value in each span in which a position changed it. */
import { TIMEFRAME_MS } from '#contract/markets.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms, WideAtoms } from '#units/money.ts';
import { spanStart } from './candle-spans.ts';
import type { MarketActivityRow, Moment } from './rows.ts';
import type { TableShape } from './table.ts';

/** A trade changes one row of each; the other timeframes are folded from these when they are read. */
export const INTEREST_SPANS_MS: readonly number[] = (['5m', '1h', '1d'] as const).map((it) => TIMEFRAME_MS[it]);

export interface OpenInterestRow {
  readonly market: MarketOrdinal;
  readonly spanMs: number;
  readonly openTimeEpochMs: EpochMs;
  readonly openInterestAtoms: WideAtoms;
  /** The mark at the last change; null without one. */
  readonly markPriceAtoms: PriceAtoms | null;
}

export const OPEN_INTEREST_SCHEMA = `
CREATE TABLE openInterests (
  market INTEGER NOT NULL, spanMs INTEGER NOT NULL, openTimeEpochMs INTEGER NOT NULL, openInterestAtoms TEXT NOT NULL,
  markPriceAtoms INTEGER, PRIMARY KEY (market, spanMs, openTimeEpochMs)
) STRICT, WITHOUT ROWID;
`;

export const OPEN_INTERESTS: TableShape<OpenInterestRow> = {
  name: 'openInterests',
  key: ['market', 'spanMs', 'openTimeEpochMs'],
  changing: ['openInterestAtoms', 'markPriceAtoms'],
  isLive: () => false,
};

/** The rows that a change of a market's open interest writes. */
export function openInterestRows(
  { market, openInterestAtoms, markPriceAtoms }: MarketActivityRow,
  at: Moment,
): OpenInterestRow[] {
  return INTEREST_SPANS_MS.map((spanMs) => {
    const openTimeEpochMs = spanStart(at.epochMs, spanMs);
    return { market, spanMs, openTimeEpochMs, openInterestAtoms, markPriceAtoms };
  });
}
