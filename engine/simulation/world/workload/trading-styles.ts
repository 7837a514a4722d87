/**
 * The trading styles of senders, and the behaviour that is the same for all commands. `intents.ts` defines what each style sends.
 */

export const TRADING_STYLES = [
  'maker',
  'taker',
  'gambler',
  'canceller',
  'duplicator',
  'stranger',
  'operator',
  'onboarding',
  'clockwork',
  'feed',
  'coordinator',
  'strategist',
  'funder',
] as const;
export type TradingStyle = (typeof TRADING_STYLES)[number];

export interface Style {
  /** The number of senders in a world. */
  readonly minCount: number;
  readonly maxCount: number;
  /** How often a sender acts, relative to others. */
  readonly activity: number;
  /** The share of the requests with an idempotency key. */
  readonly keyed: number;
  /** The chance that a settled request is repeated, and that its key is sent with another body. */
  readonly repeats: number;
  readonly conflicts: number;
}

export const STYLES: Readonly<Record<TradingStyle, Style>> = {
  /** Quotes both sides around the index. */
  maker: { minCount: 2, maxCount: 4, activity: 8, keyed: 0.9, repeats: 0.02, conflicts: 0.01 },
  /** Takes liquidity on both sides. */
  taker: { minCount: 1, maxCount: 3, activity: 5, keyed: 0.9, repeats: 0.02, conflicts: 0.01 },
  /** Bets all of its cash on one side at the highest leverage, and holds. */
  gambler: { minCount: 2, maxCount: 16, activity: 2, keyed: 0.8, repeats: 0.02, conflicts: 0.01 },
  /** Cancels most of its orders. */
  canceller: { minCount: 1, maxCount: 2, activity: 4, keyed: 0.7, repeats: 0.02, conflicts: 0.01 },
  /** Repeats half of its requests. */
  duplicator: { minCount: 1, maxCount: 2, activity: 3, keyed: 0.95, repeats: 0.5, conflicts: 0.15 },
  /** Uses accounts, orders and amounts of others, or ones that do not exist. */
  stranger: { minCount: 1, maxCount: 1, activity: 2, keyed: 0.5, repeats: 0.1, conflicts: 0.1 },
  operator: { minCount: 1, maxCount: 1, activity: 2, keyed: 0.5, repeats: 0.05, conflicts: 0 },
  /** Registers owners, manages their passkeys, and takes the steps of their setups. */
  onboarding: { minCount: 1, maxCount: 1, activity: 1.5, keyed: 0.5, repeats: 0.05, conflicts: 0.02 },
  /** Sets owners up, opens their agent accounts and funds them. */
  funder: { minCount: 1, maxCount: 1, activity: 9, keyed: 0.3, repeats: 0.05, conflicts: 0.02 },
  /** Advances markets with pending work. */
  clockwork: { minCount: 1, maxCount: 1, activity: 2, keyed: 0, repeats: 0, conflicts: 0 },
  /** Drives deposits and withdrawals on the external ledger. */
  coordinator: { minCount: 1, maxCount: 1, activity: 13, keyed: 0, repeats: 0.02, conflicts: 0 },
  /** Drafts and deploys scripts, and places the paper orders of deployments. */
  strategist: { minCount: 1, maxCount: 1, activity: 9, keyed: 0.5, repeats: 0.05, conflicts: 0.02 },
  feed: { minCount: 1, maxCount: 1, activity: 12, keyed: 0, repeats: 0, conflicts: 0 },
};
