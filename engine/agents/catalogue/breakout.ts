/** Strategies that follow a close beyond a range or a band. */
import { type DeclaredStrategy, FITS } from './declared-strategy.ts';
import { backtestOfJesse, CHART_MANUAL, JESSE, LONG_TRADER } from './publishers.ts';

export const BREAKOUT: readonly DeclaredStrategy[] = [
  {
    id: 'donchian-breakout',
    name: 'Donchian channel breakout',
    family: 'breakout',
    ...JESSE.publicationOf('Donchian/__init__.py'),
    description:
      'Follows long upward trends: it buys a close above the channel of the last bars and holds until a close below it. Long only.',
    rulesText:
      'Channel: the highest high and the lowest low of the channelLength bars before this one. Buy when the bar closes above the channel and above ' +
      'the simple average of trendLength closes. Close the position when a bar closes below the channel.',
    parameters: [
      { name: 'channelLength', default: 20, min: 2, max: 200 },
      { name: 'trendLength', default: 200, min: 2, max: 500 },
    ],
    timeframe: '4h',
    marketsHint: 'Liquid markets with long trends. The publisher tested BTC, ETH and others on bars of six hours.',
    pineSubsetFitReason: FITS,
    publicStats: backtestOfJesse('Donchian/BTC-USDT_6h_results.txt', '2021-01-01', '134.39', '-46.89'),
  },
  {
    id: 'turtle-system-1',
    name: 'Turtle trading, system 1',
    family: 'breakout',
    ...JESSE.publicationOf('TurtleRules/__init__.py'),
    description:
      'The short system that Richard Dennis and William Eckhardt taught in 1983: a 20-bar breakout with a 10-bar exit and a stop by volatility.',
    rulesText:
      'Buy when a bar closes above the highest high of the entryLength bars before it; sell short when it closes below their lowest low. Close a long ' +
      'position below the lowest low of exitLength bars, a short one above their highest high. Close it too when the price has moved stopMultiple ' +
      'average true ranges of atrLength bars against the entry, as measured at the entry.',
    parameters: [
      { name: 'entryLength', default: 20, min: 2, max: 200 },
      { name: 'exitLength', default: 10, min: 2, max: 200 },
      { name: 'atrLength', default: 20, min: 2, max: 100 },
      { name: 'stopMultiple', default: 2, min: 0.5, max: 10 },
    ],
    timeframe: '1d',
    marketsHint: 'The original traded many futures at once; one market alone lacks that diversification.',
    pineSubsetFitReason:
      'Fits with one unit: the subset does not add to a position. The published version adds up to four units, and skips the breakout after a ' +
      'winning one; the script does neither, and decides at the close of a bar.',
    publicStats: [],
  },
  {
    id: 'keltner-breakout',
    name: 'Keltner channel breakout',
    family: 'breakout',
    ...CHART_MANUAL,
    description:
      'The ten-day rule of Chester Keltner (1960): a close outside the channel shows strong sentiment, and is followed.',
    rulesText:
      'Centre: the simple average of the typical price over length bars. The channel lies above and below it by the simple average of the range from ' +
      'high to low. Buy a close above the channel, sell short a close below it. The source names no exit: the script closes the position when a bar ' +
      'closes on the other side of the centre.',
    parameters: [{ name: 'length', default: 10, min: 2, max: 200 }],
    timeframe: '1d',
    marketsHint: 'Markets with trends; a quiet range causes false breakouts.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
  {
    id: 'bollinger-keltner-squeeze',
    name: 'Bollinger and Keltner squeeze',
    family: 'breakout',
    ...LONG_TRADER,
    description:
      'Waits until volatility is low, then follows the direction in which the price leaves. John Carter made the idea known as the squeeze.',
    rulesText:
      'A squeeze is on while both Bollinger bands lie inside the Keltner channel. After its end, buy the first close above the upper Bollinger band, or ' +
      'sell short the first close below the lower one. The script closes the position when a bar closes on the other side of the average.',
    parameters: [
      { name: 'length', default: 20, min: 5, max: 200 },
      { name: 'bandMultiple', default: 2, min: 0.5, max: 5 },
      { name: 'channelMultiple', default: 1.5, min: 0.5, max: 5 },
    ],
    timeframe: '1h',
    marketsHint: 'Markets that alternate between quiet and fast phases.',
    pineSubsetFitReason: FITS,
    publicStats: [],
  },
];
