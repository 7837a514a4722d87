/**
 * The highest and lowest value of a window of bars, and how far back it is. An `na` value takes its place in the window and is
 * ignored (Pine Script reference manual, remarks of `ta.highest`).
 */
import { ratio } from './averages.ts';
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

export class Extreme {
  readonly #window: Window;
  readonly #isHighest: boolean;

  constructor(cells: Cells, length: number, side: 'highest' | 'lowest') {
    this.#window = new Window(cells, length);
    this.#isHighest = side === 'highest';
  }

  /** The extreme value; NaN until the window has `length` bars. */
  next(value: number): number {
    const age = this.#nextAge(value);
    return Number.isNaN(age) ? age : this.#window.at(age);
  }

  /** `ta.highestbars`, `ta.lowestbars`: the offset as 0 or a negative number; of equal values the oldest. */
  nextOffset(value: number): number {
    return 0 - this.#nextAge(value);
  }

  #nextAge(value: number): number {
    const window = this.#window;
    window.push(value);
    if (!window.isFull) return Number.NaN;
    let found = Number.NaN;
    let extreme = Number.NaN;
    for (let age = window.length - 1; age >= 0; age -= 1) {
      const candidate = window.at(age);
      const isBeyond = this.#isHighest ? candidate > extreme : candidate < extreme;
      if (isBeyond || (Number.isNaN(extreme) && !Number.isNaN(candidate))) {
        extreme = candidate;
        found = age;
      }
    }
    return found;
  }
}

/** `ta.stoch`: 100 × (source − lowest) / (highest − lowest). It is `na` while both are equal. */
export class Stochastic {
  readonly #highest: Extreme;
  readonly #lowest: Extreme;

  constructor(cells: Cells, length: number) {
    this.#highest = new Extreme(cells, length, 'highest');
    this.#lowest = new Extreme(cells, length, 'lowest');
  }

  next(source: number, high: number, low: number): number {
    const highest = this.#highest.next(high);
    const lowest = this.#lowest.next(low);
    return ratio(100 * (source - lowest), highest - lowest);
  }
}

/** `ta.wpr`, Williams %R: 100 × (close − highest) / (highest − lowest). */
export class WilliamsRange {
  readonly #highest: Extreme;
  readonly #lowest: Extreme;

  constructor(cells: Cells, length: number) {
    this.#highest = new Extreme(cells, length, 'highest');
    this.#lowest = new Extreme(cells, length, 'lowest');
  }

  next(high: number, low: number, close: number): number {
    const highest = this.#highest.next(high);
    const lowest = this.#lowest.next(low);
    return ratio(100 * (close - highest), highest - lowest);
  }
}
