/**
 * Reads a file of candles: rows of `[openTimeMs, open, high, low, close, volume]` as JSON or CSV, plain or gzip. A file is
 * accepted whole or not at all: the first fault is reported in one line that names file and row.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PriceSourceFault } from './price-source.ts';

export interface Candle {
  readonly openedAtEpochMs: number;
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

/** Ten years of minutes are 5 million rows, far below this. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** The start of 2009: an earlier time is most likely in seconds. */
const EARLIEST_EPOCH_MS = 1_230_768_000_000;

/** The candles of a file, in ascending order. Throws {@link PriceSourceFault}. */
export function readCandleFile(path: string): Candle[] {
  const text = readText(path).trim();
  if (text === '')
    throw new PriceSourceFault(
      `${path}: the file is empty; it must hold candles as [openTimeMs, open, high, low, close, volume]`,
    );
  const rows = text.startsWith('[') ? jsonRows(path, text) : csvRows(text);
  if (rows.length === 0) throw new PriceSourceFault(`${path}: the file has no candles`);
  const candles = rows.map(({ place, cells }) => candleOf(`${path}: ${place}`, cells));
  for (const [index, candle] of candles.entries()) {
    const previous = candles[index - 1];
    if (previous !== undefined && candle.openedAtEpochMs <= previous.openedAtEpochMs) {
      throw new PriceSourceFault(`${path}: ${rows[index]?.place} is not later than the row before it; sort the rows by time`);
    }
  }
  return candles;
}

interface Row {
  /** The name of the row in a message. */
  readonly place: string;
  readonly cells: readonly unknown[];
}

function readText(path: string): string {
  try {
    const bytes = readFileSync(path);
    if (bytes.length > MAX_FILE_BYTES) throw new Error(`it is larger than ${MAX_FILE_BYTES} bytes`);
    const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
    return (isGzip ? gunzipSync(bytes, { maxOutputLength: MAX_FILE_BYTES }) : bytes).toString('utf8');
  } catch (error) {
    throw new PriceSourceFault(`${path}: cannot be read: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function jsonRows(path: string, text: string): Row[] {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    throw new PriceSourceFault(`${path}: starts like JSON but is not valid; is the file complete?`);
  }
  if (!Array.isArray(parsed)) throw new PriceSourceFault(`${path}: must be a JSON array of candle rows`);
  return parsed.map((cells: unknown, index) => {
    if (!Array.isArray(cells))
      throw new PriceSourceFault(`${path}: row ${index + 1} is not an array; write [openTimeMs, open, high, low, close, volume]`);
    return { place: `row ${index + 1}`, cells };
  });
}

/** A first line that starts with a letter or a quote is a heading. */
function csvRows(text: string): Row[] {
  const rows: Row[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (index === 0 && /^\s*["a-z]/i.test(line))) continue;
    rows.push({
      place: `line ${index + 1}`,
      cells: line.split(/[,;]/).map((cell) => (cell.trim() === '' ? undefined : Number(cell))),
    });
  }
  return rows;
}

function candleOf(place: string, cells: readonly unknown[]): Candle {
  const [openedAtEpochMs, open, high, low, close] = cells
    .slice(0, 5)
    .map((cell) => (typeof cell === 'string' ? Number(cell) : cell));
  if (!isTime(openedAtEpochMs))
    throw new PriceSourceFault(`${place} must start with its opening time in milliseconds since 1970`);
  if (!isPrice(open) || !isPrice(high) || !isPrice(low) || !isPrice(close)) {
    throw new PriceSourceFault(`${place} must have four prices above zero after its time: open, high, low, close`);
  }
  if (low > Math.min(open, close) || high < Math.max(open, close)) {
    throw new PriceSourceFault(`${place} has its open or close outside of its low and high`);
  }
  return { openedAtEpochMs, open, high, low, close };
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= EARLIEST_EPOCH_MS;
}

function isPrice(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
