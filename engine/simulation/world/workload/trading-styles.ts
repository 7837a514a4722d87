/** Kinds of senders, and how they behave whatever they send: `intents.ts` says what each of them sends. */

export const TEMPERAMENTS = [
  'maker',
  'taker',
  'gambler',
  'canceller',
  'duplicator',
  'stranger',
  'operator',
  'clockwork',
  'feed',
] as const;
export type TradingStyle = (typeof TEMPERAMENTS)[number];

export interface Style {
  /** How many of them a world has. */
  readonly fewest: number;
  readonly most: number;
  /** How often one of them is up, against the others. */
  readonly activity: number;
  /** What share of the requests comes with an idempotency key. */
  readonly keyed: number;
  /** How often a request that was answered is sent again, and how often its key comes with another body. */
  readonly repeats: number;
  readonly conflicts: number;
}

export const STYLE_NAMES: Readonly<Record<TradingStyle, Style>> = {
  /** Quotes both sides around the index. */
  maker: { fewest: 2, most: 4, activity: 8, keyed: 0.9, repeats: 0.02, conflicts: 0.01 },
  /** Takes what is offered, both ways. */
  taker: { fewest: 1, most: 3, activity: 5, keyed: 0.9, repeats: 0.02, conflicts: 0.01 },
  /** Puts all it has on one side at the highest leverage, and holds. */
  gambler: { fewest: 2, most: 16, activity: 2, keyed: 0.8, repeats: 0.02, conflicts: 0.01 },
  /** Takes back most of what it places. */
  canceller: { fewest: 1, most: 2, activity: 4, keyed: 0.7, repeats: 0.02, conflicts: 0.01 },
  /** Never believes that it was heard. */
  duplicator: { fewest: 1, most: 2, activity: 3, keyed: 0.95, repeats: 0.5, conflicts: 0.15 },
  /** Names accounts, orders and amounts that are not its own, or nothing at all. */
  stranger: { fewest: 1, most: 1, activity: 2, keyed: 0.5, repeats: 0.1, conflicts: 0.1 },
  operator: { fewest: 1, most: 1, activity: 2, keyed: 0.5, repeats: 0.05, conflicts: 0 },
  /** Goes on with what markets have left over. */
  clockwork: { fewest: 1, most: 1, activity: 2, keyed: 0, repeats: 0, conflicts: 0 },
  feed: { fewest: 1, most: 1, activity: 12, keyed: 0, repeats: 0, conflicts: 0 },
};
