/** The index prices of a test world: a seeded walk for each market, with gaps in it and jumps. */

import type { Faults } from '#simulation/world/faults.ts';
import type { RandomSource } from '#simulation/world/random-source.ts';
import type { SeenMarket } from './public-view.ts';

interface Walk {
  price: number;
  /** The number of prices still to skip. */
  gap: number;
}

export class PriceFeed {
  readonly #faults: Faults;
  /** The maximum move, as a share, from one price to the next. */
  readonly #step: number;
  readonly #walks = new Map<number, Walk>();

  constructor(faults: Faults, random: RandomSource) {
    this.#faults = faults;
    this.#step = random.pick([0.002, 0.01, 0.03]);
  }

  /** The next price of a market, in ticks; `undefined` during a gap. */
  next({ ordinal, specification }: SeenMarket, random: RandomSource): number | undefined {
    const walk = this.#walkOf(ordinal, random);
    if (walk.gap > 0) {
      walk.gap -= 1;
      return undefined;
    }
    if (this.#faults.strikes('feed_gap')) walk.gap = random.between(2, 15);
    const change = this.#faults.strikes('feed_jump')
      ? (random.fraction() - 0.5) * 0.6
      : (random.fraction() - 0.5) * 2 * this.#step;
    const { minPriceAtoms, maxPriceAtoms } = specification;
    walk.price = Math.max(minPriceAtoms, Math.min(maxPriceAtoms, walk.price * (1 + change)));
    return Math.max(1, Math.round(walk.price));
  }

  #walkOf(market: number, random: RandomSource): Walk {
    const known = this.#walks.get(market);
    if (known !== undefined) return known;
    const initial = { price: random.between(8_000, 12_000), gap: 0 };
    this.#walks.set(market, initial);
    return initial;
  }
}
