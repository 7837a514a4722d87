/** The crowd: the market, leverage (from 1 to the market's maximum), side and size of each trader. */
import type { QuoteAtoms } from '#units/money.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { maxLeverageAt } from '#venue/risk/initial-margin.ts';
import { CROWD, dollars } from './crash-parameters.ts';
import { type Gambler, stakeOf } from './traders.ts';

/** Assigns the traders to the markets in turn. Their leverages are evenly spread by the logarithm. */
export function crowdOf(
  traders: number,
  markets: readonly MarketSpecification[],
  random: () => number,
): Omit<Gambler, 'account'>[] {
  const inEach = Math.floor(traders / markets.length);
  return Array.from({ length: traders }, (_, index) => {
    const place = index % markets.length;
    const specification = markets[place]!;
    const rank = Math.floor(index / markets.length) / Math.max(1, inEach - 1);
    const leverageX = Math.round(specification.maxLeverageX ** Math.min(1, rank));
    const wanted = dollars(CROWD.smallestNotional * (CROWD.largestNotional / CROWD.smallestNotional) ** random());
    const notionalAtoms = Math.min(wanted, largestAt(leverageX, specification));
    return {
      market: place + 1,
      leverageX,
      side: random() < CROWD.longShare ? 'buy' : 'sell',
      notionalAtoms,
      depositAtoms: Math.ceil(notionalAtoms / stakeOf(leverageX)),
    };
  });
}

/** The largest exposure at which the market still permits this leverage: the last atom below the tier that does not. */
function largestAt(leverageX: number, specification: MarketSpecification): number {
  const refusing = specification.maintenanceMarginTiers.find(
    ({ notionalThresholdAtoms }) => maxLeverageAt(notionalThresholdAtoms, specification) < leverageX,
  );
  const until = refusing?.notionalThresholdAtoms ?? (Number.POSITIVE_INFINITY as QuoteAtoms);
  // A fill slightly above the index must stay below it too.
  return until * 0.98;
}
