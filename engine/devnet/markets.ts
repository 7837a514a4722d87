/** The markets of a devnet: specifications and the base prices of their generated index. */
import { baseAtoms, bps, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification, OpenInterestBounds } from '#venue/market/specification.ts';

export interface DevnetMarket {
  readonly specification: MarketSpecification;
  /** The price that the generated index returns to. */
  readonly basePrice: number;
  /** Standard deviation of the index change in one second, as a share of the price. */
  readonly volatilityPerSecond: number;
}

const USD = 1_000_000;

/**
 * Common to all. The hourly interest rate equals 0.01 % in eight hours; the caps are 75 % of the distance between initial
 * and maintenance margin, the impact notional is what 200 dollars of margin can open, and an index price that counts at once
 * moves at most by the first maintenance rate.
 */
const EVERYWHERE = {
  autoDeleveraging: true,
  maxIndexAgeMs: 10_000,
  indexConfirmations: 3,
  fundingPeriodMs: 3_600_000,
  fundingInterestPpb: ppb(12_500),
  premiumSampleMs: 5_000,
} as const;

/** Valid by `listingFault`: no order exceeds a notional of 500 million. */
export const DEVNET_MARKETS: readonly DevnetMarket[] = [
  {
    basePrice: 65_000,
    volatilityPerSecond: 0.000_08,
    specification: {
      marketId: 'BTC-USD-PERP',
      underlyingSymbol: 'BTC',
      priceScale: 1,
      quantityScale: 5,
      minPriceAtoms: priceAtoms(1_000),
      maxPriceAtoms: priceAtoms(10_000_000),
      minQuantityAtoms: baseAtoms(10),
      maxQuantityAtoms: baseAtoms(10_000_000),
      initialMarginBps: bps(200),
      maxLeverageX: 50,
      maintenanceMarginTiers: tiers([0, 100], [2_000_000, 150], [10_000_000, 250], [50_000_000, 500]),
      openInterest: openInterest(25_000_000, 100_000_000),
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(20),
      maxIndexJumpBps: bps(100),
      liquidationFeeBps: bps(50),
      fundingCapPpb: ppb(7_500_000),
      impactNotionalAtoms: quoteAtoms(10_000 * USD),
      ...EVERYWHERE,
    },
  },
  {
    basePrice: 3_200,
    volatilityPerSecond: 0.000_11,
    specification: {
      marketId: 'ETH-USD-PERP',
      underlyingSymbol: 'ETH',
      priceScale: 2,
      quantityScale: 4,
      minPriceAtoms: priceAtoms(1_000),
      maxPriceAtoms: priceAtoms(10_000_000),
      minQuantityAtoms: baseAtoms(10),
      maxQuantityAtoms: baseAtoms(20_000_000),
      initialMarginBps: bps(200),
      maxLeverageX: 50,
      maintenanceMarginTiers: tiers([0, 100], [1_000_000, 150], [5_000_000, 250], [25_000_000, 500]),
      openInterest: openInterest(12_500_000, 50_000_000),
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(20),
      maxIndexJumpBps: bps(100),
      liquidationFeeBps: bps(50),
      fundingCapPpb: ppb(7_500_000),
      impactNotionalAtoms: quoteAtoms(10_000 * USD),
      ...EVERYWHERE,
    },
  },
  {
    basePrice: 150,
    volatilityPerSecond: 0.000_14,
    specification: {
      marketId: 'SOL-USD-PERP',
      underlyingSymbol: 'SOL',
      priceScale: 2,
      quantityScale: 3,
      minPriceAtoms: priceAtoms(10),
      maxPriceAtoms: priceAtoms(1_000_000),
      minQuantityAtoms: baseAtoms(10),
      maxQuantityAtoms: baseAtoms(50_000_000),
      initialMarginBps: bps(500),
      maxLeverageX: 20,
      maintenanceMarginTiers: tiers([0, 250], [500_000, 400], [2_500_000, 600], [10_000_000, 1_000]),
      openInterest: openInterest(5_000_000, 20_000_000),
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(50),
      maxIndexJumpBps: bps(250),
      liquidationFeeBps: bps(100),
      fundingCapPpb: ppb(18_750_000),
      impactNotionalAtoms: quoteAtoms(4_000 * USD),
      ...EVERYWHERE,
    },
  },
];

function tiers(...steps: (readonly [dollars: number, marginBps: number])[]): MarketSpecification['maintenanceMarginTiers'] {
  return steps.map(([dollars, marginBps]) => ({
    notionalThresholdAtoms: quoteAtoms(dollars * USD),
    maintenanceMarginBps: bps(marginBps),
  }));
}

/** The lower bound is half of the notional at which the last tier starts, the upper one twice that notional. */
function openInterest(lowerDollars: number, upperDollars: number): OpenInterestBounds {
  return { lowerAtoms: quoteAtoms(lowerDollars * USD), upperAtoms: quoteAtoms(upperDollars * USD) };
}
