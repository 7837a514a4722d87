/**
 * Every indicator under its name in scripts: how it is made, how many bars pass before its first value, and how many values it
 * visits on each bar. Names, arguments and results are those of the Pine Script reference manual.
 */
import { Ema, Hma, Rma, ratio, Sma, Sum, Vwma, Wma } from './averages.ts';
import type { Bars } from './bars.ts';
import type { Cells } from './cells.ts';
import { Cci, LinearRegression, Variance } from './dispersion.ts';
import { BarsSince, Crossing, LastValue, ValueWhen } from './events.ts';
import { Extreme, Stochastic, WilliamsRange } from './extremes.ts';
import { Change, Cumulation, Macd, RateOfChange, Rsi } from './momentum.ts';
import { ParabolicSar } from './parabolic-sar.ts';
import { Atr, DirectionalMovement, KeltnerChannel, Supertrend, trueRange } from './trend.ts';

/** Advances an indicator by one bar and writes its results. */
export type IndicatorStep = (inputs: Float64Array, bars: Bars, results: Float64Array) => void;

export interface IndicatorKind {
  /** Takes cells and returns the step. `settings` are numbers in the order of the signature; a flag is 0 or 1. */
  readonly create: (cells: Cells, settings: readonly number[]) => IndicatorStep;
  /** How many bars of input pass without a result. */
  readonly warmUpBars: (settings: readonly number[]) => number;
  /** How many values a step visits. */
  readonly visits: (settings: readonly number[]) => number;
}

type Amount = (settings: readonly number[]) => number;
const first: Amount = ([length = 1]) => length;
const beforeFirst: Amount = ([length = 1]) => length - 1;
const none: Amount = () => 0;
const one: Amount = () => 1;
/** An exponential average sums its seed once. It is charged for the worst bar. */
const seeded: Amount = (settings) => settings.reduce((sum, length) => sum + length, 0);

/** An indicator of one series and one result. */
function ofSeries(
  create: (cells: Cells, settings: readonly number[]) => { next(value: number): number },
  warmUpBars: Amount,
  visits: Amount,
): IndicatorKind {
  return {
    create: (cells, settings) => {
      const indicator = create(cells, settings);
      return (inputs, _bars, results) => {
        results[0] = indicator.next(inputs[0]!);
      };
    },
    warmUpBars,
    visits,
  };
}

function crossing(isMet: (crossing: -1 | 0 | 1) => boolean): IndicatorKind {
  return {
    create: (cells) => {
      const crossings = new Crossing(cells);
      return (inputs, _bars, results) => {
        results[0] = isMet(crossings.next(inputs[0]!, inputs[1]!)) ? 1 : 0;
      };
    },
    warmUpBars: one,
    visits: one,
  };
}

/** `ta.bb` and `ta.bbw`: the average of the source, and `mult` standard deviations from it. */
function bollinger(write: (basis: number, deviation: number, results: Float64Array) => void): IndicatorKind {
  return {
    create: (cells, [length = 1, factor = 1]) => {
      const basis = new Sma(cells, length);
      const variance = new Variance(cells, length, true);
      return (inputs, _bars, results) => {
        write(basis.next(inputs[0]!), factor * Math.sqrt(variance.next(inputs[0]!)), results);
      };
    },
    warmUpBars: beforeFirst,
    visits: ([length = 1]) => 3 * length,
  };
}

function keltner(write: (lines: Float64Array, results: Float64Array) => void): IndicatorKind {
  return {
    create: (cells, [length = 1, factor = 1, isTrueRange = 1]) => {
      const channel = new KeltnerChannel(cells, length, factor, isTrueRange === 1);
      const lines = new Float64Array(3);
      return (inputs, bars, results) => {
        channel.next(inputs[0]!, bars, lines);
        write(lines, results);
      };
    },
    // The true range has no value on the first bar.
    warmUpBars: ([length = 1, , isTrueRange = 1]) => length - 1 + isTrueRange,
    visits: ([length = 1]) => 2 * length,
  };
}

export const INDICATORS = {
  'math.sum': ofSeries((cells, [length = 1]) => new Sum(cells, length), beforeFirst, first),
  'ta.sma': ofSeries((cells, [length = 1]) => new Sma(cells, length), beforeFirst, first),
  'ta.ema': ofSeries((cells, [length = 1]) => new Ema(cells, length), beforeFirst, seeded),
  'ta.rma': ofSeries((cells, [length = 1]) => new Rma(cells, length), beforeFirst, seeded),
  'ta.wma': ofSeries((cells, [length = 1]) => new Wma(cells, length), beforeFirst, first),
  'ta.hma': ofSeries(
    (cells, [length = 1]) => new Hma(cells, length),
    ([length = 1]) => length - 1 + Math.floor(Math.sqrt(length)) - 1,
    ([length = 1]) => 2 * length,
  ),
  'ta.vwma': {
    create: (cells, [length = 1]) => {
      const average = new Vwma(cells, length);
      return (inputs, bars, results) => {
        results[0] = average.next(inputs[0]!, bars.at('volume', 0));
      };
    },
    warmUpBars: beforeFirst,
    visits: ([length = 1]) => 2 * length,
  },
  'ta.highest': ofSeries((cells, [length = 1]) => new Extreme(cells, length, 'highest'), beforeFirst, first),
  'ta.lowest': ofSeries((cells, [length = 1]) => new Extreme(cells, length, 'lowest'), beforeFirst, first),
  'ta.highestbars': extremeOffset('highest'),
  'ta.lowestbars': extremeOffset('lowest'),
  'ta.variance': ofSeries(
    (cells, [length = 1, isBiased = 1]) => new Variance(cells, length, isBiased === 1),
    beforeFirst,
    ([length = 1]) => 2 * length,
  ),
  'ta.stdev': {
    create: (cells, [length = 1, isBiased = 1]) => {
      const variance = new Variance(cells, length, isBiased === 1);
      return (inputs, _bars, results) => {
        results[0] = Math.sqrt(variance.next(inputs[0]!));
      };
    },
    warmUpBars: beforeFirst,
    visits: ([length = 1]) => 2 * length,
  },
  'ta.bb': bollinger((basis, deviation, results) => {
    results[0] = basis;
    results[1] = basis + deviation;
    results[2] = basis - deviation;
  }),
  'ta.bbw': bollinger((basis, deviation, results) => {
    results[0] = ratio(100 * (basis + deviation - (basis - deviation)), basis);
  }),
  'ta.kc': keltner((lines, results) => results.set(lines)),
  'ta.kcw': keltner(([basis = 0, upper = 0, lower = 0], results) => {
    results[0] = ratio(upper - lower, basis);
  }),
  'ta.cci': ofSeries(
    (cells, [length = 1]) => new Cci(cells, length),
    beforeFirst,
    ([length = 1]) => 2 * length,
  ),
  'ta.linreg': ofSeries(
    (cells, [length = 1, offset = 0]) => new LinearRegression(cells, length, offset),
    beforeFirst,
    ([length = 1]) => 2 * length,
  ),
  'ta.change': ofSeries((cells, [length = 1]) => new Change(cells, length), first, one),
  'ta.mom': ofSeries((cells, [length = 1]) => new Change(cells, length), first, one),
  'ta.roc': ofSeries((cells, [length = 1]) => new RateOfChange(cells, length), first, one),
  'ta.rsi': ofSeries(
    (cells, [length = 1]) => new Rsi(cells, length),
    first,
    ([length = 1]) => 2 * length,
  ),
  'ta.cum': ofSeries((cells) => new Cumulation(cells), none, one),
  fixnan: ofSeries((cells) => new LastValue(cells), none, one),
  'ta.macd': {
    create: (cells, [fast = 1, slow = 1, signal = 1]) => {
      const macd = new Macd(cells, fast, slow, signal);
      return (inputs, _bars, results) => macd.next(inputs[0]!, results);
    },
    warmUpBars: ([fast = 1, slow = 1, signal = 1]) => Math.max(fast, slow) + signal - 2,
    visits: seeded,
  },
  'ta.stoch': {
    create: (cells, [length = 1]) => {
      const stochastic = new Stochastic(cells, length);
      return (inputs, _bars, results) => {
        results[0] = stochastic.next(inputs[0]!, inputs[1]!, inputs[2]!);
      };
    },
    warmUpBars: beforeFirst,
    visits: ([length = 1]) => 2 * length,
  },
  'ta.wpr': {
    create: (cells, [length = 1]) => {
      const range = new WilliamsRange(cells, length);
      return (_inputs, bars, results) => {
        results[0] = range.next(bars.at('high', 0), bars.at('low', 0), bars.at('close', 0));
      };
    },
    warmUpBars: beforeFirst,
    visits: ([length = 1]) => 2 * length,
  },
  'ta.tr': {
    create:
      (_cells, [handlesNa = 0]) =>
      (_inputs, bars, results) => {
        results[0] = trueRange(bars, handlesNa === 1);
      },
    warmUpBars: ([handlesNa = 0]) => 1 - handlesNa,
    visits: one,
  },
  'ta.atr': {
    create: (cells, [length = 1]) => {
      const range = new Atr(cells, length);
      return (_inputs, bars, results) => {
        results[0] = range.next(bars);
      };
    },
    warmUpBars: beforeFirst,
    visits: seeded,
  },
  'ta.supertrend': {
    create: (cells, [factor = 1, length = 1]) => {
      const supertrend = new Supertrend(cells, factor, length);
      return (_inputs, bars, results) => supertrend.next(bars, results);
    },
    // The direction of the first value is a default.
    warmUpBars: ([, length = 1]) => length,
    visits: ([, length = 1]) => length,
  },
  'ta.dmi': {
    create: (cells, [length = 1, smoothing = 1]) => {
      const movement = new DirectionalMovement(cells, length, smoothing);
      return (_inputs, bars, results) => movement.next(bars, results);
    },
    warmUpBars: ([length = 1, smoothing = 1]) => length + smoothing - 1,
    visits: ([length = 1, smoothing = 1]) => 3 * length + smoothing,
  },
  'ta.sar': {
    create: (cells, [start = 0, increment = 0, maximum = 0]) => {
      const stop = new ParabolicSar(cells, start, increment, maximum);
      return (_inputs, bars, results) => {
        results[0] = stop.next(bars);
      };
    },
    warmUpBars: one,
    visits: one,
  },
  'ta.obv': {
    create: (cells) => {
      const sum = new Cumulation(cells);
      return (_inputs, bars, results) => {
        results[0] = sum.next(Math.sign(bars.at('close', 0) - bars.at('close', 1)) * bars.at('volume', 0));
      };
    },
    warmUpBars: one,
    visits: one,
  },
  'ta.cross': crossing((crossed) => crossed !== 0),
  'ta.crossover': crossing((crossed) => crossed === 1),
  'ta.crossunder': crossing((crossed) => crossed === -1),
  'ta.barssince': {
    create: (cells) => {
      const bars = new BarsSince(cells);
      return (inputs, _bars, results) => {
        results[0] = bars.next(inputs[0] === 1);
      };
    },
    warmUpBars: none,
    visits: one,
  },
  'ta.valuewhen': {
    create: (cells, [occurrence = 0]) => {
      const values = new ValueWhen(cells, occurrence);
      return (inputs, _bars, results) => {
        results[0] = values.next(inputs[0] === 1, inputs[1]!);
      };
    },
    warmUpBars: none,
    visits: one,
  },
} as const satisfies Record<string, IndicatorKind>;

export type IndicatorName = keyof typeof INDICATORS;

function extremeOffset(side: 'highest' | 'lowest'): IndicatorKind {
  return {
    create: (cells, [length = 1]) => {
      const extreme = new Extreme(cells, length, side);
      return (inputs, _bars, results) => {
        results[0] = extreme.nextOffset(inputs[0]!);
      };
    },
    warmUpBars: beforeFirst,
    visits: first,
  };
}
