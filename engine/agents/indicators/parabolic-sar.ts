/**
 * `ta.sar`, the parabolic stop and reverse of Wilder, after the example of the Pine Script reference manual: it starts on the second
 * bar in the direction of the first two closes, and never enters the range of the two bars before.
 */
import type { Bars } from './bars.ts';
import type { Cells } from './cells.ts';

const SAR = 0;
const EXTREME = 1;
const ACCELERATION = 2;
/** 1 while the stop is below the price, 0 above it, NaN before the second bar. */
const IS_BELOW = 3;

export class ParabolicSar {
  readonly #state: Float64Array;
  readonly #start: number;
  readonly #increment: number;
  readonly #maximum: number;

  constructor(cells: Cells, start: number, increment: number, maximum: number) {
    this.#state = cells.take(4, Number.NaN);
    this.#start = start;
    this.#increment = increment;
    this.#maximum = maximum;
  }

  next(bars: Bars): number {
    if (bars.index === 0) return Number.NaN;
    const state = this.#state;
    const high = bars.at('high', 0);
    const low = bars.at('low', 0);
    let isFirst = Number.isNaN(state[IS_BELOW]!);
    if (isFirst) {
      const isRising = bars.at('close', 0) > bars.at('close', 1);
      state[IS_BELOW] = isRising ? 1 : 0;
      state[EXTREME] = isRising ? high : low;
      state[SAR] = bars.at(isRising ? 'low' : 'high', 1);
      state[ACCELERATION] = this.#start;
    }
    let sar = state[SAR]! + state[ACCELERATION]! * (state[EXTREME]! - state[SAR]!);
    const wasBelow = state[IS_BELOW] === 1;
    if (wasBelow ? sar > low : sar < high) {
      isFirst = true;
      state[IS_BELOW] = wasBelow ? 0 : 1;
      sar = wasBelow ? Math.max(high, state[EXTREME]!) : Math.min(low, state[EXTREME]!);
      state[EXTREME] = wasBelow ? low : high;
      state[ACCELERATION] = this.#start;
    }
    const isBelow = state[IS_BELOW] === 1;
    if (!isFirst && (isBelow ? high > state[EXTREME]! : low < state[EXTREME]!)) {
      state[EXTREME] = isBelow ? high : low;
      state[ACCELERATION] = Math.min(state[ACCELERATION]! + this.#increment, this.#maximum);
    }
    for (let age = 1; age <= Math.min(2, bars.index); age += 1) {
      sar = isBelow ? Math.min(sar, bars.at('low', age)) : Math.max(sar, bars.at('high', age));
    }
    state[SAR] = Number.isFinite(sar) ? sar : Number.NaN;
    return state[SAR];
  }
}
