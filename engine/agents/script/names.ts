/**
 * Names that a script may contain without a value of its own: drawings, which are ignored and listed in the review, and what is
 * refused, with the reason and what to write instead.
 */

/** Calls whose only effect is on a chart or a message. */
const DRAWING_CALLS =
  /^(?:plot|plotshape|plotchar|plotarrow|plotbar|plotcandle|hline|fill|bgcolor|barcolor|alert|alertcondition|max_bars_back)$|^(?:label|line|box|table|linefill|polyline|log|str|color|chart\.point)(?:\.|$)|^input\.color$/;

/** Constants of drawings. */
const DRAWING_NAMES =
  /^(?:color|shape|location|size|plot|hline|label|line|box|table|position|text|xloc|yloc|extend|display|format|font|scale|alert|order|barmerge|currency)\./;

/** The types of drawings, as in `label l = na`. */
export const DRAWING_TYPES: ReadonlySet<string> = new Set([
  'color',
  'line',
  'label',
  'box',
  'table',
  'linefill',
  'plot',
  'hline',
]);

export function isDrawingCall(name: string): boolean {
  return DRAWING_CALLS.test(name);
}

export function isDrawingName(name: string): boolean {
  return DRAWING_NAMES.test(name);
}

export type RefusedName = readonly [pattern: RegExp, reason: string, remedy: string];

const INEXACT = 'is not the same on every machine, and a script must act the same everywhere';

/** The first pattern that fits explains a name. */
export const REFUSED_NAMES: readonly RefusedName[] = [
  [/^math\.(exp|log|log10)$/, INEXACT, 'Use comparisons, sums or products of prices.'],
  [/^math\.(sin|cos|tan|asin|acos|atan|todegrees|toradians)$/, INEXACT, 'Use an average or an oscillator of ta.*.'],
  [/^math\.random$/, 'a script has no randomness', 'Remove it.'],
  [/^ta\.(alma|correlation|vwap|pivot_point_levels)$/, 'is not available here', 'Use ta.sma, ta.ema, ta.wma, ta.hma or ta.vwma.'],
  [
    /^request\./,
    'a script sees the candles of one market and one timeframe',
    'Remove the request; deploy one script for each market.',
  ],
  [
    /^security$/,
    'a script sees the candles of one market and one timeframe',
    'Remove the call; deploy one script for each market.',
  ],
  [/^(array|map|matrix)(\.|$)/, 'collections are not available', 'Use variables and history, as in x[1].'],
  [/^(study|indicator|library)$/, 'only strategies act', 'Declare it with strategy("title") and enter with strategy.entry.'],
  [/^strategy\.order$/, 'only entries, closes and exits are sent', 'Use strategy.entry and strategy.close.'],
  [/^strategy\.(cancel|cancel_all)$/, 'no order rests: everything is sent at the close of a bar', 'Remove the call.'],
  [/^strategy\.risk\./, 'risk limits belong to the account', 'Remove the call; set limits of the deployment.'],
  [
    /^strategy\.(equity|netprofit|openprofit|grossprofit|grossloss|initial_capital|max_drawdown|closedtrades|wintrades|losstrades|eventrades|account_currency)/,
    'results of trading are not available to a script',
    'Decide by prices and strategy.position_size.',
  ],
  [
    /^(time|time_close|timenow|year|month|weekofyear|dayofmonth|dayofweek|hour|minute|second|timestamp|session)(\.|$)/,
    'a script has no calendar',
    'Remove the condition; start and stop the deployment instead.',
  ],
  [
    /^input\.(time|session|symbol|timeframe|price|text_area|enum)$/,
    'this kind of input is not available',
    'Use input.int, float, bool, string or source.',
  ],
  [/^timeframe(\.|$)/, 'the timeframe is chosen when the script is deployed', 'Remove the condition.'],
  [/^syminfo\./, 'the market is chosen when the script is deployed', 'Only syminfo.mintick is available.'],
  [/^barstate\./, 'a script runs once for each closed bar', 'Only barstate.isconfirmed and barstate.isfirst are available.'],
  [/^last_bar_(index|time)$/, 'a script does not know which bar is the last', 'Use bar_index.'],
  [/^runtime\.error$/, 'a script cannot stop its run', 'Remove the call; bound the input with minval and maxval.'],
  [/^ticker\./, 'a script sees one market', 'Remove the call.'],
];
