/**
 * The last 24 hours of each market: the minute under way and the 1,439 before it. What they come to is kept in memory as
 * trades are folded, because anyone may ask for it at any rate on the thread that folds.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import { mulDivDown, WHOLE_BPS } from '#units/money.ts';
import { spanStart } from './market-fold.ts';
import type { CandleRow } from './rows.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 1_440 * MINUTE_MS;

export const CANDLES_IN_WINDOW = `SELECT * FROM candles WHERE market = ? AND series = 'trade' AND spanMs = ${MINUTE_MS} AND openTimeEpochMs > ? ORDER BY openTimeEpochMs`;

/** What the trades of the last 24 hours come to. Prices are absent where there were none. */
export interface DayWindow {
  readonly openAtoms?: PriceAtoms;
  readonly highAtoms?: PriceAtoms;
  readonly lowAtoms?: PriceAtoms;
  readonly volumeAtoms: bigint;
  readonly notionalAtoms: bigint;
}

/** The open time after which minutes are within the window. */
export function windowStart(nowEpochMs: EpochMs): number {
  return spanStart(nowEpochMs, MINUTE_MS) - WINDOW_MS;
}

/** The stored minutes in which a market traded, after an open time, oldest first. */
export type ReadMinutes = (market: MarketOrdinal, afterEpochMs: number) => Iterable<CandleRow>;

export class DayWindows {
  readonly #readMinutes: ReadMinutes;
  /** The markets that someone has asked for. */
  readonly #days = new Map<MarketOrdinal, MarketDay>();

  constructor(readMinutes: ReadMinutes) {
    this.#readMinutes = readMinutes;
  }

  /** A candle as it has become. */
  observe(candle: CandleRow): void {
    if (candle.series === 'trade' && candle.spanMs === MINUTE_MS) this.#days.get(candle.market)?.put(candle);
  }

  /** Times never go back. Not to be called while a group is being folded: what it changes is not stored yet. */
  at(market: MarketOrdinal, nowEpochMs: EpochMs): DayWindow {
    const outside = windowStart(nowEpochMs);
    let day = this.#days.get(market);
    if (day === undefined) {
      day = new MarketDay();
      for (const candle of this.#readMinutes(market, outside)) day.put(candle);
      this.#days.set(market, day);
    }
    day.dropUpTo(outside);
    return day;
  }

  /** Forgets everything: it is read again from what is stored. */
  forget(): void {
    this.#days.clear();
  }
}

interface Minute {
  readonly openAtoms: PriceAtoms;
  readonly highAtoms: PriceAtoms;
  readonly lowAtoms: PriceAtoms;
  readonly volumeAtoms: bigint;
  readonly notionalAtoms: bigint;
}

class MarketDay implements DayWindow {
  /** By open time, oldest first. */
  readonly #minutes = new Map<number, Minute>();
  openAtoms?: PriceAtoms;
  highAtoms?: PriceAtoms;
  lowAtoms?: PriceAtoms;
  volumeAtoms = 0n;
  notionalAtoms = 0n;

  /** The newest minute, or the one before it as it has become. */
  put({ openTimeEpochMs, openAtoms, highAtoms, lowAtoms, ...totals }: CandleRow): void {
    this.dropUpTo(openTimeEpochMs - WINDOW_MS);
    const before = this.#minutes.get(openTimeEpochMs);
    const volumeAtoms = BigInt(totals.volumeAtoms);
    const notionalAtoms = BigInt(totals.notionalAtoms);
    this.volumeAtoms += volumeAtoms - (before?.volumeAtoms ?? 0n);
    this.notionalAtoms += notionalAtoms - (before?.notionalAtoms ?? 0n);
    this.#minutes.set(openTimeEpochMs, { openAtoms, highAtoms, lowAtoms, volumeAtoms, notionalAtoms });
    this.openAtoms ??= openAtoms;
    this.#widen(highAtoms, lowAtoms);
  }

  /** Takes out the minutes that opened at a time or before. */
  dropUpTo(epochMs: number): void {
    const count = this.#minutes.size;
    for (const [openTimeEpochMs, minute] of this.#minutes) {
      if (openTimeEpochMs > epochMs) break;
      this.#minutes.delete(openTimeEpochMs);
      this.volumeAtoms -= minute.volumeAtoms;
      this.notionalAtoms -= minute.notionalAtoms;
    }
    if (this.#minutes.size < count) this.#findPrices();
  }

  /** Once a minute at most: that is how often minutes leave. */
  #findPrices(): void {
    delete this.openAtoms;
    delete this.highAtoms;
    delete this.lowAtoms;
    for (const { openAtoms, highAtoms, lowAtoms } of this.#minutes.values()) {
      this.openAtoms ??= openAtoms;
      this.#widen(highAtoms, lowAtoms);
    }
  }

  #widen(highAtoms: PriceAtoms, lowAtoms: PriceAtoms): void {
    if (this.highAtoms === undefined || highAtoms > this.highAtoms) this.highAtoms = highAtoms;
    if (this.lowAtoms === undefined || lowAtoms < this.lowAtoms) this.lowAtoms = lowAtoms;
  }
}

/**
 * How far the last price lies from the first one of the window, in basis points, toward zero. A market that did not trade
 * within it still has the price that it had before.
 */
export function change24hBpsOf({ openAtoms }: DayWindow, last: PriceAtoms): string {
  const open = openAtoms ?? last;
  const change = mulDivDown(Math.abs(last - open), WHOLE_BPS, open);
  return last < open && change > 0 ? `-${change}` : String(change);
}
