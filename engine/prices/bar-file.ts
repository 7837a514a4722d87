/**
 * Reads candles as exact bars of a market, with volumes, for a backtest. Prices are rounded to the nearest tick and volumes to the
 * nearest lot, halves up: a file can be of another venue, whose ticks are finer.
 */
import { parseDecimalNearest } from '#units/decimal.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { type CandleRow, openingTimeOf, readCandleRows } from './candle-rows.ts';
import { PriceSourceFault } from './price-source.ts';

export interface PriceBar {
  readonly openedAtEpochMs: number;
  readonly openAtoms: number;
  readonly highAtoms: number;
  readonly lowAtoms: number;
  readonly closeAtoms: number;
  /** Quantity atoms. */
  readonly volumeAtoms: number;
}

/** So many that the bars of a day add up to an exact integer: 44 million of a coin with five decimals. */
const MAX_VOLUME_ATOMS = 2 ** 42;

type BarScales = Pick<MarketSpecification, 'marketId' | 'priceScale' | 'quantityScale' | 'minPriceAtoms' | 'maxPriceAtoms'>;

/** The bars of a file, in ascending order. Throws {@link PriceSourceFault} at the first row that does not fit the market. */
export function readBarFile(path: string, market: BarScales): PriceBar[] {
  return barsOfRows(readCandleRows(path), market);
}

/** The bars of rows in ascending order. Throws likewise. */
export function barsOfRows(rows: readonly CandleRow[], market: BarScales): PriceBar[] {
  let previousEpochMs = 0;
  return rows.map((row) => {
    const bar = barOf(row, previousEpochMs, market);
    previousEpochMs = bar.openedAtEpochMs;
    return bar;
  });
}

function barOf(row: CandleRow, previousEpochMs: number, market: BarScales): PriceBar {
  const { place } = row;
  const openedAtEpochMs = openingTimeOf(row, previousEpochMs);
  const openAtoms = priceOf(row, 1, 'open', market);
  const highAtoms = priceOf(row, 2, 'high', market);
  const lowAtoms = priceOf(row, 3, 'low', market);
  const closeAtoms = priceOf(row, 4, 'close', market);
  if (lowAtoms > Math.min(openAtoms, closeAtoms) || highAtoms < Math.max(openAtoms, closeAtoms)) {
    throw new PriceSourceFault(`${place} has its open or close outside of its low and high`);
  }
  const volumeAtoms = amountOf(row, 5, 'volume', market.quantityScale);
  if (volumeAtoms > MAX_VOLUME_ATOMS)
    throw new PriceSourceFault(`${place} has a volume of ${textOf(row.cells[5])}: ${FAULTS.too_large}`);
  return { openedAtEpochMs, openAtoms, highAtoms, lowAtoms, closeAtoms, volumeAtoms };
}

function priceOf(row: CandleRow, column: number, name: string, market: BarScales): number {
  const atoms = amountOf(row, column, name, market.priceScale);
  const { marketId, minPriceAtoms, maxPriceAtoms } = market;
  if (atoms >= minPriceAtoms && atoms <= maxPriceAtoms) return atoms;
  throw new PriceSourceFault(
    `${row.place} has a ${name} of ${textOf(row.cells[column])}, which is outside of the prices of ${marketId}; is the file of another market?`,
  );
}

const FAULTS = {
  malformed: 'expected a decimal that is not negative',
  too_large: 'it is too large',
} as const;

function amountOf({ place, cells }: CandleRow, column: number, name: string, scale: number): number {
  const text = textOf(cells[column]);
  const parsed = parseDecimalNearest(text, scale);
  if ('atoms' in parsed) return parsed.atoms;
  const found = text === '' ? `no ${name}` : `a ${name} of ${JSON.stringify(text.slice(0, 40))}`;
  throw new PriceSourceFault(`${place} has ${found}: ${FAULTS[parsed.fault]}`);
}

/** The decimal digits of a cell. Files of other programs can have exponents, as in 1e-05. */
function textOf(cell: unknown): string {
  if (typeof cell !== 'number' && typeof cell !== 'string') return '';
  const text = String(cell).trim();
  return /^[0-9.]+e[+-]?[0-9]+$/i.test(text) && Number(text) < 1e20 ? Number(text).toFixed(20) : text;
}
