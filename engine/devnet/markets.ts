/**
 * The three markets of a devnet: what they are, where their generated index lives, and how large the house quotes.
 * Sizes are in money so that the same ladder fits a coin of any price.
 */
import { baseAtoms, bps, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

export interface DevnetMarket {
  readonly specification: MarketSpecification;
  /** Where the generated index keeps returning to. */
  readonly basePrice: number;
  /** Standard deviation of the index over one second, as a share of the price. */
  readonly volatilityPerSecond: number;
}

const USD = 1_000_000;

/** Sound by `specificationFault`: no order is worth more than 500 million. */
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
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(50),
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
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(50),
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
      makerFeeBps: bps(2),
      takerFeeBps: bps(5),
      priceBandBps: bps(1_000),
      markBandBps: bps(50),
    },
  },
];

function tiers(...steps: (readonly [dollars: number, marginBps: number])[]): MarketSpecification['maintenanceMarginTiers'] {
  return steps.map(([dollars, marginBps]) => ({
    notionalThresholdAtoms: quoteAtoms(dollars * USD),
    maintenanceMarginBps: bps(marginBps),
  }));
}
