/**
 * The functions that a script can call for a value, with their arguments in the order of the Pine Script reference manual. Lengths
 * and factors are known before the first bar, so the review can bound the work and memory of a run.
 */
import type { PriceName } from '#agents/indicators/bars.ts';
import type { IndicatorName } from '#agents/indicators/catalog.ts';
import { MAX_EXPONENT, MAX_ROUND_DIGITS, type MathName } from './arithmetic.ts';
import type { ValueType } from './program.ts';

export interface IndicatorArgument {
  readonly name: string;
  /** `series` and `condition` are read on each bar, all others once. */
  readonly kind: 'series' | 'condition' | 'length' | 'count' | 'factor' | 'flag';
  readonly default?: number;
}

export interface IndicatorSignature {
  readonly arguments: readonly IndicatorArgument[];
  readonly results: readonly ValueType[];
  /** The price that takes the place of the first argument if only the length is given. */
  readonly shortSource?: PriceName;
}

const series = (name: string): IndicatorArgument => ({ name, kind: 'series' });
const condition: IndicatorArgument = { name: 'condition', kind: 'condition' };
const length = (name = 'length', preset?: number): IndicatorArgument =>
  preset === undefined ? { name, kind: 'length' } : { name, kind: 'length', default: preset };
const factor = (name: string): IndicatorArgument => ({ name, kind: 'factor' });
const flag = (name: string, preset: boolean): IndicatorArgument => ({ name, kind: 'flag', default: preset ? 1 : 0 });

const source = series('source');
const averaged: IndicatorSignature = { arguments: [source, length()], results: ['float'] };
const crossing: IndicatorSignature = { arguments: [series('source1'), series('source2')], results: ['bool'] };
const oneFloat: readonly ValueType[] = ['float'];
const threeFloats: readonly ValueType[] = ['float', 'float', 'float'];
const banded: readonly IndicatorArgument[] = [series('series'), length(), factor('mult')];
const changed: IndicatorSignature = { arguments: [source, length('length', 1)], results: oneFloat };
const dispersed: IndicatorSignature = { arguments: [source, length(), flag('biased', true)], results: oneFloat };

export const INDICATOR_SIGNATURES: Record<IndicatorName, IndicatorSignature> = {
  'math.sum': averaged,
  'ta.sma': averaged,
  'ta.ema': averaged,
  'ta.rma': averaged,
  'ta.wma': averaged,
  'ta.hma': averaged,
  'ta.vwma': averaged,
  'ta.highest': { ...averaged, shortSource: 'high' },
  'ta.lowest': { ...averaged, shortSource: 'low' },
  'ta.highestbars': { arguments: averaged.arguments, results: ['int'], shortSource: 'high' },
  'ta.lowestbars': { arguments: averaged.arguments, results: ['int'], shortSource: 'low' },
  'ta.variance': dispersed,
  'ta.stdev': dispersed,
  'ta.bb': { arguments: banded, results: threeFloats },
  'ta.bbw': { arguments: banded, results: oneFloat },
  'ta.kc': { arguments: [...banded, flag('useTrueRange', true)], results: threeFloats },
  'ta.kcw': { arguments: [...banded, flag('useTrueRange', true)], results: oneFloat },
  'ta.cci': averaged,
  'ta.linreg': { arguments: [source, length(), { name: 'offset', kind: 'count' }], results: oneFloat },
  'ta.change': changed,
  'ta.mom': averaged,
  'ta.roc': averaged,
  'ta.rsi': averaged,
  'ta.cum': { arguments: [source], results: oneFloat },
  fixnan: { arguments: [source], results: oneFloat },
  'ta.macd': { arguments: [source, length('fastlen'), length('slowlen'), length('siglen')], results: threeFloats },
  'ta.stoch': { arguments: [source, series('high'), series('low'), length()], results: oneFloat },
  'ta.wpr': { arguments: [length()], results: oneFloat },
  'ta.tr': { arguments: [flag('handle_na', false)], results: oneFloat },
  'ta.atr': { arguments: [length()], results: oneFloat },
  'ta.supertrend': { arguments: [factor('factor'), length('atrPeriod')], results: ['float', 'int'] },
  'ta.dmi': { arguments: [length('diLength'), length('adxSmoothing')], results: threeFloats },
  'ta.sar': { arguments: [factor('start'), factor('inc'), factor('max')], results: oneFloat },
  'ta.obv': { arguments: [], results: oneFloat },
  'ta.cross': crossing,
  'ta.crossover': crossing,
  'ta.crossunder': crossing,
  'ta.barssince': { arguments: [condition], results: ['int'] },
  'ta.valuewhen': { arguments: [condition, source, { name: 'occurrence', kind: 'count' }], results: oneFloat },
};

/** Indicators that are written without parentheses. */
export const INDICATOR_VARIABLES: ReadonlySet<string> = new Set(['ta.tr', 'ta.obv']);

export interface MathSignature {
  readonly names: readonly string[];
  /** How many of the arguments must be given. */
  readonly required: number;
  /** The last argument may be repeated up to this number. */
  readonly repeated?: number;
  /** The result is an int if all arguments are; otherwise as named. */
  readonly result: 'same' | 'int' | 'float' | 'bool';
  /** The last argument is an integer of the source within these bounds. */
  readonly whole?: readonly [min: number, max: number];
}

const rounded: MathSignature = { names: ['number'], required: 1, result: 'int' };
const many: MathSignature = { names: ['number0', 'number1'], required: 2, repeated: 10, result: 'same' };

export const MATH_SIGNATURES: Record<MathName, MathSignature> = {
  na: { names: ['x'], required: 1, result: 'bool' },
  nz: { names: ['source', 'replacement'], required: 1, result: 'same' },
  int: { names: ['x'], required: 1, result: 'int' },
  float: { names: ['x'], required: 1, result: 'float' },
  'math.abs': { names: ['number'], required: 1, result: 'same' },
  'math.sign': { names: ['number'], required: 1, result: 'float' },
  'math.floor': rounded,
  'math.ceil': rounded,
  'math.sqrt': { names: ['number'], required: 1, result: 'float' },
  'math.round': { names: ['number', 'precision'], required: 1, result: 'float', whole: [0, MAX_ROUND_DIGITS] },
  'math.pow': { names: ['base', 'exponent'], required: 2, result: 'float', whole: [-MAX_EXPONENT, MAX_EXPONENT] },
  'math.max': many,
  'math.min': many,
  'math.avg': { ...many, result: 'float' },
};
