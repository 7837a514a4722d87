/**
 * How far values lie from their average, and the line that fits them best. Deviations are summed from the average, not as a
 * difference of large sums, so nearly equal prices keep their digits.
 */
import { ratio } from './averages.ts';
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/** `ta.variance`. Biased, it divides by the length; unbiased, by the length minus 1 (`na` for a length of 1). */
export class Variance {
  readonly #window: Window;
  readonly #divisor: number;

  constructor(cells: Cells, length: number, isBiased: boolean) {
    this.#window = new Window(cells, length);
    this.#divisor = isBiased ? length : length - 1;
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const window = this.#window;
    window.push(value);
    if (!window.isFull) return Number.NaN;
    const mean = window.sum() / window.length;
    let squares = 0;
    for (let age = window.length - 1; age >= 0; age -= 1) {
      const deviation = window.at(age) - mean;
      squares += deviation * deviation;
    }
    return ratio(squares, this.#divisor);
  }
}

/** `ta.cci`: the distance from the average, divided by 0.015 × the mean absolute deviation. `na` while all values are equal. */
export class Cci {
  readonly #window: Window;

  constructor(cells: Cells, length: number) {
    this.#window = new Window(cells, length);
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const window = this.#window;
    window.push(value);
    if (!window.isFull) return Number.NaN;
    const mean = window.sum() / window.length;
    let distances = 0;
    for (let age = window.length - 1; age >= 0; age -= 1) distances += Math.abs(window.at(age) - mean);
    return ratio(value - mean, 0.015 * (distances / window.length));
  }
}

/** `ta.linreg`: intercept + slope × (length − 1 − offset) of the least squares line. */
export class LinearRegression {
  readonly #window: Window;
  readonly #offset: number;

  constructor(cells: Cells, length: number, offset: number) {
    this.#window = new Window(cells, length);
    this.#offset = offset;
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const window = this.#window;
    const { length } = window;
    window.push(value);
    if (!window.isFull) return Number.NaN;
    const mean = window.sum() / length;
    // Positions are measured from their middle, where slope and average do not influence each other.
    const middle = (length - 1) / 2;
    let products = 0;
    let squares = 0;
    for (let position = 0; position < length; position += 1) {
      const distance = position - middle;
      products += distance * (window.at(length - 1 - position) - mean);
      squares += distance * distance;
    }
    const slope = squares === 0 ? 0 : products / squares;
    return ratio(mean + slope * (length - 1 - this.#offset - middle), 1);
  }
}
