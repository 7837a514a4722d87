/**
 * The parameters of the crash: markets, insurance fund, depth and crowd. They are constant, so that the figures of different runs
 * can be compared.
 */
import { baseAtoms, bps, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

const USD = 1_000_000;

/** The money atoms of an amount in dollars. */
export function dollars(amount: number): number {
  return Math.round(amount * USD);
}

/** Six observations a minute: a minute candle has four prices, so each of its extremes is close to an observation. */
export const FEED_MS = 10_000;

/** What both markets share. */
const EVERYWHERE = {
  minQuantityAtoms: baseAtoms(1),
  makerFeeBps: bps(2),
  takerFeeBps: bps(5),
  priceBandBps: bps(1_000),
  markBandBps: bps(16),
  liquidationFeeBps: bps(50),
  autoDeleveraging: true,
  // Three observations may be missing. A fourth makes the market stale.
  maxIndexAgeMs: 3 * FEED_MS,
  // The worst minutes of the crash move by more than this between two observations, so the guard against jumps acts.
  maxIndexJumpBps: bps(300),
  indexConfirmations: 2,
  fundingPeriodMs: 3_600_000,
  fundingInterestPpb: ppb(12_500),
  fundingCapPpb: ppb(7_500_000),
  premiumSampleMs: 60_000,
  impactNotionalAtoms: quoteAtoms(dollars(10_000)),
} as const;

/** 50 × at the most in one, 25 × in the other: the leverages of the crowd reach from 1 to these. */
export const CRASH_MARKETS: readonly MarketSpecification[] = [
  {
    ...EVERYWHERE,
    marketId: 'BTC-USD-PERP',
    underlyingSymbol: 'BTC',
    priceScale: 1,
    quantityScale: 5,
    minPriceAtoms: priceAtoms(1_000),
    maxPriceAtoms: priceAtoms(10_000_000),
    maxQuantityAtoms: baseAtoms(10_000_000),
    initialMarginBps: bps(200),
    maxLeverageX: 50,
    maintenanceMarginTiers: tiers([0, 100], [500_000, 150], [2_500_000, 250], [10_000_000, 500]),
  },
  {
    ...EVERYWHERE,
    marketId: 'ETH-USD-PERP',
    underlyingSymbol: 'ETH',
    priceScale: 2,
    quantityScale: 4,
    minPriceAtoms: priceAtoms(1_000),
    maxPriceAtoms: priceAtoms(10_000_000),
    maxQuantityAtoms: baseAtoms(20_000_000),
    initialMarginBps: bps(400),
    maxLeverageX: 25,
    maintenanceMarginTiers: tiers([0, 200], [500_000, 300], [2_500_000, 500]),
  },
];

/** What the fund holds before the crash: so little that the crash uses it up, and deleveraging has to take over. */
export const INSURANCE_START_ATOMS = quoteAtoms(dollars(20_000));

/** Half of the crowd trades in each market. */
export const CROWD = {
  traders: 200,
  /** Three of four traders are long: a crash closes longs. */
  longShare: 0.75,
  /** The notional of a position in dollars, spread evenly by its logarithm: most are small, a few are not. */
  smallestNotional: 10_000,
  largestNotional: 2_000_000,
  /**
   * The share of its money that a trader puts into one position, and the share of the position that fees and a bad price may take
   * at once.
   */
  staked: 0.95,
  spent: 0.004,
  /** The chances, at each observation, to enter while flat, to close a position, and to enter again after a loss. */
  enters: 1 / 60,
  exits: 1 / 3_000,
  returns: 1 / 2_000,
  /** The nearest stop, and how far from it the furthest one is, as shares of the margin. */
  nearestStop: 0.2,
  stopsWithin: 0.5,
} as const;

/** Ordinary trade: it gives the book fresh last prices and the makers fills. */
export const TAKERS = { perMarket: 2, cash: 500_000 } as const;

/**
 * Three makers in each market. Together they show about 1.6 million within a percent of the price on each side, and 5
 * million in all: a book that the whole crowd could not leave at once even on a calm day.
 */
export const MAKERS = {
  perMarket: 3,
  cash: 20_000_000,
  leverageX: 2,
  /** The distance of each step of the ladder from the price, as a share, and its notional in dollars. */
  ladder: [
    [0.0003, 20_000],
    [0.001, 60_000],
    [0.003, 150_000],
    [0.01, 300_000],
    [0.03, 600_000],
    [0.06, 600_000],
  ],
  /** A maker replaces its quotes when the price has moved by more than this share. */
  requotesAfter: 0.0004,
  /**
   * Depth thins as the price runs, and is down to `thinnest` if it ran by `runsAway` within a minute. On 2023-10-16,
   * in a move of 7.5 %, what was offered within 0.1 % on the largest venue fell from 100 BTC to 1.2, as Kaiko reported: to
   * less than this.
   */
  runsAway: 0.03,
  thinnest: 0.05,
  /** Spreads widen by this many times the last minute's move. */
  widens: 0.25,
} as const;

function tiers(...steps: (readonly [dollars: number, marginBps: number])[]): MarketSpecification['maintenanceMarginTiers'] {
  return steps.map(([from, marginBps]) => ({
    notionalThresholdAtoms: quoteAtoms(dollars(from)),
    maintenanceMarginBps: bps(marginBps),
  }));
}
