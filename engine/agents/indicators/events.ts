/** Crossings of two series, and what happened since a condition was true. */
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/**
 * `ta.crossover` and `ta.crossunder` (Pine Script reference manual): above now, and not above on the bar before. A comparison with
 * `na` is false, so there is no crossing on the first bar of either series.
 */
export class Crossing {
  readonly #before: Float64Array;

  constructor(cells: Cells) {
    this.#before = cells.take(2, Number.NaN);
  }

  /** 1 if `first` crosses over `second`, −1 if under, otherwise 0. */
  next(first: number, second: number): -1 | 0 | 1 {
    const [firstBefore = Number.NaN, secondBefore = Number.NaN] = this.#before;
    this.#before[0] = first;
    this.#before[1] = second;
    if (first > second && firstBefore <= secondBefore) return 1;
    if (first < second && firstBefore >= secondBefore) return -1;
    return 0;
  }
}

/** `ta.barssince`: 0 on a bar with the condition, `na` before the first. */
export class BarsSince {
  readonly #bars: Float64Array;

  constructor(cells: Cells) {
    this.#bars = cells.take(1, Number.NaN);
  }

  next(isTrue: boolean): number {
    this.#bars[0] = isTrue ? 0 : this.#bars[0]! + 1;
    return this.#bars[0];
  }
}

/** `ta.valuewhen`: the source on the bar of the nth last occurrence, 0 for the last. */
export class ValueWhen {
  readonly #window: Window;

  constructor(cells: Cells, occurrence: number) {
    this.#window = new Window(cells, occurrence + 1);
  }

  next(isTrue: boolean, value: number): number {
    if (isTrue) this.#window.push(value);
    return this.#window.at(this.#window.length - 1);
  }
}

/** `fixnan`: the last value that is not `na`. */
export class LastValue {
  readonly #last: Float64Array;

  constructor(cells: Cells) {
    this.#last = cells.take(1, Number.NaN);
  }

  next(value: number): number {
    if (!Number.isNaN(value)) this.#last[0] = value;
    return this.#last[0]!;
  }
}
