/**
 * Reads a file of candles as index prices. A file is accepted whole or not at all: the first fault is reported in one line that names file
 * and row (`candle-rows.ts`).
 */
import { type CandleRow, openingTimeOf, readCandleRows } from './candle-rows.ts';
import { PriceSourceFault } from './price-source.ts';

export interface Candle {
  readonly openedAtEpochMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** The candles of a file, in ascending order. Throws {@link PriceSourceFault}. */
export function readCandleFile(path: string): Candle[] {
  let previousEpochMs = 0;
  return readCandleRows(path).map((row) => {
    const candle = candleOf(row, previousEpochMs);
    previousEpochMs = candle.openedAtEpochMs;
    return candle;
  });
}

function candleOf(row: CandleRow, previousEpochMs: number): Candle {
  const { place, cells } = row;
  const openedAtEpochMs = openingTimeOf(row, previousEpochMs);
  const [open, high, low, close] = cells.slice(1, 5).map((cell) => (typeof cell === 'string' ? Number(cell) : cell));
  if (!isPrice(open) || !isPrice(high) || !isPrice(low) || !isPrice(close)) {
    throw new PriceSourceFault(`${place} must have four prices above zero after its time: open, high, low, close`);
  }
  if (low > Math.min(open, close) || high < Math.max(open, close)) {
    throw new PriceSourceFault(`${place} has its open or close outside of its low and high`);
  }
  return { openedAtEpochMs, open, high, low, close };
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
