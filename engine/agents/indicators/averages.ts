/**
 * Moving averages. An `na` value is skipped: the result is `na` on that bar and the average covers the last `length` values that
 * are not (Pine Script reference manual, remarks of `ta.sma`, `ta.ema` and `ta.rma`).
 */
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/** A series of numbers that advances by one value. */
export interface Smoothing {
  next(value: number): number;
}

/** `math.sum`: NaN until it has `length` values. */
export class Sum implements Smoothing {
  readonly #window: Window;

  constructor(cells: Cells, length: number) {
    this.#window = new Window(cells, length);
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    this.#window.push(value);
    return this.#window.isFull ? this.#window.sum() : Number.NaN;
  }
}

/** `ta.sma`: the sum of the last `length` values divided by `length`. */
export class Sma implements Smoothing {
  readonly #sum: Sum;
  readonly #length: number;

  constructor(cells: Cells, length: number) {
    this.#sum = new Sum(cells, length);
    this.#length = length;
  }

  next(value: number): number {
    return this.#sum.next(value) / this.#length;
  }
}

/** An exponential average whose first value is the simple average of the first `length` values. */
abstract class Exponential implements Smoothing {
  readonly #seed: Sma;
  readonly #last: Float64Array;

  constructor(cells: Cells, length: number) {
    this.#seed = new Sma(cells, length);
    this.#last = cells.take(1, Number.NaN);
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const last = this.#last[0]!;
    const average = Number.isNaN(last) ? this.#seed.next(value) : this.step(last, value);
    // A value near the largest double can overflow. The average then starts again from its seed.
    this.#last[0] = Number.isFinite(average) ? average : Number.NaN;
    return this.#last[0];
  }

  protected abstract step(last: number, value: number): number;
}

/**
 * `ta.ema`: alpha is 2 / (length + 1). The manual's example starts from the first value, but its remarks promise an average of
 * `length` values: like the built-in function, this one is `na` before and starts from the simple average.
 */
export class Ema extends Exponential {
  readonly #alpha: number;

  constructor(cells: Cells, length: number) {
    super(cells, length);
    this.#alpha = 2 / (length + 1);
  }

  protected step(last: number, value: number): number {
    return last + this.#alpha * (value - last);
  }
}

/** `ta.rma`, the smoothing of Wilder: alpha is 1 / length, and the first value is `ta.sma` (reference manual, example of `ta.rma`). */
export class Rma extends Exponential {
  readonly #length: number;

  constructor(cells: Cells, length: number) {
    super(cells, length);
    this.#length = length;
  }

  protected step(last: number, value: number): number {
    return (last * (this.#length - 1) + value) / this.#length;
  }
}

/** `ta.wma`: weights rise from 1 for the oldest value to `length` for the newest. */
export class Wma implements Smoothing {
  readonly #window: Window;

  constructor(cells: Cells, length: number) {
    this.#window = new Window(cells, length);
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const { length } = this.#window;
    this.#window.push(value);
    if (!this.#window.isFull) return Number.NaN;
    let sum = 0;
    for (let age = length - 1; age >= 0; age -= 1) sum += this.#window.at(age) * (length - age);
    return sum / ((length * (length + 1)) / 2);
  }
}

/** `ta.vwma`: `ta.sma(source * volume, length) / ta.sma(volume, length)`. */
export class Vwma {
  readonly #weighted: Sma;
  readonly #volume: Sma;

  constructor(cells: Cells, length: number) {
    this.#weighted = new Sma(cells, length);
    this.#volume = new Sma(cells, length);
  }

  next(value: number, volume: number): number {
    const weighted = this.#weighted.next(value * volume);
    return ratio(weighted, this.#volume.next(volume));
  }
}

/** `ta.hma`: the weighted average, over the square root of the length, of twice the half-length average minus the full one. */
export class Hma implements Smoothing {
  readonly #half: Wma;
  readonly #full: Wma;
  readonly #smooth: Wma;

  constructor(cells: Cells, length: number) {
    this.#half = new Wma(cells, Math.max(1, Math.floor(length / 2)));
    this.#full = new Wma(cells, length);
    this.#smooth = new Wma(cells, Math.floor(Math.sqrt(length)));
  }

  next(value: number): number {
    return this.#smooth.next(2 * this.#half.next(value) - this.#full.next(value));
  }
}

/** Division as scripts know it: by zero it is `na`, as is a result beyond the largest double. */
export function ratio(dividend: number, divisor: number): number {
  const quotient = dividend / divisor;
  return Number.isFinite(quotient) ? quotient : Number.NaN;
}
