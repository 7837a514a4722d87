/**
 * Indicators of trend and range that read the bars themselves. The prices of the bar before are those of the chart, also where a
 * script calls the indicator on some bars only.
 */
import { Ema, Rma, ratio } from './averages.ts';
import type { Bars } from './bars.ts';
import type { Cells } from './cells.ts';

/** `ta.tr`: the range including the gap to the close before. On the first bar it is high − low, or `na` without `handle_na`. */
export function trueRange(bars: Bars, handlesNa: boolean): number {
  const high = bars.at('high', 0);
  const low = bars.at('low', 0);
  const before = bars.at('close', 1);
  if (Number.isNaN(before)) return handlesNa ? high - low : Number.NaN;
  return Math.max(high - low, Math.abs(high - before), Math.abs(low - before));
}

/** `ta.atr`: the `ta.rma` of the true range. */
export class Atr {
  readonly #average: Rma;

  constructor(cells: Cells, length: number) {
    this.#average = new Rma(cells, length);
  }

  next(bars: Bars): number {
    return this.#average.next(trueRange(bars, true));
  }
}

/** `ta.kc`: an exponential average, with bands at a multiple of the average (true) range. */
export class KeltnerChannel {
  readonly #basis: Ema;
  readonly #range: Ema;
  readonly #factor: number;
  readonly #isTrueRange: boolean;

  constructor(cells: Cells, length: number, factor: number, isTrueRange: boolean) {
    this.#basis = new Ema(cells, length);
    this.#range = new Ema(cells, length);
    this.#factor = factor;
    this.#isTrueRange = isTrueRange;
  }

  /** Writes the middle, the upper and the lower line. */
  next(value: number, bars: Bars, results: Float64Array): void {
    const span = this.#isTrueRange ? trueRange(bars, false) : bars.at('high', 0) - bars.at('low', 0);
    const basis = this.#basis.next(value);
    const width = this.#range.next(span) * this.#factor;
    results[0] = basis;
    results[1] = basis + width;
    results[2] = basis - width;
  }
}

/**
 * `ta.supertrend` (reference manual, its example): bands at a multiple of `ta.atr` around hl2 that only move towards the price,
 * and the direction −1 (up) or 1 (down). The line switches when the close crosses the band.
 */
export class Supertrend {
  readonly #atr: Atr;
  readonly #factor: number;
  /** The lower band, the upper band, the line and the `ta.atr` of the call before. */
  readonly #before: Float64Array;

  constructor(cells: Cells, factor: number, length: number) {
    this.#atr = new Atr(cells, length);
    this.#factor = factor;
    this.#before = cells.take(4, Number.NaN);
  }

  /** Writes the line and the direction. */
  next(bars: Bars, results: Float64Array): void {
    const before = this.#before;
    const [lowerBefore = 0, upperBefore = 0, lineBefore = Number.NaN, atrBefore = Number.NaN] = before;
    const close = bars.at('close', 0);
    const closeBefore = bars.at('close', 1);
    const atr = this.#atr.next(bars);
    const middle = bars.at('hl2', 0);
    const lowerFloor = Number.isNaN(lowerBefore) ? 0 : lowerBefore;
    const upperFloor = Number.isNaN(upperBefore) ? 0 : upperBefore;
    let lower = middle - this.#factor * atr;
    let upper = middle + this.#factor * atr;
    if (!(lower > lowerFloor || closeBefore < lowerFloor)) lower = lowerFloor;
    if (!(upper < upperFloor || closeBefore > upperFloor)) upper = upperFloor;
    let direction: number;
    if (Number.isNaN(atrBefore)) direction = 1;
    else if (lineBefore === upperFloor) direction = close > upper ? -1 : 1;
    else direction = close < lower ? 1 : -1;
    const line = direction === -1 ? lower : upper;
    before[0] = lower;
    before[1] = upper;
    before[2] = line;
    before[3] = atr;
    // Before the average true range exists the bands are zero, not prices.
    results[0] = Number.isNaN(atr) ? Number.NaN : line;
    results[1] = direction;
  }
}

/** `ta.dmi`: the directional movements in per cent of the true range, and the average of their difference, all by `ta.rma`. */
export class DirectionalMovement {
  readonly #range: Rma;
  readonly #plus: Rma;
  readonly #minus: Rma;
  readonly #index: Rma;

  constructor(cells: Cells, length: number, smoothing: number) {
    this.#range = new Rma(cells, length);
    this.#plus = new Rma(cells, length);
    this.#minus = new Rma(cells, length);
    this.#index = new Rma(cells, smoothing);
  }

  /** Writes +DI, −DI and ADX. */
  next(bars: Bars, results: Float64Array): void {
    const up = bars.at('high', 0) - bars.at('high', 1);
    const down = bars.at('low', 1) - bars.at('low', 0);
    const hasBefore = !Number.isNaN(up);
    const range = this.#range.next(trueRange(bars, false));
    const plus = this.#plus.next(hasBefore ? (up > down && up > 0 ? up : 0) : Number.NaN);
    const minus = this.#minus.next(hasBefore ? (down > up && down > 0 ? down : 0) : Number.NaN);
    const plusIndex = ratio(100 * plus, range);
    const minusIndex = ratio(100 * minus, range);
    const sum = plusIndex + minusIndex;
    results[0] = plusIndex;
    results[1] = minusIndex;
    results[2] = 100 * this.#index.next(Math.abs(plusIndex - minusIndex) / (sum === 0 ? 1 : sum));
  }
}
