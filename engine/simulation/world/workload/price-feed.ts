/** The index prices of a test world: a seeded walk for each market, with gaps in it and jumps. */
import type { Dice } from '#simulation/world/dice.ts';
import type { Faults } from '#simulation/world/faults.ts';
import type { SeenMarket } from './public-view.ts';

interface Walk {
  price: number;
  /** Prices that are left out yet. */
  gap: number;
}

export class PriceFeed {
  readonly #faults: Faults;
  /** The most that a price moves from one to the next. */
  readonly #step: number;
  readonly #walks = new Map<number, Walk>();

  constructor(faults: Faults, dice: Dice) {
    this.#faults = faults;
    this.#step = dice.pick([0.002, 0.01, 0.03]);
  }

  /** The next price of a market, in ticks; nothing while its source is silent. */
  next({ ordinal, specification }: SeenMarket, dice: Dice): number | undefined {
    const walk = this.#walkOf(ordinal, dice);
    if (walk.gap > 0) {
      walk.gap -= 1;
      return undefined;
    }
    if (this.#faults.strikes('feed_gap')) walk.gap = dice.between(2, 15);
    const change = this.#faults.strikes('feed_jump') ? (dice.fraction() - 0.5) * 0.6 : (dice.fraction() - 0.5) * 2 * this.#step;
    const { minPriceAtoms, maxPriceAtoms } = specification;
    walk.price = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, walk.price * (1 + change)));
    return Math.max(1, Math.round(walk.price));
  }

  #walkOf(market: number, dice: Dice): Walk {
    const known = this.#walks.get(market);
    if (known !== undefined) return known;
    const begun = { price: dice.between(8_000, 12_000), gap: 0 };
    this.#walks.set(market, begun);
    return begun;
  }
}
