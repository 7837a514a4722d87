/** Strategies that follow the recent change of the price. */
import { type DeclaredStrategy, FITS } from './declared-strategy.ts';
import { INDICATOR_TS, LEAN, TA4J } from './publishers.ts';

export const MOMENTUM: readonly DeclaredStrategy[] = [
  {
    id: 'roc-momentum',
    name: 'Momentum by rate of change',
    family: 'momentum',
    ...LEAN.publicationOf('Algorithm.Framework/Alphas/HistoricalReturnsAlphaModel.py'),
    description: 'Expects that the last return continues: long after a rise, short after a fall.',
    rulesText:
      'Return: the change of the close over lookback bars. Hold a long position while it is positive and a short one while it is negative. Close the position ' +
      'when it is zero.',
    parameters: [{ name: 'lookback', default: 1, min: 1, max: 400 }],
    timeframe: '1d',
    marketsHint: 'Markets with momentum. With one bar of lookback it trades on most bars, so fees decide.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'awesome-oscillator',
    name: 'Awesome oscillator',
    family: 'momentum',
    ...INDICATOR_TS.publicationOf('src/strategy/momentum/README.md'),
    description: 'Follows the sign of the difference between a short and a long average of the middle price.',
    rulesText:
      'Oscillator: the simple average of the middle of high and low over fastLength bars minus that over slowLength bars. Buy while it is positive, sell short ' +
      'while it is negative.',
    parameters: [
      { name: 'fastLength', default: 5, min: 2, max: 100 },
      { name: 'slowLength', default: 34, min: 3, max: 400 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with swings; always in the market.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'moving-momentum',
    name: 'Moving momentum',
    family: 'momentum',
    ...TA4J.publicationOf('ta4j-examples/src/main/java/ta4jexamples/strategies/MovingMomentumStrategy.java'),
    description: 'Buys a pullback in a rising market when MACD shows that momentum returns. Long only.',
    rulesText:
      'MACD: the exponential average of fastLength closes minus that of slowLength closes; its signal is its exponential average over signalLength bars. Buy when ' +
      'fast is above slow, the stochastic of stochLength bars crosses below oversold, and MACD is above its signal. Close the position when fast is ' +
      'below slow, the stochastic crosses above overbought, and MACD is below its signal.',
    parameters: [
      { name: 'fastLength', default: 9, min: 2, max: 100 },
      { name: 'slowLength', default: 26, min: 3, max: 400 },
      { name: 'stochLength', default: 14, min: 2, max: 200 },
      { name: 'signalLength', default: 18, min: 2, max: 100 },
      { name: 'oversold', default: 20, min: 1, max: 49 },
      { name: 'overbought', default: 80, min: 51, max: 99 },
    ],
    timeframe: '1h',
    marketsHint: 'Rising markets with pullbacks. Because the exit has three conditions, a position may stay open for long.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
];
