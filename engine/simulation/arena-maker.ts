/** A maker of an arena, which quotes the ladder that it is given, such as that of the built-in makers. */
import type { Side } from '#venue/command.ts';
import type { MarketSpecification } from '#venue/market/specification.ts';
import { only } from '#venue/testing/outcome.ts';
import type { Arena } from './arena.ts';

interface Quote {
  readonly side: Side;
  readonly priceAtoms: number;
  readonly quantityAtoms: number;
}

/** The quotes for an index in dollars, and the position as a share of its limit. */
type Ladder = (specification: MarketSpecification, index: number, lean: number) => readonly Quote[];

/** The limit of the built-in makers' positions, in dollars. */
const POSITION_LIMIT = 3_000_000;

/** Returns a function that replaces all quotes of the account, as the built-in makers do. */
export function makerOf(arena: Arena, account: number, ladder: Ladder): () => void {
  const { scenario, specification } = arena;
  let open: number[] = [];
  return () => {
    const index = arena.market.indexPriceAtoms / 10 ** specification.priceScale;
    const position = (arena.baseOf(account) / 10 ** specification.quantityScale) * index;
    for (const order of open) scenario.cancel(account, order);
    open = ladder(specification, index, position / POSITION_LIMIT).flatMap(({ side, priceAtoms, quantityAtoms }) =>
      only(scenario.limit(account, side, priceAtoms, quantityAtoms, { leverageX: 1 }), 'OrderRested').map(({ order }) => order),
    );
  };
}
