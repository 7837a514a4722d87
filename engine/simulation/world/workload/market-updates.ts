/** Updates of markets in a test world: most are possible, some change what a listing fixes, and some need more margin than positions have. */
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { MarketOrdinal } from '#units/ids.ts';
import { bps, priceAtoms, quoteAtoms } from '#units/money.ts';
import type { UpdateMarket } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import type { PublicView } from './public-view.ts';

export function marketUpdate(random: RandomSource, { markets }: PublicView): UpdateMarket | undefined {
  if (markets.length === 0) return undefined;
  const { ordinal, specification } = random.pick(markets);
  const { openInterest, ...unbounded } = specification;
  const before = openInterest === undefined || random.chance(0.05) ? unbounded : specification;
  const market = random.chance(0.05) ? markets.length + 1 : ordinal;
  return {
    type: 'UpdateMarket',
    market: market as MarketOrdinal,
    specification: { ...before, ...changeOf(random, specification) },
  };
}

function changeOf(
  random: RandomSource,
  { maintenanceMarginTiers, takerFeeBps }: MarketSpecification,
): Partial<MarketSpecification> {
  switch (random.between(1, 8)) {
    case 1:
      return { liquidationFeeBps: bps(random.between(50, 200)), priceBandBps: bps(random.between(800, 2_000)) };
    case 2:
      return {
        impactNotionalAtoms: quoteAtoms(random.between(10_000_000, 40_000_000)),
        markBandBps: bps(random.between(10, 60)),
      };
    case 3:
      return { makerFeeBps: bps(random.between(-4, 4)), maxLeverageX: random.between(15, 20) };
    case 4:
      return { takerFeeBps: bps(takerFeeBps === 5 ? 6 : 5) };
    case 5:
      return random.chance(0.5) ? { maxPriceAtoms: priceAtoms(131_071) } : { fundingPeriodMs: 300_000 };
    case 6: {
      const lower = random.between(0, 5_000_000_000);
      const upper = lower + random.between(1_000_000, 50_000_000_000);
      return { openInterest: { lowerAtoms: quoteAtoms(lower), upperAtoms: quoteAtoms(upper) } };
    }
    default: {
      // At most 499: the first rate is below the initial margin of 500.
      const first = random.between(230, 499);
      const [, ...higher] = maintenanceMarginTiers;
      const tiers = [{ ...maintenanceMarginTiers[0]!, maintenanceMarginBps: bps(first) }];
      for (const [place, tier] of higher.entries())
        tiers.push({ ...tier, maintenanceMarginBps: bps(first + 150 * (place + 1) + random.between(0, 100)) });
      return { maintenanceMarginTiers: tiers };
    }
  }
}
