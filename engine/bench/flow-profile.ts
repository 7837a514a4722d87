/** The markets of the book comparison. */

export interface FlowMix {
  readonly crossing: number;
  readonly sweeps: number;
  readonly cancels: number;
  /** The largest quantity of a crossing order; a resting one offers up to 100. */
  readonly largestCrossing: number;
}

/** Takers as large as makers, and sweeps through several prices: the most matching. */
const MATCHING: FlowMix = { crossing: 0.2, sweeps: 0.05, cancels: 0.35, largestCrossing: 80 };
/** Takers are smaller than makers, and most orders are cancelled, as on venues where makers quote. */
const QUOTING: FlowMix = { crossing: 0.21, sweeps: 0.01, cancels: 0.36, largestCrossing: 40 };

export interface FlowProfile {
  readonly name: string;
  readonly title: string;
  readonly markets: number;
  readonly accounts: number;
  /** Per market: at the start of the timed part, and about as many at the end. */
  readonly restingOrders: number;
  /** The distance of resting orders from the middle in ticks: on average, or at most if all prices are equally likely. */
  readonly distanceTicks: number;
  readonly shape: 'thinning' | 'even';
  /** Shares of all operations; the rest are resting orders. */
  readonly mix: FlowMix;
  /** Timed. */
  readonly operations: number;
  /** A share of the timed operations that runs first, since fresh books are cold. */
  readonly warmUpShare: number;
}

const ACCOUNTS = 1_000;

/** In every profile the resting orders are dense at the best prices and sparse far out. */
export const PROFILES: readonly FlowProfile[] = [
  {
    name: 'one-market',
    title: 'one market, 20,000 resting orders',
    markets: 1,
    accounts: ACCOUNTS,
    restingOrders: 20_000,
    distanceTicks: 200,
    shape: 'thinning',
    mix: MATCHING,
    operations: 100_000,
    warmUpShare: 0.2,
  },
  {
    name: 'ten-markets',
    title: 'ten markets, 10,000 resting orders each',
    markets: 10,
    accounts: ACCOUNTS,
    restingOrders: 10_000,
    distanceTicks: 200,
    shape: 'thinning',
    mix: MATCHING,
    operations: 100_000,
    warmUpShare: 0.2,
  },
  {
    name: 'deep',
    title: 'one market, 100,000 resting orders',
    markets: 1,
    accounts: ACCOUNTS,
    restingOrders: 100_000,
    distanceTicks: 2_000,
    shape: 'thinning',
    mix: MATCHING,
    operations: 100_000,
    warmUpShare: 0.2,
  },
  {
    name: 'thick-levels',
    title: 'one market, 12,000 resting orders at 40 prices',
    markets: 1,
    accounts: ACCOUNTS,
    restingOrders: 12_000,
    distanceTicks: 20,
    shape: 'even',
    mix: MATCHING,
    operations: 50_000,
    warmUpShare: 0.2,
  },
];

/** The profile of whole turns: as many markets and accounts as a busy venue. */
export const TURNS_PROFILE: FlowProfile = {
  name: 'turns',
  title: 'ten markets, 1,000 resting orders each, 1,000 accounts',
  markets: 10,
  accounts: ACCOUNTS,
  restingOrders: 1_000,
  distanceTicks: 100,
  shape: 'thinning',
  mix: QUOTING,
  operations: 50_000,
  // Afterwards most accounts have traded in most markets, like on a venue that has run for a while.
  warmUpShare: 1,
};

/** The same in small, to test whether it works, not for figures. */
export function inSmall(profile: FlowProfile): FlowProfile {
  return { ...profile, restingOrders: Math.ceil(profile.restingOrders / 50), operations: Math.ceil(profile.operations / 50) };
}
