/** Strategies whose rules need more than the script subset has, each with what it needs. They have no script. */
import type { DeclaredStrategy } from './declared-strategy.ts';
import { HUMMINGBOT, QUANT_TRADING } from './publishers.ts';

export const OUTSIDE_SUBSET: readonly DeclaredStrategy[] = [
  {
    id: 'pair-trading',
    name: 'Pair trading by cointegration',
    family: 'relative_value',
    ...QUANT_TRADING.publicationOf('README.md#2-pair-trading'),
    description:
      'Buys the cheap and sells the dear one of two markets that move together, and waits for their difference to close.',
    rulesText:
      'Test two markets for cointegration by the two steps of Engle and Granger. Standardize the residual of their regression. When it exceeds threshold standard ' +
      'deviations, sell the dear market short and buy the cheap one. Repeat the test often: such relations break.',
    parameters: [{ name: 'threshold', default: 1, min: 0.5, max: 4 }],
    timeframe: '1d',
    marketsHint: 'Two markets with a common cause, such as two assets of one sector.',
    pineSubsetFitReason: 'A script sees the candles of one market and trades it alone. This strategy reads and trades two.',
    publicStats: [],
  },
  {
    id: 'london-breakout',
    name: 'London breakout',
    family: 'breakout',
    ...QUANT_TRADING.publicationOf('README.md#4-london-breakout'),
    description: 'Trades the first minutes of the London session beyond the range of the hour before it.',
    rulesText:
      'Take the high and the low of the last hour before London opens. In the first minutes of the session, buy above the high and sell short below the low, unless the ' +
      'opening is abnormally fast. Close at a target, at a stop, or at the end of the session.',
    parameters: [],
    timeframe: '5m',
    marketsHint: 'Currencies, whose activity depends on the sessions.',
    pineSubsetFitReason: 'A script has no clock: it cannot see the time of a bar, and so not the start and end of a session.',
    publicStats: [],
  },
  {
    id: 'grid-strike',
    name: 'Grid of limit orders',
    family: 'market_making',
    ...HUMMINGBOT.publicationOf('controllers/generic/grid_strike.py'),
    description: 'Quotes levels between two prices, and takes a small profit at each.',
    rulesText:
      'Split the range from a start to an end price into levels. Keep limit orders at the levels near the price. When one fills, place its target on the other side. ' +
      'Stop beyond a limit price.',
    parameters: [{ name: 'maxOpenOrders', default: 2, min: 1, max: 50 }],
    timeframe: '1h',
    marketsHint: 'Markets in a range, with low maker fees.',
    pineSubsetFitReason:
      'A script acts with market orders at the close of a bar. A grid needs limit orders that rest in the book and fill within a bar.',
    publicStats: [],
  },
];
