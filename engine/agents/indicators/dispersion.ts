/**
 * How far values lie from their average, and the line that fits them best. Deviations are summed from the average, not as a
 * difference of large sums, so nearly equal prices keep their digits.
 */
import { ratio } from './averages.ts';
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/** An indicator of the deviations from the average of the last values. */
abstract class Dispersion {
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
    let sum = 0;
    for (let age = window.length - 1; age >= 0; age -= 1) sum += this.weigh(window.at(age) - mean);
    return this.resultOf(sum, value - mean);
  }

  /** What a deviation adds to the sum. */
  protected abstract weigh(deviation: number): number;

  /** @param newest the deviation of the newest value */
  protected abstract resultOf(sum: number, newest: number): number;
}

/** `ta.variance`. Biased, it divides by the length; unbiased, by the length minus 1 (`na` for a length of 1). */
export class Variance extends Dispersion {
  readonly #divisor: number;

  constructor(cells: Cells, length: number, isBiased: boolean) {
    super(cells, length);
    this.#divisor = isBiased ? length : length - 1;
  }

  protected weigh(deviation: number): number {
    return deviation * deviation;
  }

  protected resultOf(sum: number): number {
    return ratio(sum, this.#divisor);
  }
}

/** `ta.cci`: the distance from the average, divided by 0.015 × the mean absolute deviation. `na` while all values are equal. */
export class Cci extends Dispersion {
  readonly #length: number;

  constructor(cells: Cells, length: number) {
    super(cells, length);
    this.#length = length;
  }

  protected weigh(deviation: number): number {
    return Math.abs(deviation);
  }

  protected resultOf(sum: number, newest: number): number {
    return ratio(newest, 0.015 * (sum / this.#length));
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
