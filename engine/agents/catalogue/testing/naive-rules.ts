/**
 * Rules of the catalogue, written a second time from `rulesText`, without the interpreter: each is the side that a bar demands, or null
 * to keep the position. Parameters are at their defaults. Averages and extremes are counted again for each bar.
 */
import type { ScriptBar } from '#agents/script/run.ts';
import type { Side } from './script-run.ts';

type Rule = (at: PastBars, side: Side) => Side | null;
type Price = (bar: ScriptBar) => number;

const close: Price = (bar) => bar.closeAtoms;
const high: Price = (bar) => bar.highAtoms;
const low: Price = (bar) => bar.lowAtoms;
const middle: Price = (bar) => (bar.highAtoms + bar.lowAtoms) / 2;
const typical: Price = (bar) => (bar.highAtoms + bar.lowAtoms + bar.closeAtoms) / 3;

/** The bars up to one of them. A value is NaN until enough bars exist, so that no comparison with it is true. */
class PastBars {
  readonly #bars: readonly ScriptBar[];
  readonly #last: number;

  constructor(bars: readonly ScriptBar[], last: number) {
    this.#bars = bars;
    this.#last = last;
  }

  /** The prices of the last `length` bars, `age` bars ago. */
  prices(of: Price, length: number, age = 0): readonly number[] {
    const end = this.#last + 1 - age;
    return end < length ? [Number.NaN] : this.#bars.slice(end - length, end).map(of);
  }

  price(of: Price, age = 0): number {
    return this.prices(of, 1, age)[0]!;
  }

  highest(length: number, age = 0): number {
    return Math.max(...this.prices(high, length, age));
  }

  lowest(length: number, age = 0): number {
    return Math.min(...this.prices(low, length, age));
  }

  average(of: Price, length: number, age = 0): number {
    return meanOf(this.prices(of, length, age));
  }

  deviation(of: Price, length: number): number {
    const prices = this.prices(of, length);
    const mean = meanOf(prices);
    return Math.sqrt(meanOf(prices.map((price) => (price - mean) ** 2)));
  }
}

export const NAIVE_RULES: Readonly<Record<string, Rule>> = {
  'donchian-breakout': (at) => {
    if (at.price(close) > at.highest(20, 1) && at.price(close) > at.average(close, 200)) return 1;
    return at.price(close) < at.lowest(20, 1) ? 0 : null;
  },
  'keltner-breakout': (at, side) => {
    const center = at.average(typical, 10);
    const width = at.average((bar) => bar.highAtoms - bar.lowAtoms, 10);
    if (at.price(close) > center + width) return 1;
    if (at.price(close) < center - width) return -1;
    return side * (at.price(close) - center) < 0 ? 0 : null;
  },
  'sma-cross': (at) => sideOf(at.average(close, 50) - at.average(close, 200)),
  'ichimoku-cloud': (at) => {
    const line = (length: number) => (at.highest(length, 26) + at.lowest(length, 26)) / 2;
    return sideOf((line(9) + line(26)) / 2 - line(52));
  },
  'roc-momentum': (at) => {
    const change = at.price(close) - at.price(close, 1);
    return change === 0 ? 0 : sideOf(change);
  },
  'awesome-oscillator': (at) => sideOf(at.average(middle, 5) - at.average(middle, 34)),
  'bollinger-reversion': (at) => {
    const distance = at.price(close) - at.average(close, 20);
    return Math.abs(distance) > 2 * at.deviation(close, 20) ? sideOf(-distance) : null;
  },
  'stochastic-reversion': (at) => {
    const percentK = (age: number) =>
      (100 * (at.price(close, age) - at.lowest(14, age))) / (at.highest(14, age) - at.lowest(14, age));
    const percentD = meanOf([0, 1, 2].map(percentK));
    if (percentK(0) <= 20 && percentD <= 20) return 1;
    return percentK(0) >= 80 && percentD >= 80 ? -1 : null;
  },
  'williams-percent-r': (at) => {
    const percentR = (100 * (at.price(close) - at.highest(14))) / (at.highest(14) - at.lowest(14));
    if (percentR <= -80) return 1;
    return percentR >= -20 ? -1 : null;
  },
};

/** The side after each bar. */
export function naiveSidesOf(rule: Rule, bars: readonly ScriptBar[]): readonly Side[] {
  let side: Side = 0;
  return bars.map((_, index) => {
    side = rule(new PastBars(bars, index), side) ?? side;
    return side;
  });
}

/** Long if the number is positive, short if it is negative, else as before. */
function sideOf(number: number): Side | null {
  if (number > 0) return 1;
  return number < 0 ? -1 : null;
}

function meanOf(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
}
