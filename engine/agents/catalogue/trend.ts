/** Strategies that hold the side of the trend until an indicator turns. */
import { type DeclaredStrategy, FITS } from './declared-strategy.ts';
import { backtestOfJesse, HUMMINGBOT, INDICATOR_TS, JESSE, LEAN, QUANT_TRADING, TA4J, THINKORSWIM } from './publishers.ts';

const INDICATOR_TRENDS = 'src/strategy/trend/README.md';

export const TREND: readonly DeclaredStrategy[] = [
  {
    id: 'supertrend',
    name: 'Supertrend',
    family: 'trend',
    ...HUMMINGBOT.publicationOf('controllers/directional_trading/supertrend_v1.py'),
    description: 'Follows the direction of the Supertrend line, and enters only while the price is near the line.',
    rulesText:
      'Supertrend: a band of factor average true ranges of atrLength bars that turns when a bar closes beyond it. Buy while its direction is up and the ' +
      'close is within maxDistancePercent of the line; sell short while it is down and as near. A position is held until the opposite signal. The ' +
      'published version also has a stop and a target, which its user sets.',
    parameters: [
      { name: 'atrLength', default: 20, min: 2, max: 100 },
      { name: 'factor', default: 4, min: 0.5, max: 20 },
      { name: 'maxDistancePercent', default: 1, min: 0.05, max: 50 },
    ],
    timeframe: '5m',
    marketsHint: 'Liquid perpetual markets. The publisher uses bars of three minutes.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'sma-cross',
    name: 'Golden cross and death cross',
    family: 'trend',
    ...JESSE.publicationOf('SMACrossover/__init__.py'),
    description: 'Long while the fast average is above the slow one, short while it is below. Always in the market.',
    rulesText:
      'Fast and slow: simple averages of fastLength and slowLength closes. Hold a long position while fast is above slow, a short one while it is below.',
    parameters: [
      { name: 'fastLength', default: 50, min: 2, max: 200 },
      { name: 'slowLength', default: 200, min: 5, max: 500 },
    ],
    timeframe: '4h',
    marketsHint: 'Markets with long trends. The publisher tested BTC on bars of three hours.',
    pineSubsetFitReason: FITS,
    publicStats: backtestOfJesse('SMACrossover/SMACrossover-results.txt', '2020-06-01', '45.67', '-53.7'),
  },
  {
    id: 'ema-cross',
    name: 'Cross of exponential averages',
    family: 'trend',
    ...LEAN.publicationOf('Algorithm.Framework/Alphas/EmaCrossAlphaModel.py'),
    description: 'Trades the cross of a fast and a slow exponential average.',
    rulesText:
      'Buy when the exponential average of fastLength closes crosses above that of slowLength closes; sell short when it crosses below. The published ' +
      'signal expires after fastLength bars; the script holds the position until the opposite cross.',
    parameters: [
      { name: 'fastLength', default: 12, min: 2, max: 200 },
      { name: 'slowLength', default: 26, min: 3, max: 500 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with trends; a range causes many small losses.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'macd-cross',
    name: 'MACD and its signal line',
    family: 'trend',
    ...INDICATOR_TS.publicationOf(INDICATOR_TRENDS),
    description: 'Trades the cross of the MACD line and its signal line.',
    rulesText:
      'MACD: the exponential average of fastLength closes minus that of slowLength closes. Signal: its exponential average over signalLength bars. Buy when ' +
      'MACD crosses above its signal, sell short when it crosses below.',
    parameters: [
      { name: 'fastLength', default: 12, min: 2, max: 100 },
      { name: 'slowLength', default: 26, min: 3, max: 200 },
      { name: 'signalLength', default: 9, min: 2, max: 100 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with swings of some weeks on daily bars.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'adx-dmi-trend',
    name: 'Directional movement with ADX',
    family: 'trend',
    ...TA4J.publicationOf('ta4j-examples/src/main/java/ta4jexamples/strategies/ADXStrategy.java'),
    description: 'Buys a cross of the directional indicators of Welles Wilder, but only in a strong upward trend. Long only.',
    rulesText:
      'Buy when +DI of diLength bars crosses above -DI while ADX is above minAdx and the close is above the simple average of trendLength closes. Close the ' +
      'position when +DI crosses below -DI while ADX is above minAdx and the close is below the average.',
    parameters: [
      { name: 'diLength', default: 14, min: 2, max: 100 },
      { name: 'minAdx', default: 20, min: 5, max: 60 },
      { name: 'trendLength', default: 50, min: 2, max: 500 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with strong trends. Because the exit has two filters, a position may stay open for long.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'parabolic-sar',
    name: 'Parabolic stop and reverse',
    family: 'trend',
    ...QUANT_TRADING.publicationOf('README.md#8-parabolic-sar'),
    description: 'Follows the parabola of Welles Wilder, which approaches the price the longer a trend lasts.',
    rulesText:
      'Parabola: starts with acceleration start, which grows by step at each new extreme, up to maximum. Buy when the close is above it, sell short when the ' +
      'close is below it. The published backtest only buys, and is flat instead of short.',
    parameters: [
      { name: 'start', default: 0.02, min: 0.001, max: 0.2 },
      { name: 'step', default: 0.02, min: 0.001, max: 0.2 },
      { name: 'maximum', default: 0.2, min: 0.01, max: 1 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with trends; always in the market, so a range is costly.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'ichimoku-cloud',
    name: 'Ichimoku cloud',
    family: 'trend',
    ...INDICATOR_TS.publicationOf('src/strategy/momentum/README.md'),
    description: 'Follows the colour of the cloud: the order of its two leading spans.',
    rulesText:
      'A line is the middle of the highest high and the lowest low of its length. Span A: the middle of the lines of conversionLength and baseLength. Span B: ' +
      'the line of spanLength. Both are those of baseLength bars ago, which a chart shows at this bar. Buy while span A is above span B, sell short ' +
      'while it is below.',
    parameters: [
      { name: 'conversionLength', default: 9, min: 2, max: 100 },
      { name: 'baseLength', default: 26, min: 2, max: 200 },
      { name: 'spanLength', default: 52, min: 2, max: 400 },
    ],
    timeframe: '1d',
    marketsHint: 'Markets with long trends.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'atr-trailing-stop',
    name: 'Trailing stop by average true range',
    family: 'trend',
    ...THINKORSWIM,
    description:
      'Reverses when the close crosses a stop that follows the price at a distance of average true ranges, and never retreats.',
    rulesText:
      'The stop follows a rising close at factor average true ranges of atrLength bars below it, and a falling one as far above it. Buy when the close rises ' +
      'above the stop, sell short when it falls below. The source states no defaults; those here are common ones.',
    parameters: [
      { name: 'atrLength', default: 14, min: 2, max: 100 },
      { name: 'factor', default: 3, min: 0.5, max: 20 },
    ],
    timeframe: '1h',
    marketsHint: 'Markets with trends; always in the market.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
];
