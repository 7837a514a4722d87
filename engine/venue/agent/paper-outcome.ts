/** What a strategy orders, and what can become of the order on paper. Journals contain the indexes of the lists: append only. */

/** The call of the script that resulted in the order. */
export const PAPER_ORDER_KINDS = ['entry', 'exit', 'close'] as const;
export type PaperOrderKind = (typeof PAPER_ORDER_KINDS)[number];

/** `applied`: the whole quantity filled. `refused`: nothing filled. */
export const PAPER_OUTCOMES = ['applied', 'partially_applied', 'refused'] as const;
export type PaperOutcome = (typeof PAPER_OUTCOMES)[number];

/**
 * Why a quantity did not fill, or `none`: what refuses a market order, what ends one before its whole quantity, and `paper_limit` if a sum
 * of the paper ledger would no longer be an exact integer.
 */
export const PAPER_REASONS = [
  'none',
  'mark_price_unavailable',
  'market_not_open',
  'index_not_current',
  'market_reduce_only',
  'reduce_only_would_increase',
  'quantity_out_of_bounds',
  'position_limit',
  'reduce_only',
  'fill_limit',
  'no_liquidity',
  'price_band',
  'paper_limit',
] as const;
export type PaperReason = (typeof PAPER_REASONS)[number];
