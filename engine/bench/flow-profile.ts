/** The markets that books are compared in. */

export interface FlowMix {
  readonly crossing: number;
  readonly sweeps: number;
  readonly cancels: number;
  /** The most that an order which crosses asks for; one that rests offers up to 100. */
  readonly largestCrossing: number;
}

/** Takers as large as makers, and sweeps through several prices: as much matching as there can be. */
const MATCHING: FlowMix = { crossing: 0.2, sweeps: 0.05, cancels: 0.35, largestCrossing: 80 };
/** Takers are smaller than makers, and most orders are cancelled, as on venues where makers quote. */
const QUOTING: FlowMix = { crossing: 0.21, sweeps: 0.01, cancels: 0.36, largestCrossing: 40 };

export interface FlowProfile {
  readonly name: string;
  readonly title: string;
  readonly markets: number;
  readonly accounts: number;
  /** In every market: there before the clock runs, and about as many at the end. */
  readonly restingOrders: number;
  /** How far from the middle orders rest, in ticks: on average, or at most where all prices are alike. */
  readonly distanceTicks: number;
  readonly shape: 'thinning' | 'even';
  /** Shares of all operations; what is left over are orders that rest. */
  readonly mix: FlowMix;
  /** Timed. */
  readonly operations: number;
  /** What has just been built up is cold: so many of that again go before them. */
  readonly warmUpShare: number;
}

const ACCOUNTS = 1_000;

/** For every one of them the resting orders are spread so that they are thick at the best prices and thin far out. */
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

/** What whole turns are given: as many markets and accounts as a venue has on a good day. */
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
  // Most accounts have held something in most markets then: a venue that has been open for a while.
  warmUpShare: 1,
};

/** The same in small: for trying whether everything works, not for figures. */
export function inSmall(profile: FlowProfile): FlowProfile {
  return { ...profile, restingOrders: Math.ceil(profile.restingOrders / 50), operations: Math.ceil(profile.operations / 50) };
}
