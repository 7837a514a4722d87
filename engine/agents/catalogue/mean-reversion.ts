/** Strategies that expect an extreme price to return. */
import { type DeclaredStrategy, FITS } from './declared-strategy.ts';
import { backtestOfJesse, INDICATOR_TS, JESSE, LEAN, TA4J } from './publishers.ts';

export const MEAN_REVERSION: readonly DeclaredStrategy[] = [
  {
    id: 'rsi-reversion',
    name: 'RSI reversion',
    family: 'mean_reversion',
    ...LEAN.publicationOf('Algorithm.Framework/Alphas/RsiAlphaModel.py'),
    description:
      'Buys when the relative strength index of Welles Wilder becomes low, sells short when it becomes high, and leaves after as many bars.',
    rulesText:
      'Buy when RSI of length closes falls below oversold, sell short when it rises above overbought. A further signal of the same side needs a return of ' +
      'RSI by tolerance points first. A position is closed after length bars, or reversed by the opposite signal.',
    parameters: [
      { name: 'length', default: 14, min: 2, max: 100 },
      { name: 'oversold', default: 30, min: 1, max: 49 },
      { name: 'overbought', default: 70, min: 51, max: 99 },
      { name: 'tolerance', default: 5, min: 0, max: 20 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets in a range; a strong trend keeps RSI extreme.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'rsi2-connors',
    name: 'RSI(2) of Larry Connors',
    family: 'mean_reversion',
    ...JESSE.publicationOf('RSI2/__init__.py'),
    description:
      'Buys short dips in a rising market and sells short rallies in a falling one. The publisher shows a loss in its own test.',
    rulesText:
      'Buy when the close is above the simple average of trendLength closes and RSI of rsiLength closes is at most oversold; close above the average of exitLength ' +
      'closes ends it. Sell short when the close is below the long average and RSI is at least overbought; a close below the short average ends it.',
    parameters: [
      { name: 'rsiLength', default: 2, min: 2, max: 50 },
      { name: 'oversold', default: 10, min: 1, max: 49 },
      { name: 'overbought', default: 90, min: 51, max: 99 },
      { name: 'exitLength', default: 5, min: 2, max: 50 },
      { name: 'trendLength', default: 200, min: 5, max: 500 },
    ],
    timeframe: '1d',
    marketsHint: 'Indices and other markets with short dips. The publisher tested BTC on bars of three hours.',
    pineSubsetFitReason: FITS,
    publicStats: backtestOfJesse('RSI2/RSI2-results.txt', '2020-06-01', '-32.22', '-50.11'),
  },
  {
    id: 'bollinger-reversion',
    name: 'Bollinger band reversion',
    family: 'mean_reversion',
    ...INDICATOR_TS.publicationOf('src/strategy/volatility/README.md'),
    description: 'Buys a close below the lower band and sells short a close above the upper band.',
    rulesText:
      'Bands: the simple average of length closes, plus and minus multiple standard deviations. Buy a close below the lower band, sell short a close above the ' +
      'upper band. A position is held until the opposite signal.',
    parameters: [
      { name: 'length', default: 20, min: 2, max: 400 },
      { name: 'multiple', default: 2, min: 0.5, max: 5 },
    ],
    timeframe: '1h',
    marketsHint: 'Markets in a range; a trend leaves the band on one side.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'stochastic-reversion',
    name: 'Stochastic oscillator',
    family: 'mean_reversion',
    ...INDICATOR_TS.publicationOf('src/strategy/momentum/README.md'),
    description: 'Buys when both lines of the stochastic oscillator of George Lane are low, sells short when both are high.',
    rulesText:
      '%K: where the close lies between the lowest low and the highest high of kLength bars, in percent. %D: its simple average over dLength bars. Buy when both are ' +
      'at most oversold, sell short when both are at least overbought. A position is held until the opposite signal.',
    parameters: [
      { name: 'kLength', default: 14, min: 2, max: 200 },
      { name: 'dLength', default: 3, min: 1, max: 50 },
      { name: 'oversold', default: 20, min: 1, max: 49 },
      { name: 'overbought', default: 80, min: 51, max: 99 },
    ],
    timeframe: '1h',
    marketsHint: 'Markets in a range.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'williams-percent-r',
    name: 'Williams %R',
    family: 'mean_reversion',
    ...INDICATOR_TS.publicationOf('src/strategy/momentum/williamsRStrategy.ts'),
    description: 'Buys when the oscillator of Larry Williams is low, sells short when it is high.',
    rulesText:
      '%R: how far the close is below the highest high of length bars, as a percentage of their range, from -100 to 0. Buy at oversold or below, sell short at ' +
      'overbought or above. A position is held until the opposite signal.',
    parameters: [
      { name: 'length', default: 14, min: 2, max: 200 },
      { name: 'oversold', default: -80, min: -99, max: -51 },
      { name: 'overbought', default: -20, min: -49, max: -1 },
    ],
    timeframe: '1h',
    marketsHint: 'Markets in a range.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'cci-correction',
    name: 'CCI correction',
    family: 'mean_reversion',
    ...TA4J.publicationOf('ta4j-examples/src/main/java/ta4jexamples/strategies/CCICorrectionStrategy.java'),
    description: 'Buys a short correction in a rising market, by two commodity channel indices of Donald Lambert. Long only.',
    rulesText:
      'Buy when the CCI of longLength bars is above level and that of shortLength bars is below -level. Close the position when the long CCI is below -level and the ' +
      'short one is above level.',
    parameters: [
      { name: 'longLength', default: 200, min: 10, max: 500 },
      { name: 'shortLength', default: 5, min: 2, max: 100 },
      { name: 'level', default: 100, min: 10, max: 300 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with trends and corrections.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
];
