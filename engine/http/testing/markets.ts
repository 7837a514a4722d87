/** The market that the tests of engine/http trade on: tick 0.1, lot 0.0001. */
import { baseAtoms, bps, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

export const BITCOIN: MarketSpecification = {
  marketId: 'BTC-USD-PERP',
  underlyingSymbol: 'BTC',
  priceScale: 1,
  quantityScale: 4,
  minPriceAtoms: priceAtoms(10),
  maxPriceAtoms: priceAtoms(10_000_000),
  minQuantityAtoms: baseAtoms(10),
  maxQuantityAtoms: baseAtoms(5_000_000),
  initialMarginBps: bps(200),
  maxLeverageX: 50,
  maintenanceMarginTiers: [{ notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(100) }],
  makerFeeBps: bps(-1),
  takerFeeBps: bps(5),
  priceBandBps: bps(1_000),
  markBandBps: bps(20),
  liquidationFeeBps: bps(50),
  autoDeleveraging: true,
  maxIndexAgeMs: 3_600_000,
  maxIndexJumpBps: bps(5_000),
  indexConfirmations: 2,
  fundingPeriodMs: 3_600_000,
  fundingInterestPpb: ppb(12_500),
  fundingCapPpb: ppb(7_500_000),
  premiumSampleMs: 5_000,
  impactNotionalAtoms: quoteAtoms(10_000_000_000),
};

/** An underlying with prices but without a market. */
export const UNLISTED = { marketId: 'XRP-USD-PERP', underlyingSymbol: 'XRP' } as const;
