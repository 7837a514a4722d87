/** Changes the specification of a listed market, within what can change while orders rest and positions are open. */
import type { MarketOrdinal } from '#units/ids.ts';
import type { CommandRules } from '#venue/command-rule.ts';
import { NO_PRICE } from '#venue/order/book.ts';
import { boundedSpecificationLayout, specificationLayout } from '#venue/record/parts.ts';
import type { Refusal } from '#venue/refusal.ts';
import { stepAt } from '#venue/risk/liquidation-steps.ts';
import type { Turn } from '#venue/turn.ts';
import type { Market } from './market.ts';
import { emitPendingWork } from './prices.ts';
import type { MarketSpecification } from './specification.ts';
import { specificationFault } from './specification.ts';

type Tiers = MarketSpecification['maintenanceMarginTiers'];

export interface UpdateMarket {
  readonly type: 'UpdateMarket';
  readonly market: MarketOrdinal;
  /** The whole specification that applies from now on. */
  readonly specification: MarketSpecification;
}

export const MARKET_UPDATE_COMMANDS: CommandRules<UpdateMarket> = {
  UpdateMarket: {
    plan: planUpdate,
    commit: commitUpdate,
    layout: {
      tag: 61,
      fields: (io, it) => ({
        type: 'UpdateMarket',
        market: io.int(it.market),
        specification: io.part(it.specification, specificationLayout),
      }),
      extended: [
        {
          tag: 93,
          applies: ({ specification }) => specification.openInterest !== undefined,
          fields: (io, it) => ({
            type: 'UpdateMarket',
            market: io.int(it.market),
            specification: io.part(it.specification, boundedSpecificationLayout),
          }),
        },
      ],
    },
  },
};

/**
 * The fields that a listing fixes. Ids and scales are in every record of the market. The book and the synthetic past are made for the price
 * bounds, the running funding period for its length, and parked positions for auto-deleveraging.
 */
export const FIXED_FIELDS = [
  'marketId',
  'underlyingSymbol',
  'priceScale',
  'quantityScale',
  'minPriceAtoms',
  'maxPriceAtoms',
  'fundingPeriodMs',
  'autoDeleveraging',
] as const satisfies readonly (keyof MarketSpecification)[];

/** The first fixed field in which two specifications differ; `undefined` if the one may become the other. */
export function changedFixedField(before: MarketSpecification, after: MarketSpecification): string | undefined {
  return FIXED_FIELDS.find((field) => before[field] !== after[field]);
}

/**
 * `market_busy` means that the market's orders or positions prevent the update. The bound is the number of positions that would fall below
 * maintenance, or 0 if the taker fee cannot change because resting orders have reserved it.
 */
export function planUpdate({ state }: Turn, { market: ordinal, specification }: UpdateMarket): Refusal | undefined {
  const market = state.market(ordinal);
  if (market === undefined) return { code: 'market_not_found' };
  if (specificationFault(specification) !== undefined) return { code: 'market_invalid' };
  if (changedFixedField(market.specification, specification) !== undefined) return { code: 'market_invalid' };
  const hasOrders = market.book.bestBid !== NO_PRICE || market.book.bestAsk !== NO_PRICE;
  if (hasOrders && specification.takerFeeBps !== market.specification.takerFeeBps) return { code: 'market_busy' };
  const bound = newlyBelow(market, specification.maintenanceMarginTiers);
  return bound === 0 ? undefined : { code: 'market_busy', bound };
}

/**
 * How many positions would fall below maintenance, or reach a further step of their liquidation, at the mark or at the index. The last step
 * is their deleveraging. Visits all, which listing bounds.
 */
function newlyBelow({ positions, tickLotAtoms, specification, markPriceAtoms, indexPriceAtoms }: Market, tiers: Tiers): number {
  const before = specification.maintenanceMarginTiers;
  let count = 0;
  for (let index = 0; index < positions.count; index += 1) {
    const position = positions.at(index);
    const falls = [markPriceAtoms, indexPriceAtoms].some(
      (price) => stepAt(position, price, tickLotAtoms, tiers) > stepAt(position, price, tickLotAtoms, before),
    );
    if (falls) count += 1;
  }
  return count;
}

export function commitUpdate(turn: Turn, { market: ordinal, specification }: UpdateMarket): void {
  const market = turn.state.market(ordinal)!;
  market.specification = specification;
  market.positions.reprice(market);
  turn.events.emit({ type: 'MarketUpdated', market: ordinal, specification });
  emitPendingWork(turn, market);
}
