/**
 * Reads the rows of a file of candles: `[openTimeMs, open, high, low, close, volume]` as JSON or CSV, plain or gzip. A fault is reported in
 * one line that names the file and, if it is of a row, the row.
 */
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { PriceSourceFault } from './price-source.ts';

/** Ten years of minutes are 5 million rows, far below this. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** The start of 2009: an earlier time is most likely in seconds. */
const EARLIEST_EPOCH_MS = 1_230_768_000_000;

export interface CandleRow {
  /** The row's file and line in a message. */
  readonly place: string;
  /** Numbers or texts from JSON, texts from CSV. */
  readonly cells: readonly unknown[];
}

/** The rows of a file, with at least one. Throws {@link PriceSourceFault}. */
export function readCandleRows(path: string): CandleRow[] {
  const text = readText(path).trim();
  if (text === '')
    throw new PriceSourceFault(
      `${path}: the file is empty; it must hold candles as [openTimeMs, open, high, low, close, volume]`,
    );
  const rows = text.startsWith('[') ? jsonRows(path, text) : csvRows(path, text);
  if (rows.length === 0) throw new PriceSourceFault(`${path}: the file has no candles`);
  return rows;
}

/** Reads the opening time of the row; it must be later than that of the row before. */
export function openingTimeOf({ place, cells }: CandleRow, previousEpochMs: number): number {
  const openedAtEpochMs = typeof cells[0] === 'string' ? Number(cells[0]) : cells[0];
  if (!isTime(openedAtEpochMs))
    throw new PriceSourceFault(`${place} must start with its opening time in milliseconds since 1970`);
  if (openedAtEpochMs > previousEpochMs) return openedAtEpochMs;
  throw new PriceSourceFault(`${place} is not later than the row before it; sort the rows by time`);
}

function isTime(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= EARLIEST_EPOCH_MS;
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

function jsonRows(path: string, text: string): CandleRow[] {
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
    return { place: `${path}: row ${index + 1}`, cells };
  });
}

/** A first line that starts with a letter or a quote is a heading. */
function csvRows(path: string, text: string): CandleRow[] {
  const rows: CandleRow[] = [];
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (line.trim() === '' || (index === 0 && /^\s*["a-z]/i.test(line))) continue;
    rows.push({
      place: `${path}: line ${index + 1}`,
      cells: line.split(/[,;]/).map((cell) => cell.trim()),
    });
  }
  return rows;
}
