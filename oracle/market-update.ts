/** Changes the specification of a listed market, unless its orders or positions were made for the old one. */
import type { Specification } from './command.ts';
import { stepsAt } from './equity.ts';
import { isValidSpecification } from './listing-rules.ts';
import { listedMarket, notePendingWork } from './prices.ts';
import { refuseIf } from './refused.ts';
import type { World } from './world.ts';
import { note } from './world.ts';

/** What a listing fixes. */
const FIXED = [
  'marketId',
  'underlyingSymbol',
  'priceScale',
  'quantityScale',
  'minPriceAtoms',
  'maxPriceAtoms',
  'fundingPeriodMs',
  'autoDeleveraging',
] as const;

export function updateMarket(world: World, ordinal: number, specification: Specification): void {
  const market = listedMarket(world, ordinal);
  const before = market.specification;
  refuseIf(!isValidSpecification(specification), 'market_invalid');
  const changesFixed = FIXED.some((field) => specification[field] !== before[field]);
  refuseIf(changesFixed, 'market_invalid');
  // Resting orders have reserved the taker fee.
  const rests = world.orders.some((order) => order.market === ordinal);
  refuseIf(rests && specification.takerFeeBps !== before.takerFeeBps, 'market_busy');
  const updated = { ...market, specification };
  const falling = market.positions.filter((position) =>
    [market.mark, market.index.price].some((price) => stepsAt(updated, position, price) > stepsAt(market, position, price)),
  );
  refuseIf(falling.length > 0, 'market_busy', BigInt(falling.length));
  market.specification = specification;
  note(world, { type: 'MarketUpdated', market: ordinal, specification });
  notePendingWork(world, market);
}
