/** The market of all episodes: rates and tiers of the devnet's BTC, ticks of a tenth of a basis point, and funding every minute. */
import { baseAtoms, bps, ppb, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

export const USD = 1_000_000;

/** The index at which each episode starts, in ticks: 10,000 dollars. */
export const START_PRICE = 100_000;

export const SEARCHED_MARKET: MarketSpecification = {
  marketId: 'GAME-USD-PERP',
  underlyingSymbol: 'GAME',
  priceScale: 1,
  quantityScale: 5,
  minPriceAtoms: priceAtoms(1_000),
  maxPriceAtoms: priceAtoms(400_000),
  minQuantityAtoms: baseAtoms(10),
  maxQuantityAtoms: baseAtoms(200_000_000),
  initialMarginBps: bps(200),
  maxLeverageX: 50,
  maintenanceMarginTiers: [
    { notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(100) },
    { notionalThresholdAtoms: quoteAtoms(2_000_000 * USD), maintenanceMarginBps: bps(150) },
    { notionalThresholdAtoms: quoteAtoms(10_000_000 * USD), maintenanceMarginBps: bps(250) },
  ],
  makerFeeBps: bps(2),
  takerFeeBps: bps(5),
  priceBandBps: bps(1_000),
  markBandBps: bps(20),
  liquidationFeeBps: bps(50),
  autoDeleveraging: true,
  maxIndexAgeMs: 10_000,
  maxIndexJumpBps: bps(100),
  indexConfirmations: 3,
  fundingPeriodMs: 60_000,
  fundingInterestPpb: ppb(12_500),
  fundingCapPpb: ppb(7_500_000),
  premiumSampleMs: 5_000,
  impactNotionalAtoms: quoteAtoms(10_000 * USD),
};
