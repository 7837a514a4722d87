/**
 * The last 24 hours of each market: the current minute and the 1,439 before it. The totals are updated in memory as trades are folded,
 * because reads on the folding thread are frequent and must be cheap.
 */
import type { MarketOrdinal } from '#units/ids.ts';
import type { EpochMs, PriceAtoms } from '#units/money.ts';
import { mulDivDown, WHOLE_BPS } from '#units/money.ts';
import { spanStart } from './candle-spans.ts';
import type { CandleRow } from './rows.ts';

const MINUTE_MS = 60_000;
const WINDOW_MS = 1_440 * MINUTE_MS;

export const CANDLES_IN_WINDOW = `SELECT * FROM candles WHERE market = ? AND series = 'trade' AND spanMs = ${MINUTE_MS} AND openTimeEpochMs > ? ORDER BY openTimeEpochMs`;

/** The trades of the last 24 hours. Prices are absent without trades. */
export interface DayWindow {
  readonly openAtoms?: PriceAtoms;
  readonly highAtoms?: PriceAtoms;
  readonly lowAtoms?: PriceAtoms;
  readonly volumeAtoms: bigint;
  readonly notionalAtoms: bigint;
}

/** Minutes with a later open time are within the window. */
export function windowStart(nowEpochMs: EpochMs): number {
  return spanStart(nowEpochMs, MINUTE_MS) - WINDOW_MS;
}

/** Reads the stored minutes of a market's trades after an open time, oldest first. */
export type ReadMinutes = (market: MarketOrdinal, afterEpochMs: number) => Iterable<CandleRow>;

export class DayWindows {
  readonly #readMinutes: ReadMinutes;
  /** Markets that have been read. */
  readonly #days = new Map<MarketOrdinal, MarketDay>();

  constructor(readMinutes: ReadMinutes) {
    this.#readMinutes = readMinutes;
  }

  /** Notes the new state of a candle. */
  observe(candle: CandleRow): void {
    if (candle.series === 'trade' && candle.spanMs === MINUTE_MS) this.#days.get(candle.market)?.put(candle);
  }

  /** Times must not decrease. Must not be called during a fold, whose changes are not stored yet. */
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

  /** Clears the cache; it is read again from the database. */
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

  /** Adds the newest minute, or replaces it. */
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

  /** Removes the minutes that opened at or before a time. */
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

  /** Linear in the minutes, but runs at most once a minute, when minutes leave the window. */
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
 * The change from the first price of the window to the last price, in basis points, rounded toward zero. Without a trade in the window the
 * price has not changed.
 */
export function change24hBpsOf({ openAtoms }: DayWindow, last: PriceAtoms): string {
  const open = openAtoms ?? last;
  const change = mulDivDown(Math.abs(last - open), WHOLE_BPS, open);
  return last < open && change > 0 ? `-${change}` : String(change);
}
