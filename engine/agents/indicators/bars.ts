/**
 * The last bars of a run. The history of prices advances on every bar, also for an indicator that a script calls on some bars only.
 */
import type { Cells } from './cells.ts';
import { Window } from './window.ts';

/** The prices of a bar as doubles. */
export interface BarPrices {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
  readonly volume: number;
}

/** What a script can read of each bar. */
export const PRICE_NAMES = ['open', 'high', 'low', 'close', 'volume', 'hl2', 'hlc3', 'ohlc4', 'hlcc4'] as const;
export type PriceName = (typeof PRICE_NAMES)[number];

/** `ta.sar` reads the lows and highs of two bars before. */
export const MIN_BARS_DEPTH = 3;

export class Bars {
  readonly #count: Float64Array;
  readonly #open: Window;
  readonly #high: Window;
  readonly #low: Window;
  readonly #close: Window;
  readonly #volume: Window;

  /** @param depth how many bars are available, at least {@link MIN_BARS_DEPTH} */
  constructor(cells: Cells, depth: number) {
    this.#count = cells.take(1);
    this.#open = new Window(cells, depth);
    this.#high = new Window(cells, depth);
    this.#low = new Window(cells, depth);
    this.#close = new Window(cells, depth);
    this.#volume = new Window(cells, depth);
  }

  /** The number of the newest bar, from 0. */
  get index(): number {
    return this.#count[0]! - 1;
  }

  push(bar: BarPrices): void {
    this.#count[0]! += 1;
    this.#open.push(bar.open);
    this.#high.push(bar.high);
    this.#low.push(bar.low);
    this.#close.push(bar.close);
    this.#volume.push(bar.volume);
  }

  /** A price `age` bars before the newest; NaN before the first bar. */
  at(price: PriceName, age: number): number {
    switch (price) {
      case 'open':
        return this.#open.at(age);
      case 'high':
        return this.#high.at(age);
      case 'low':
        return this.#low.at(age);
      case 'close':
        return this.#close.at(age);
      case 'volume':
        return this.#volume.at(age);
      case 'hl2':
        return (this.#high.at(age) + this.#low.at(age)) / 2;
      case 'hlc3':
        return (this.#high.at(age) + this.#low.at(age) + this.#close.at(age)) / 3;
      case 'ohlc4':
        return (this.#open.at(age) + this.#high.at(age) + this.#low.at(age) + this.#close.at(age)) / 4;
      case 'hlcc4':
        return (this.#high.at(age) + this.#low.at(age) + this.#close.at(age) * 2) / 4;
    }
  }
}
