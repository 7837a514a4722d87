/** The markets of a test world: one as scenarios have it, one where every rounding shows, one whose makers are paid. */
import { FINE_MARKET, SCENARIO_MARKET } from '#simulation/scenario.ts';
import { bps, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';

const TIERS = [
  { notionalThresholdAtoms: quoteAtoms(0), maintenanceMarginBps: bps(250) },
  { notionalThresholdAtoms: quoteAtoms(2_000_000_000), maintenanceMarginBps: bps(400) },
  { notionalThresholdAtoms: quoteAtoms(8_000_000_000), maintenanceMarginBps: bps(1_000) },
];

/** Low enough for books to be made quickly: every start makes them. */
const maxPriceAtoms = priceAtoms(131_072);
/** So little that the thin books of a world have a say in its prices. */
const impactNotionalAtoms = quoteAtoms(20_000_000);

export const WORLD_MARKETS: readonly MarketSpecification[] = [
  {
    ...SCENARIO_MARKET,
    maxPriceAtoms,
    impactNotionalAtoms,
    maxIndexAgeMs: 300_000,
    maxIndexJumpBps: bps(1_000),
    fundingPeriodMs: 600_000,
    // In a world time jumps: a price lasts for half of a period, and few looks at the book make its rate.
    premiumSampleMs: 300_000,
  },
  {
    ...FINE_MARKET,
    maxPriceAtoms,
    impactNotionalAtoms,
    marketId: 'ETH-USD-PERP',
    underlyingSymbol: 'ETH',
    maintenanceMarginTiers: TIERS,
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
