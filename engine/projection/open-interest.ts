/** Reads the history of open interest, at most twelve rows per entry. A span without an entry has the value of the one before. */
import { TIMEFRAME_MS } from '#contract/markets.ts';
import type { OpenInterestSeries } from '#contract/open-interest.ts';
import type { OpenInterestQuery, PageEntries } from '#reads/reads.ts';
import { nextSpanStart, spanStart } from './candle-spans.ts';
import { type MarketScales, renderMoney } from './market-scales.ts';
import { INTEREST_SPANS_MS, type OpenInterestRow } from './open-interest-tables.ts';
import type { ProjectionStore } from './store.ts';

export const INTEREST_SINCE =
  'SELECT * FROM openInterests WHERE market = ? AND spanMs = ? AND openTimeEpochMs >= ? ORDER BY openTimeEpochMs LIMIT ?';
export const INTEREST_BACK = 'SELECT * FROM openInterests WHERE market = ? AND spanMs = ? ORDER BY openTimeEpochMs DESC LIMIT ?';

type Entry = OpenInterestSeries['entries'][number];

/** Oldest first: from `sinceEpochMs` on if given, otherwise the newest. */
export function openInterestOf(store: ProjectionStore, query: OpenInterestQuery, market: MarketScales): PageEntries<Entry> {
  const rows = rowsOf(store, query);
  return { length: rows.length, slice: (from, to) => rows.slice(from, to).map((row) => entryOf(row, market)) };
}

function rowsOf(
  store: ProjectionStore,
  { market, timeframe, sinceEpochMs, limit }: OpenInterestQuery,
): readonly OpenInterestRow[] {
  const spanMs = TIMEFRAME_MS[timeframe];
  const stored = INTEREST_SPANS_MS.findLast((it) => spanMs % it === 0)!;
  const parts = spanMs / stored;
  if (sinceEpochMs === undefined) {
    const rows = store
      .statement(INTEREST_BACK)
      .all(market, stored, limit * parts)
      .reverse();
    return lastOfEach(rows as unknown as OpenInterestRow[], spanMs).slice(-limit);
  }
  const rows = store.statement(INTEREST_SINCE).all(market, stored, nextSpanStart(sinceEpochMs, spanMs), limit * parts);
  return lastOfEach(rows as unknown as OpenInterestRow[], spanMs).slice(0, limit);
}

/** The last row of each span, oldest first. */
function lastOfEach(rows: readonly OpenInterestRow[], spanMs: number): readonly OpenInterestRow[] {
  const last = new Map<number, OpenInterestRow>();
  for (const row of rows) {
    const openTimeEpochMs = spanStart(row.openTimeEpochMs, spanMs);
    last.set(openTimeEpochMs, { ...row, openTimeEpochMs });
  }
  return [...last.values()];
}

function entryOf({ openTimeEpochMs, openInterestAtoms, markPriceAtoms }: OpenInterestRow, market: MarketScales): Entry {
  const atoms = BigInt(openInterestAtoms);
  return {
    openTimeEpochMs,
    openInterest: market.quantity(atoms),
    openInterestNotional:
      markPriceAtoms === null ? null : renderMoney(atoms * BigInt(markPriceAtoms) * BigInt(market.tickLotAtoms)),
  };
}
