/** The markets of a test world: the scenarios' market, one in which every rounding is visible, and one with maker rebates. */
import { FINE_MARKET, SCENARIO_MARKET } from '#simulation/scenario.ts';
import { bps, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

const TIERS = [
  { notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(250) },
  { notionalThresholdAtoms: quoteAtoms(2_000_000_000), maintenanceMarginBps: bps(400) },
  { notionalThresholdAtoms: quoteAtoms(8_000_000_000), maintenanceMarginBps: bps(1_000) },
];

/** Low enough to create books quickly: every start creates them. */
const maxPriceAtoms = priceAtoms(131_072);
/** Small enough for the thin books of a world to affect its mark prices. */
const impactNotionalAtoms = quoteAtoms(20_000_000);

export const WORLD_MARKETS: readonly MarketSpecification[] = [
  {
    ...SCENARIO_MARKET,
    maxPriceAtoms,
    impactNotionalAtoms,
    maxIndexAgeMs: 300_000,
    maxIndexJumpBps: bps(1_000),
    fundingPeriodMs: 600_000,
    // Time jumps in a world, so a price lasts for half of a period, and few samples of the book give the rate.
    premiumSampleMs: 300_000,
  },
  {
    ...FINE_MARKET,
    maxPriceAtoms,
    impactNotionalAtoms,
    marketId: 'ETH-USD-PERP',
    underlyingSymbol: 'ETH',
    maintenanceMarginTiers: TIERS,
    openInterest: { lowerAtoms: quoteAtoms(1_000_000_000), upperAtoms: quoteAtoms(50_000_000_000) },
  },
  {
    ...SCENARIO_MARKET,
    maxPriceAtoms,
    impactNotionalAtoms,
    marketId: 'SOL-USD-PERP',
    underlyingSymbol: 'SOL',
    makerFeeBps: bps(-3),
    autoDeleveraging: false,
    maintenanceMarginTiers: TIERS,
    maxIndexJumpBps: bps(5_000),
  },
];
