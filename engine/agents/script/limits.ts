/**
 * The limits of a script. Each bounds what one script can cost the venue; `docs/strategy-scripts.md` lists them, and a test compares
 * both. Limits of the source are refused in the review, those of a bar end the run.
 */
export const LIMITS = {
  /** UTF-8 bytes of the source. */
  sourceBytes: 32_768,
  tokens: 8_000,
  /** Levels of expressions and blocks inside each other. */
  nesting: 60,
  variables: 200,
  parameters: 40,
  indicators: 100,
  /** Calls of strategy.entry, close, close_all and exit. */
  orders: 50,
  /** The longest length of an indicator, in bars. */
  indicatorLength: 500,
  /** The largest `n` in `x[n]`, in bars. */
  historyBars: 500,
  /** The largest absolute value of a multiplier, such as `mult` of `ta.bb`. */
  factor: 1_000_000,
  /** Characters of a text: an order id, an option, a title. */
  textLength: 100,
  /** Cells of eight bytes: windows of indicators, histories and variables. */
  cells: 20_000,
  /** Work on one bar: most operations cost 1, an indicator also the values that it visits. */
  fuelPerBar: 100_000,
  actionsPerBar: 8,
  refusals: 20,
} as const;
