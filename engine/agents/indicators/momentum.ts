/** Changes of a series over a number of bars, and the oscillators that are built from them. */
import { Ema, Rma, ratio } from './averages.ts';
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/** The value of a series `length` bars before; NaN if there is none. */
class Delay {
  readonly #window: Window;

  constructor(cells: Cells, length: number) {
    this.#window = new Window(cells, length + 1);
  }

  next(value: number): number {
    this.#window.push(value);
    return this.#window.at(this.#window.length - 1);
  }
}

/** `ta.change`, `ta.mom`: source − source[length]. */
export class Change {
  readonly #delay: Delay;

  constructor(cells: Cells, length: number) {
    this.#delay = new Delay(cells, length);
  }

  next(value: number): number {
    return value - this.#delay.next(value);
  }
}

/** `ta.roc`: the change in per cent of source[length]. */
export class RateOfChange {
  readonly #delay: Delay;

  constructor(cells: Cells, length: number) {
    this.#delay = new Delay(cells, length);
  }

  next(value: number): number {
    const before = this.#delay.next(value);
    return ratio(100 * (value - before), before);
  }
}

/**
 * `ta.rsi`: 100 − 100 / (1 + rma(gains) / rma(losses)). Without a loss in memory it is 100, the limit of the formula.
 */
export class Rsi {
  readonly #change: Change;
  readonly #gains: Rma;
  readonly #losses: Rma;

  constructor(cells: Cells, length: number) {
    this.#change = new Change(cells, 1);
    this.#gains = new Rma(cells, length);
    this.#losses = new Rma(cells, length);
  }

  next(value: number): number {
    const change = this.#change.next(value);
    if (Number.isNaN(change)) return change;
    const gain = this.#gains.next(Math.max(change, 0));
    const loss = this.#losses.next(Math.max(-change, 0));
    if (Number.isNaN(gain) || Number.isNaN(loss)) return Number.NaN;
    return loss === 0 ? 100 : 100 - 100 / (1 + gain / loss);
  }
}

/** `ta.macd`: the difference of two exponential averages, its own average, and the difference of both. */
export class Macd {
  readonly #fast: Ema;
  readonly #slow: Ema;
  readonly #signal: Ema;

  constructor(cells: Cells, fastLength: number, slowLength: number, signalLength: number) {
    this.#fast = new Ema(cells, fastLength);
    this.#slow = new Ema(cells, slowLength);
    this.#signal = new Ema(cells, signalLength);
  }

  /** Writes the MACD line, the signal line and the histogram. */
  next(value: number, results: Float64Array): void {
    const line = this.#fast.next(value) - this.#slow.next(value);
    const signal = this.#signal.next(line);
    results[0] = line;
    results[1] = signal;
    results[2] = line - signal;
  }
}

/** `ta.cum`: the sum of all values so far. An `na` value is skipped. */
export class Cumulation {
  readonly #sum: Float64Array;

  constructor(cells: Cells) {
    this.#sum = cells.take(1);
  }

  next(value: number): number {
    if (Number.isNaN(value)) return value;
    const sum = this.#sum[0]! + value;
    this.#sum[0] = Number.isFinite(sum) ? sum : Number.NaN;
    return this.#sum[0];
  }
}
