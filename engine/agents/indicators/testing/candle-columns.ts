/**
 * Candles for comparisons, by column: the real months beside the repository if they are there, and generated ones always.
 * `OPENPERP_REAL_CANDLES=required` makes missing months a failure.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { ScriptBar } from '#agents/script/run.ts';

export interface CandleColumns {
  readonly open: readonly number[];
  readonly high: readonly number[];
  readonly low: readonly number[];
  readonly close: readonly number[];
  readonly volume: readonly number[];
}

const FOLDER = new URL('../../../../../shared/data/', import.meta.url).pathname;
const isRequired = process.env.OPENPERP_REAL_CANDLES === 'required';

/** The names of the real months. */
export const MONTHS: readonly string[] =
  isRequired || existsSync(FOLDER)
    ? readdirSync(FOLDER)
        .filter((name) => name.endsWith('.json.gz'))
        .sort()
    : [];

/** Prices in cents and volumes in thousandths, as a market has them. */
export function readMonth(name: string): CandleColumns {
  const rows = JSON.parse(gunzipSync(readFileSync(`${FOLDER}${name}`)).toString('utf8')) as (number | string)[][];
  const column = (index: number, scale: number) => rows.map((row) => Math.round(Number(row[index]) * scale) / scale);
  return { open: column(1, 100), high: column(2, 100), low: column(3, 100), close: column(4, 100), volume: column(5, 1000) };
}

export function lastBars({ open, high, low, close, volume }: CandleColumns, count: number): CandleColumns {
  const last = (column: readonly number[]) => column.slice(-count);
  return { open: last(open), high: last(high), low: last(low), close: last(close), volume: last(volume) };
}

/** A random walk in cents, with runs of equal prices and gaps. */
export function generateCandles(count: number, random: () => number): CandleColumns {
  const columns = {
    open: [] as number[],
    high: [] as number[],
    low: [] as number[],
    close: [] as number[],
    volume: [] as number[],
  };
  let cents = 100_000;
  for (let index = 0; index < count; index += 1) {
    const isStill = random() < 0.05;
    const move = () => (isStill ? 0 : Math.round((random() - 0.5) * 400));
    const open = Math.max(1000, cents + (random() < 0.02 ? move() * 5 : 0));
    const close = Math.max(1000, open + move());
    columns.open.push(open / 100);
    columns.high.push((Math.max(open, close) + Math.abs(move())) / 100);
    columns.low.push(Math.max(100, Math.min(open, close) - Math.abs(move())) / 100);
    columns.close.push(close / 100);
    columns.volume.push(Math.round(random() * 5000) / 1000);
    cents = close;
  }
  return columns;
}

/** A column in atoms at price scale 2 and quantity scale 3. */
export function barsOfColumns({ open, high, low, close, volume }: CandleColumns): ScriptBar[] {
  const atoms = (value: number | undefined, scale: number) => Math.round((value ?? 0) * scale);
  return close.map((_, index) => ({
    openAtoms: atoms(open[index], 100),
    highAtoms: atoms(high[index], 100),
    lowAtoms: atoms(low[index], 100),
    closeAtoms: atoms(close[index], 100),
    volumeAtoms: atoms(volume[index], 1000),
  }));
}
