/**
 * Indicators as their definitions say, over whole columns and without memory: the oracle for the incremental ones. It shares no code
 * with them. NaN is `na`.
 */
import type { CandleColumns } from './candle-columns.ts';

export type Column = readonly number[];

const sumOf = (values: Column) => values.reduce((sum, value) => sum + value, 0);
const mean = (values: Column) => sumOf(values) / values.length;
const minus = (a: Column, b: Column) => a.map((value, index) => value - b[index]!);

/** Applies a function to each full window of the last `length` values. */
function overWindows(values: Column, length: number, apply: (window: Column) => number): number[] {
  return values.map((_, index) => (index + 1 < length ? Number.NaN : apply(values.slice(index + 1 - length, index + 1))));
}

export const sum = (values: Column, length: number) => overWindows(values, length, sumOf);
export const sma = (values: Column, length: number) => overWindows(values, length, mean);

export const wma = (values: Column, length: number) =>
  overWindows(
    values,
    length,
    (window) => sumOf(window.map((value, index) => value * (index + 1))) / ((length * (length + 1)) / 2),
  );

/** Values before the first that is not NaN are left out, and restored as NaN. */
function fromFirst(values: Column, apply: (values: Column) => number[]): number[] {
  const start = values.findIndex((value) => !Number.isNaN(value));
  if (start < 0) return values.map(() => Number.NaN);
  return [...Array.from({ length: start }, () => Number.NaN), ...apply(values.slice(start))];
}

/** `average[i] = alpha × value[i] + (1 − alpha) × average[i − 1]`, from the simple average. */
function exponential(values: Column, length: number, alpha: number): number[] {
  return fromFirst(values, (known) => {
    const averages: number[] = [];
    for (const [index, value] of known.entries()) {
      const seed = index + 1 === length ? mean(known.slice(0, length)) : Number.NaN;
      averages.push(index < length ? seed : alpha * value + (1 - alpha) * averages[index - 1]!);
    }
    return averages;
  });
}

export const ema = (values: Column, length: number) => exponential(values, length, 2 / (length + 1));
export const rma = (values: Column, length: number) => exponential(values, length, 1 / length);

export const hma = (values: Column, length: number) => {
  const half = wma(values, Math.floor(length / 2));
  const raw = minus(
    half.map((value) => 2 * value),
    wma(values, length),
  );
  return fromFirst(raw, (known) => wma(known, Math.floor(Math.sqrt(length))));
};

export const vwma = (values: Column, volume: Column, length: number) => {
  const weighted = sum(
    values.map((value, index) => value * volume[index]!),
    length,
  );
  const total = sum(volume, length);
  return weighted.map((value, index) => (total[index] === 0 ? Number.NaN : value / total[index]!));
};

export const highest = (values: Column, length: number) => overWindows(values, length, (window) => Math.max(...window));
export const lowest = (values: Column, length: number) => overWindows(values, length, (window) => Math.min(...window));
export const highestbars = (values: Column, length: number) =>
  overWindows(values, length, (window) => window.indexOf(Math.max(...window)) - (length - 1));
export const lowestbars = (values: Column, length: number) =>
  overWindows(values, length, (window) => window.indexOf(Math.min(...window)) - (length - 1));

export const variance = (values: Column, length: number, divisor = length) =>
  overWindows(values, length, (window) => sumOf(window.map((value) => (value - mean(window)) ** 2)) / divisor);
export const stdev = (values: Column, length: number, divisor = length) => variance(values, length, divisor).map(Math.sqrt);

export const cci = (values: Column, length: number) =>
  overWindows(values, length, (window) => {
    const middle = mean(window);
    const deviation = mean(window.map((value) => Math.abs(value - middle)));
    return deviation === 0 ? Number.NaN : (window.at(-1)! - middle) / (0.015 * deviation);
  });

/** The usual closed form, with positions from 0, of values without their average. */
export const linreg = (values: Column, length: number, offset: number) =>
  overWindows(values, length, (window) => {
    const middle = mean(window);
    const sumX = (length * (length - 1)) / 2;
    const sumXX = ((length - 1) * length * (2 * length - 1)) / 6;
    const sumXY = sumOf(window.map((value, index) => (value - middle) * index));
    const slope = (length * sumXY) / (length * sumXX - sumX * sumX);
    return middle - (slope * sumX) / length + slope * (length - 1 - offset);
  });

export const change = (values: Column, length: number) =>
  values.map((value, index) => value - (values[index - length] ?? Number.NaN));
export const roc = (values: Column, length: number) =>
  change(values, length).map((value, index) => (100 * value) / values[index - length]!);

export const rsi = (values: Column, length: number) => {
  const changes = change(values, 1);
  const gains = rma(
    changes.map((value) => (Number.isNaN(value) ? value : Math.max(value, 0))),
    length,
  );
  const losses = rma(
    changes.map((value) => (Number.isNaN(value) ? value : Math.max(-value, 0))),
    length,
  );
  return gains.map((gain, index) => (losses[index] === 0 ? 100 : (100 * gain) / (gain + losses[index]!)));
};

export const macd = (values: Column, fast: number, slow: number, signalLength: number) => {
  const line = minus(ema(values, fast), ema(values, slow));
  const signal = ema(line, signalLength);
  return [line, signal, minus(line, signal)] as const;
};

export const stoch = (source: Column, high: Column, low: Column, length: number) => {
  const top = highest(high, length);
  const bottom = lowest(low, length);
  return source.map((value, index) =>
    top[index] === bottom[index] ? Number.NaN : (100 * (value - bottom[index]!)) / (top[index]! - bottom[index]!),
  );
};

export const tr = ({ high, low, close }: CandleColumns, handlesNa: boolean) =>
  high.map((top, index) => {
    const before = close[index - 1];
    if (before === undefined) return handlesNa ? top - low[index]! : Number.NaN;
    return Math.max(top, before) - Math.min(low[index]!, before);
  });

export const atr = (candles: CandleColumns, length: number) => rma(tr(candles, true), length);

export const kc = (candles: CandleColumns, length: number, factor: number) => {
  const middle = ema(candles.close, length);
  const range = ema(tr(candles, false), length);
  return [
    middle,
    middle.map((value, index) => value + factor * range[index]!),
    middle.map((value, index) => value - factor * range[index]!),
  ] as const;
};

export const dmi = (candles: CandleColumns, length: number, smoothing: number) => {
  const up = change(candles.high, 1);
  const down = change(candles.low, 1).map((value) => -value);
  const only = (own: Column, other: Column) =>
    own.map((value, index) => (Number.isNaN(value) ? value : value > other[index]! && value > 0 ? value : 0));
  const range = rma(tr(candles, false), length);
  const percent = (values: Column) => rma(values, length).map((value, index) => (100 * value) / range[index]!);
  const plus = percent(only(up, down));
  const minusIndex = percent(only(down, up));
  const difference = plus.map((value, index) => Math.abs(value - minusIndex[index]!) / (value + minusIndex[index]! || 1));
  return [plus, minusIndex, rma(difference, smoothing).map((value) => 100 * value)] as const;
};

/** The band that the price has not crossed, as two states. */
export const supertrend = (candles: CandleColumns, factor: number, length: number) => {
  const ranges = atr(candles, length);
  const line: number[] = [];
  const direction: number[] = [];
  let upper = Number.NaN;
  let lower = Number.NaN;
  for (const [index, range] of ranges.entries()) {
    const close = candles.close[index]!;
    const before = candles.close[index - 1]!;
    const middle = (candles.high[index]! + candles.low[index]!) / 2;
    if (Number.isNaN(range)) {
      line.push(Number.NaN);
      direction.push(1);
      continue;
    }
    // Before the first range both bands are zero.
    const isFirst = Number.isNaN(upper);
    const isUpperKept = isFirst
      ? !(middle + factor * range < 0 || before > 0)
      : !(middle + factor * range < upper || before > upper);
    const isLowerKept = isFirst
      ? !(middle - factor * range > 0 || before < 0)
      : !(middle - factor * range > lower || before < lower);
    upper = isUpperKept ? (isFirst ? 0 : upper) : middle + factor * range;
    lower = isLowerKept ? (isFirst ? 0 : lower) : middle - factor * range;
    const wasDown = isFirst || direction[index - 1] === 1;
    const isDown = isFirst || (wasDown ? !(close > upper) : close < lower);
    direction.push(isDown ? 1 : -1);
    line.push(isDown ? upper : lower);
  }
  return [line, direction] as const;
};

/** Wilder's stop and reverse, one trend after the other. */
export const sar = ({ high, low, close }: CandleColumns, start: number, increment: number, maximum: number) => {
  const stops: number[] = [Number.NaN];
  let isLong = close[1]! > close[0]!;
  let stop = isLong ? low[0]! : high[0]!;
  let extreme = isLong ? high[1]! : low[1]!;
  let acceleration = start;
  for (let index = 1; index < close.length; index += 1) {
    const top = high[index]!;
    const bottom = low[index]!;
    stop += acceleration * (extreme - stop);
    const isReversed = isLong ? bottom < stop : top > stop;
    if (isReversed) {
      stop = isLong ? Math.max(top, extreme) : Math.min(bottom, extreme);
      extreme = isLong ? bottom : top;
      isLong = !isLong;
      acceleration = start;
    } else if (index > 1 && (isLong ? top > extreme : bottom < extreme)) {
      extreme = isLong ? top : bottom;
      acceleration = Math.min(acceleration + increment, maximum);
    }
    const before = [index - 1, index - 2].filter((age) => age >= 0);
    stop = isLong ? Math.min(stop, ...before.map((age) => low[age]!)) : Math.max(stop, ...before.map((age) => high[age]!));
    stops.push(stop);
  }
  return stops;
};

export const cum = (values: Column) => {
  let total = 0;
  return values.map((value) => {
    total += value;
    return total;
  });
};

export const obv = ({ close, volume }: CandleColumns) => {
  let total = 0;
  return close.map((value, index) => {
    if (index === 0) return Number.NaN;
    total += Math.sign(value - close[index - 1]!) * volume[index]!;
    return total;
  });
};

export const crossover = (a: Column, b: Column) =>
  a.map((value, index) => Number(index > 0 && value > b[index]! && a[index - 1]! <= b[index - 1]!));

export const barssince = (conditions: Column) =>
  conditions.map((_, index) => {
    const last = conditions.lastIndexOf(1, index);
    return last < 0 ? Number.NaN : index - last;
  });
