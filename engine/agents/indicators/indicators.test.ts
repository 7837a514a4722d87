import * as signals from 'trading-signals';
import { describe, expect, test } from 'vitest';
import { seededRandom } from '#simulation/seeded-random.ts';
import { Bars } from './bars.ts';
import { INDICATORS, type IndicatorName } from './catalog.ts';
import { Cells } from './cells.ts';
import { type CandleColumns, generateCandles, lastBars, MONTHS, readMonth } from './testing/candle-columns.ts';
import * as naive from './testing/naive.ts';

/** The incremental indicator over whole columns, by result. */
function run(
  name: IndicatorName,
  candles: CandleColumns,
  settings: readonly number[],
  inputs: readonly (readonly number[])[],
): number[][] {
  const cells = new Cells(10_000);
  const bars = new Bars(cells, 3);
  const step = INDICATORS[name].create(cells, settings);
  const results = new Float64Array(3).fill(Number.NaN);
  const values = new Float64Array(3);
  const columns: number[][] = [[], [], []];
  for (const [index, close] of candles.close.entries()) {
    bars.push({
      open: candles.open[index]!,
      high: candles.high[index]!,
      low: candles.low[index]!,
      close,
      volume: candles.volume[index]!,
    });
    for (const [input, column] of inputs.entries()) values[input] = column[index]!;
    step(values, bars, results);
    for (const [result, column] of columns.entries()) column.push(results[result]!);
  }
  return columns;
}

/** Within 1e-9 of the value, or of 1 for a value near zero, which is the difference of much larger prices. */
function expectClose(name: string, actual: readonly number[], expected: readonly number[], from = 0): void {
  expect(actual.length).toBe(expected.length);
  for (let index = from; index < expected.length; index += 1) {
    const [a, b] = [actual[index]!, expected[index]!];
    if (Number.isNaN(a) && Number.isNaN(b)) continue;
    if (Math.abs(a - b) <= 1e-9 * Math.max(Math.abs(a), Math.abs(b), 1)) continue;
    expect.fail(`${name} on bar ${index}: ${a}, expected ${b}`);
  }
}

const hlc3 = ({ high, low, close }: CandleColumns) => close.map((value, index) => (high[index]! + low[index]! + value) / 3);

interface Comparison {
  readonly name: IndicatorName;
  readonly settings: readonly number[];
  readonly inputs: (candles: CandleColumns) => readonly (readonly number[])[];
  /** By result. */
  readonly expected: (candles: CandleColumns) => readonly (readonly number[])[];
}

const close = ({ close: closes }: CandleColumns) => [closes];
const none = () => [];
const twoAverages = ({ close: closes }: CandleColumns) => [naive.sma(closes, 5), naive.sma(closes, 20)];
const rising = ({ close: closes }: CandleColumns) => naive.change(closes, 1).map((value) => Number(value > 5));

const COMPARISONS: readonly Comparison[] = [
  { name: 'math.sum', settings: [20], inputs: close, expected: (c) => [naive.sum(c.close, 20)] },
  { name: 'ta.sma', settings: [20], inputs: close, expected: (c) => [naive.sma(c.close, 20)] },
  { name: 'ta.ema', settings: [21], inputs: close, expected: (c) => [naive.ema(c.close, 21)] },
  { name: 'ta.rma', settings: [14], inputs: close, expected: (c) => [naive.rma(c.close, 14)] },
  { name: 'ta.wma', settings: [10], inputs: close, expected: (c) => [naive.wma(c.close, 10)] },
  { name: 'ta.hma', settings: [16], inputs: close, expected: (c) => [naive.hma(c.close, 16)] },
  { name: 'ta.vwma', settings: [20], inputs: close, expected: (c) => [naive.vwma(c.close, c.volume, 20)] },
  { name: 'ta.highest', settings: [20], inputs: (c) => [c.high], expected: (c) => [naive.highest(c.high, 20)] },
  { name: 'ta.lowest', settings: [20], inputs: (c) => [c.low], expected: (c) => [naive.lowest(c.low, 20)] },
  { name: 'ta.highestbars', settings: [20], inputs: (c) => [c.high], expected: (c) => [naive.highestbars(c.high, 20)] },
  { name: 'ta.lowestbars', settings: [20], inputs: (c) => [c.low], expected: (c) => [naive.lowestbars(c.low, 20)] },
  { name: 'ta.variance', settings: [20, 0], inputs: close, expected: (c) => [naive.variance(c.close, 20, 19)] },
  { name: 'ta.stdev', settings: [20, 1], inputs: close, expected: (c) => [naive.stdev(c.close, 20)] },
  {
    name: 'ta.bb',
    settings: [20, 2],
    inputs: close,
    expected: (c) => {
      const middle = naive.sma(c.close, 20);
      const width = naive.stdev(c.close, 20);
      return [
        middle,
        middle.map((value, index) => value + 2 * width[index]!),
        middle.map((value, index) => value - 2 * width[index]!),
      ];
    },
  },
  {
    name: 'ta.bbw',
    settings: [20, 2],
    inputs: close,
    expected: (c) => {
      const middle = naive.sma(c.close, 20);
      return [naive.stdev(c.close, 20).map((value, index) => (400 * value) / middle[index]!)];
    },
  },
  { name: 'ta.kc', settings: [20, 1.5, 1], inputs: close, expected: (c) => naive.kc(c, 20, 1.5) },
  {
    name: 'ta.kcw',
    settings: [20, 1.5, 1],
    inputs: close,
    expected: (c) => {
      const [middle, upper, lower] = naive.kc(c, 20, 1.5);
      return [middle.map((value, index) => (upper[index]! - lower[index]!) / value)];
    },
  },
  { name: 'ta.cci', settings: [20], inputs: (c) => [hlc3(c)], expected: (c) => [naive.cci(hlc3(c), 20)] },
  { name: 'ta.linreg', settings: [14, 2], inputs: close, expected: (c) => [naive.linreg(c.close, 14, 2)] },
  { name: 'ta.change', settings: [1], inputs: close, expected: (c) => [naive.change(c.close, 1)] },
  { name: 'ta.mom', settings: [10], inputs: close, expected: (c) => [naive.change(c.close, 10)] },
  { name: 'ta.roc', settings: [9], inputs: close, expected: (c) => [naive.roc(c.close, 9)] },
  { name: 'ta.rsi', settings: [14], inputs: close, expected: (c) => [naive.rsi(c.close, 14)] },
  { name: 'ta.macd', settings: [12, 26, 9], inputs: close, expected: (c) => naive.macd(c.close, 12, 26, 9) },
  {
    name: 'ta.stoch',
    settings: [14],
    inputs: (c) => [c.close, c.high, c.low],
    expected: (c) => [naive.stoch(c.close, c.high, c.low, 14)],
  },
  {
    name: 'ta.wpr',
    settings: [14],
    inputs: none,
    expected: (c) => [naive.stoch(c.close, c.high, c.low, 14).map((value) => value - 100)],
  },
  { name: 'ta.tr', settings: [0], inputs: none, expected: (c) => [naive.tr(c, false)] },
  { name: 'ta.atr', settings: [14], inputs: none, expected: (c) => [naive.atr(c, 14)] },
  { name: 'ta.supertrend', settings: [3, 10], inputs: none, expected: (c) => naive.supertrend(c, 3, 10) },
  { name: 'ta.dmi', settings: [14, 14], inputs: none, expected: (c) => naive.dmi(c, 14, 14) },
  { name: 'ta.sar', settings: [0.02, 0.02, 0.2], inputs: none, expected: (c) => [naive.sar(c, 0.02, 0.02, 0.2)] },
  { name: 'ta.obv', settings: [], inputs: none, expected: (c) => [naive.obv(c)] },
  { name: 'ta.cum', settings: [], inputs: (c) => [c.volume], expected: (c) => [naive.cum(c.volume)] },
  { name: 'fixnan', settings: [], inputs: (c) => [naive.change(c.close, 3)], expected: (c) => [naive.change(c.close, 3)] },
  { name: 'ta.crossover', settings: [], inputs: twoAverages, expected: (c) => [naive.crossover(...pair(twoAverages(c)))] },
  { name: 'ta.crossunder', settings: [], inputs: twoAverages, expected: (c) => [naive.crossover(...swapped(twoAverages(c)))] },
  {
    name: 'ta.cross',
    settings: [],
    inputs: twoAverages,
    expected: (c) => {
      const under = naive.crossover(...swapped(twoAverages(c)));
      return [naive.crossover(...pair(twoAverages(c))).map((value, index) => value + under[index]!)];
    },
  },
  { name: 'ta.barssince', settings: [], inputs: (c) => [rising(c)], expected: (c) => [naive.barssince(rising(c))] },
  {
    name: 'ta.valuewhen',
    settings: [0],
    inputs: (c) => [rising(c), c.close],
    expected: (c) => [naive.barssince(rising(c)).map((bars, index) => c.close[index - bars] ?? Number.NaN)],
  },
];

function pair([first = [], second = []]: readonly (readonly number[])[]): [readonly number[], readonly number[]] {
  return [first, second];
}

function swapped([first = [], second = []]: readonly (readonly number[])[]): [readonly number[], readonly number[]] {
  return [second, first];
}

/** The last bars of each month, with its crash; `OPENPERP_INDICATOR_BARS=50000` is more than a month has. */
const BARS = Number(process.env.OPENPERP_INDICATOR_BARS ?? 10_000);
const sources = new Map<string, CandleColumns>();
function candlesOf(source: string): CandleColumns {
  const known =
    sources.get(source) ?? (source === 'generated' ? generateCandles(3000, seededRandom(19)) : lastBars(readMonth(source), BARS));
  sources.set(source, known);
  return known;
}

test('compares every indicator', () => {
  expect(COMPARISONS.map(({ name }) => name).sort()).toEqual(Object.keys(INDICATORS).sort());
});

describe.each(['generated', ...MONTHS])('%s: equals the definition on every bar', (source) => {
  test.each(COMPARISONS)('$name $settings', ({ name, settings, inputs, expected }) => {
    const candles = candlesOf(source);
    const actual = run(name, candles, settings, inputs(candles));
    for (const [result, column] of expected(candles).entries()) expectClose(`${name}[${result}]`, actual[result]!, column);
  });
});

describe('has its first value after as many bars as its warm-up', () => {
  /** What they compare or remember has no `na`, or has one of its own. */
  const others: readonly IndicatorName[] = [
    'ta.cross',
    'ta.crossover',
    'ta.crossunder',
    'ta.barssince',
    'ta.valuewhen',
    'fixnan',
  ];

  test.each(COMPARISONS.filter(({ name }) => !others.includes(name)))(
    '$name $settings',
    ({ name, settings, inputs, expected }) => {
      const candles = candlesOf('generated');
      const results = run(name, candles, settings, inputs(candles)).slice(0, expected(candles).length);
      const first = candles.close.findIndex((_, bar) => results.every((column) => !Number.isNaN(column[bar])));
      // The first direction of a supertrend is a default.
      expect(INDICATORS[name].warmUpBars(settings)).toBe(name === 'ta.supertrend' ? first + 1 : first);
    },
  );
});

/** The warm-up after which the seed of an average of this length is below 1e-12 of its value. */
const FORGOTTEN = 800;

describe.each(['generated', ...MONTHS])('%s: equals trading-signals after the warm-up', (source) => {
  interface Peer {
    readonly name: IndicatorName;
    readonly settings: readonly number[];
    readonly inputs: Comparison['inputs'];
    readonly peer: () => { add(value: never): unknown };
    /** Ours by theirs; undefined while theirs has no result. */
    readonly read: (result: never) => readonly number[];
    readonly isOfCandles?: true;
  }
  const peers: readonly Peer[] = [
    { name: 'ta.sma', settings: [20], inputs: close, peer: () => new signals.SMA(20), read: (value: number) => [value] },
    // It starts from the first value, not from the average of the first 21.
    { name: 'ta.ema', settings: [21], inputs: close, peer: () => new signals.EMA(21), read: (value: number) => [value] },
    { name: 'ta.rma', settings: [14], inputs: close, peer: () => new signals.WSMA(14), read: (value: number) => [value] },
    { name: 'ta.wma', settings: [10], inputs: close, peer: () => new signals.WMA(10), read: (value: number) => [value] },
    { name: 'ta.hma', settings: [16], inputs: close, peer: () => new signals.HMA(16), read: (value: number) => [value] },
    { name: 'ta.rsi', settings: [14], inputs: close, peer: () => new signals.RSI(14), read: (value: number) => [value] },
    { name: 'ta.mom', settings: [10], inputs: close, peer: () => new signals.MOM(10), read: (value: number) => [value] },
    // It is a fraction there, a percentage here.
    { name: 'ta.roc', settings: [9], inputs: close, peer: () => new signals.ROC(9), read: (value: number) => [100 * value] },
    {
      name: 'ta.bb',
      settings: [20, 2],
      inputs: close,
      peer: () => new signals.BollingerBands(20, 2),
      read: ({ middle, upper, lower }: { middle: number; upper: number; lower: number }) => [middle, upper, lower],
    },
    // Its signal line starts from the first value too.
    {
      name: 'ta.macd',
      settings: [12, 26, 9],
      inputs: close,
      peer: () => new signals.MACD(new signals.EMA(12), new signals.EMA(26), new signals.EMA(9)),
      read: ({ macd, signal, histogram }: { macd: number; signal: number; histogram: number }) => [macd, signal, histogram],
    },
    {
      name: 'ta.atr',
      settings: [14],
      inputs: none,
      peer: () => new signals.ATR(14),
      read: (value: number) => [value],
      isOfCandles: true,
    },
    {
      name: 'ta.vwma',
      settings: [20],
      inputs: close,
      peer: () => new signals.VWMA(20),
      read: (value: number) => [value],
      isOfCandles: true,
    },
    {
      name: 'ta.cci',
      settings: [20],
      inputs: (c) => [hlc3(c)],
      peer: () => new signals.CCI(20),
      read: (value: number) => [value],
      isOfCandles: true,
    },
    {
      name: 'ta.supertrend',
      settings: [3, 10],
      inputs: none,
      peer: () => new signals.SuperTrend({ interval: 10, multiplier: 3 }),
      read: ({ supertrend }: { supertrend: number }) => [supertrend],
      isOfCandles: true,
    },
    {
      name: 'ta.highest',
      settings: [20],
      inputs: (c) => [c.high],
      peer: () => new signals.DonchianChannels(20),
      read: ({ upper }: { upper: number }) => [upper],
      isOfCandles: true,
    },
    // Not compared, because they are defined otherwise there: KeltnerChannels smooths the range by Wilder's average, ADX counts
    // a bar that moves equally up and down in both directions, PSAR starts from the middle of the bars, StochasticOscillator and
    // WilliamsR have a number where the range is zero. The definitions above are the oracle for these.
  ];

  test.each(peers)('$name $settings', ({ name, settings, inputs, peer, read, isOfCandles }) => {
    const candles = candlesOf(source);
    const own = run(name, candles, settings, inputs(candles));
    const other = peer();
    const columns: number[][] = [];
    for (const [index, value] of candles.close.entries()) {
      const candle = {
        open: candles.open[index]!,
        high: candles.high[index]!,
        low: candles.low[index]!,
        close: value,
        volume: candles.volume[index]!,
      };
      const result = other.add((isOfCandles ? candle : value) as never);
      if (index < FORGOTTEN) continue;
      expect(result).not.toBeNull();
      for (const [part, number] of read(result as never).entries()) {
        columns[part] ??= [];
        columns[part][index - FORGOTTEN] = number;
      }
    }
    expect(columns.length).toBeGreaterThan(0);
    for (const [part, column] of columns.entries()) expectClose(`${name}[${part}]`, own[part]!.slice(FORGOTTEN), column);
  });
});

describe('na', () => {
  const at = (name: IndicatorName, settings: readonly number[], values: readonly number[]): number[] => {
    const flat = { open: values, high: values, low: values, close: values, volume: values };
    return run(name, flat, settings, [values])[0]!;
  };
  const gap = [1, Number.NaN, 3, 5];

  test.each<[IndicatorName, readonly number[], readonly number[]]>([
    ['ta.sma', [2], [Number.NaN, Number.NaN, 2, 4]],
    ['ta.ema', [2], [Number.NaN, Number.NaN, 2, 4]],
    ['ta.rma', [2], [Number.NaN, Number.NaN, 2, 3.5]],
    ['ta.variance', [2, 1], [Number.NaN, Number.NaN, 1, 1]],
    ['ta.highest', [2], [Number.NaN, 1, 3, 5]],
    ['ta.highestbars', [2], [Number.NaN, -1, 0, 0]],
    ['ta.cum', [], [1, Number.NaN, 4, 9]],
    ['fixnan', [], [1, 1, 3, 5]],
    ['ta.change', [1], [Number.NaN, Number.NaN, Number.NaN, 2]],
  ])('is skipped by %s %j', (name, settings, expected) => {
    expect(at(name, settings, gap)).toEqual(expected);
  });

  test('is not the ADX of bars that move in no direction', () => {
    const still = [5, 5, 5, 5];
    const candles = { open: still, high: [6, 6, 6, 6], low: [4, 4, 4, 4], close: still, volume: still };
    expect(run('ta.dmi', candles, [2, 2], []).map((column) => column.at(-1))).toEqual([0, 0, 0]);
  });

  test('is an average that overflows, until it has started again', () => {
    const huge = Number.MAX_VALUE;
    const averages = at('ta.ema', [2], [1, 1, -huge, huge, 2, 4]);
    expect(averages.map(Number.isFinite)).toEqual([false, true, true, false, true, true]);
  });

  test('is the result of a range of zero', () => {
    const still = [5, 5, 5, 5];
    expect(at('ta.wpr', [2], still)).toEqual([Number.NaN, Number.NaN, Number.NaN, Number.NaN]);
    expect(at('ta.cci', [2], still).at(-1)).toBeNaN();
    expect(at('ta.rsi', [2], still).at(-1)).toBe(100);
    expect(at('ta.vwma', [2], [0, 0]).at(-1)).toBeNaN();
  });
});
